package openai

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// segment is what one choice said up to its next calls, and those calls. Texts are raw, still escaped: so pieces of a
// stream join into what the whole would have been, even where a cut lies between two halves of a surrogate pair.
type segment struct {
	reasoning, text, refusal, transcript []byte
	calls                                []*call
}

// sayWhole gives the events of a whole message, which is one segment.
func (p *Parser) sayWhole(m *message) {
	g := segment{transcript: m.transcript.Body()}
	g.text, g.reasoning, g.refusal = p.contentOf(m)
	p.say(&g)
	for i := range m.calls {
		f := &m.calls[i]
		p.call(&call{id: f.id, name: f.name.Body(), args: f.args, legacy: f.legacy})
	}
}

// contentOf gives what a message or a delta says: its text, its thinking and its refusal.
func (p *Parser) contentOf(m *message) (text, reasoning, refusal []byte) {
	var t, r, f joined
	t.add(m.content.Body())
	for i := range m.parts {
		part := &m.parts[i]
		switch kind := part.kind.Body(); string(kind) {
		case "text", "output_text", "":
			t.add(part.text.Body())
		case "thinking":
			r.add(p.texts(part.thinking, "text"))
		case "refusal":
			f.add(part.refusal.Body())
		}
	}
	f.add(m.refusal.Body())
	reasoning = r.body
	if said := p.reasoningOf(m); len(said) > 0 {
		reasoning = said
	}
	return t.body, reasoning, f.body
}

// reasoningOf gives the thinking of a message or a delta. Several of its names, where they come together, hold the same
// text.
func (p *Parser) reasoningOf(m *message) []byte {
	for _, v := range [...]scan.Value{m.reasoningContent, m.reasoning, m.thinking} {
		if body := v.Body(); len(body) > 0 {
			return body
		}
	}
	if m.reasoningDetails.Kind == scan.KindArray {
		if text := p.texts(m.reasoningDetails, "text"); len(text) > 0 {
			return text
		}
		if text := p.texts(m.reasoningDetails, "summary"); len(text) > 0 {
			return text
		}
	}
	if text := p.texts(m.thinkingBlocks, "thinking"); len(text) > 0 {
		return text
	}
	return p.texts(m.contentBlocks, "thinking")
}

// texts joins the strings that are under a key in the objects of an array, or in an object "delta" of theirs; v may
// also be one string.
func (p *Parser) texts(v scan.Value, key string) []byte {
	if v.Kind != scan.KindArray {
		return v.Body()
	}
	var all joined
	s := &p.Inner
	s.Reset(v.Raw)
	for s.Array(); s.Element(); {
		if s.Peek() != scan.KindObject {
			s.Skip()
			continue
		}
		for s.Object(); s.Key(); {
			switch name := s.Name(); {
			case string(name) == key:
				all.add(s.Value().Body())
			case string(name) == "delta" && s.Peek() == scan.KindObject:
				for s.Object(); s.Key(); {
					if v := s.Value(); string(s.Name()) == key {
						all.add(v.Body())
					}
				}
			default:
				s.Skip()
			}
		}
	}
	return all.body
}

// joined is raw text that is put together from pieces. One piece alone is not copied.
type joined struct {
	body  []byte
	owned bool // body is no piece of the line
}

func (j *joined) add(piece []byte) {
	switch {
	case len(piece) == 0:
	case len(j.body) == 0:
		j.body = piece
	case !j.owned:
		j.body, j.owned = append(append(make([]byte, 0, 2*(len(j.body)+len(piece))), j.body...), piece...), true
	default:
		j.body = append(j.body, piece...)
	}
}

// say gives the events of a segment.
func (p *Parser) say(g *segment) {
	text := p.Strings.Unescape(g.text)
	thought, text := splitThought(text)
	for _, reasoning := range [...]string{p.Strings.Unescape(g.reasoning), thought} {
		if !lines.Blank(reasoning) {
			p.Emit(events.KindReasoning).Text = reasoning
		}
	}
	p.text(text)
	p.text(p.Strings.Unescape(g.refusal))
	p.text(p.Strings.Unescape(g.transcript))
	for i := range g.calls {
		p.call(g.calls[i])
	}
}

func (p *Parser) text(text string) {
	if !lines.Blank(text) {
		p.Emit(events.KindText).Text = text
	}
}

// finishes reports whether v is a reason to finish: null and "" are what unfinished choices have.
func finishes(v scan.Value) bool { return len(v.Body()) > 0 }

// failingFinish lists the reasons that mean a failure; all others end an answer that stands.
func failingFinish(reason []byte) bool {
	switch string(reason) {
	case "error", "insufficient_system_resource":
		return true
	}
	return false
}

// Codes of the notices that say why an answer is not whole.
const (
	noticeLength        = "length"
	noticeContentFilter = "content_filter"
)

// cutShort reports an answer that a limit or a filter cut short.
func (p *Parser) cutShort(reason []byte) {
	p.Scratch = append(p.Scratch[:0], reason...)
	for i, c := range p.Scratch {
		if c >= 'A' && c <= 'Z' {
			p.Scratch[i] = c | 0x20
		}
	}
	var code string
	switch string(p.Scratch) {
	case "length", "model_length", "max_tokens", "max_output_tokens":
		code = noticeLength
	case "content_filter", "safety", "content_filter: safety":
		code = noticeContentFilter
	default:
		return
	}
	e := p.Emit(events.KindNotice)
	e.Notice = events.Notice{Level: events.LevelWarn, Code: code}
	e.Text = "the answer is cut short: " + p.Strings.Unescape(reason)
}
