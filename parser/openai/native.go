package openai

import "github.com/tailspan/tailspan/parser/internal/scan"

// isNative reports whether a record is of Ollama's own chat API: whole, or one of many lines of a stream.
func isNative(r *record) bool {
	done := r.rest.Get("done")
	return r.message.there && (done.Kind == scan.KindTrue || done.Kind == scan.KindFalse)
}

// native takes a record of Ollama's own API as a chunk of one choice. The last one is done, and has the usage.
func (p *Parser) native(r *record) {
	c := choice{delta: r.message}
	if r.rest.Get("done").True() {
		if c.finish = r.rest.Get("done_reason"); !finishes(c.finish) {
			c.finish = scan.Value{Kind: scan.KindString, Raw: []byte(`"stop"`)}
		}
	}
	r.choices = append(r.choices, c)
	p.chunk(r)
	if finishes(c.finish) && p.answer.open {
		p.end()
	}
}
