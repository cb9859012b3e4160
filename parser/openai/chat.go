package openai

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// segment is what one choice said up to its next calls, and those calls. Texts are raw, still escaped. So the pieces
// of a stream join into the original text, even if a cut separates the halves of a surrogate pair.
type segment struct {
	reasoning, text, refusal, transcript []byte
	calls                                []*call
}

// contents emits the events of the contents of messages.
type contents struct {
	*line
	calls *calls
}

// sayWhole emits the events of a whole message, which is one segment.
func (co *contents) sayWhole(m *message) {
	g := segment{transcript: m.transcript.Body()}
	g.text, g.reasoning, g.refusal = co.contentOf(m)
	co.say(&g)
	for i := range m.calls {
		f := &m.calls[i]
		co.calls.call(&call{id: f.id, name: f.name.Body(), args: f.args, legacy: f.legacy})
	}
}

// contentOf returns the text, the reasoning and the refusal of a message or a delta.
func (co *contents) contentOf(m *message) (text, reasoning, refusal []byte) {
	var t, r, f joined
	t.add(m.content.Body())
	for i := range m.parts {
		part := &m.parts[i]
		switch kind := part.kind.Body(); string(kind) {
		case "text", "output_text", "":
			t.add(part.text.Body())
		case "thinking":
			r.add(co.texts(part.thinking, "text"))
		case "refusal":
			f.add(part.refusal.Body())
		}
	}
	f.add(m.refusal.Body())
	reasoning = r.body
	if said := co.reasoningOf(m); len(said) > 0 {
		reasoning = said
	}
	return t.body, reasoning, f.body
}

// reasoningOf returns the reasoning of a message or a delta. If several of its keys are present, they hold the same
// text.
func (co *contents) reasoningOf(m *message) []byte {
	for _, v := range [...]scan.Value{m.reasoningContent, m.reasoning, m.thinking} {
		if body := v.Body(); len(body) > 0 {
			return body
		}
	}
	if m.reasoningDetails.Kind == scan.KindArray {
		if text := co.texts(m.reasoningDetails, "text"); len(text) > 0 {
			return text
		}
		if text := co.texts(m.reasoningDetails, "summary"); len(text) > 0 {
			return text
		}
	}
	if text := co.texts(m.thinkingBlocks, "thinking"); len(text) > 0 {
		return text
	}
	return co.texts(m.contentBlocks, "thinking")
}

// texts joins the strings under a key in the objects of an array, or in the objects "delta" within these; v may
// also be a string.
func (co *contents) texts(v scan.Value, key string) []byte {
	if v.Kind != scan.KindArray {
		return v.Body()
	}
	var all joined
	s := &co.Inner
	s.Reset(v.Raw)
	for s.Array(); s.Element(); {
		if !scan.Enter(s) {
			continue
		}
		for s.Key() {
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

// joined is raw text that is assembled from pieces. A single piece is not copied.
type joined struct {
	body  []byte
	owned bool // body does not point into the line
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

// say emits the events of a segment.
func (co *contents) say(g *segment) {
	text := co.Strings.Unescape(g.text)
	thought, text := splitThought(text)
	for _, reasoning := range [...]string{co.Strings.Unescape(g.reasoning), thought} {
		if !lines.Blank(reasoning) {
			co.Emit(events.KindReasoning).Text = reasoning
		}
	}
	co.text(text)
	co.text(co.Strings.Unescape(g.refusal))
	co.text(co.Strings.Unescape(g.transcript))
	for i := range g.calls {
		co.calls.call(g.calls[i])
	}
}

func (co *contents) text(text string) {
	if !lines.Blank(text) {
		co.Emit(events.KindText).Text = text
	}
}

// finishes reports whether v is a finish reason: unfinished choices have null or "".
func finishes(v scan.Value) bool { return len(v.Body()) > 0 }

// failingFinish lists the reasons that are failures; all others end a valid answer.
func failingFinish(reason []byte) bool {
	switch string(reason) {
	case "error", "insufficient_system_resource":
		return true
	}
	return false
}

// Codes of the notices about incomplete answers.
const (
	noticeLength        = "length"
	noticeContentFilter = "content_filter"
)

// cutShort reports that a limit or a filter cut an answer.
func (co *contents) cutShort(reason []byte) {
	co.Scratch = append(co.Scratch[:0], reason...)
	for i, c := range co.Scratch {
		if c >= 'A' && c <= 'Z' {
			co.Scratch[i] = c | 0x20
		}
	}
	var code string
	switch string(co.Scratch) {
	case "length", "model_length", "max_tokens", "max_output_tokens":
		code = noticeLength
	case "content_filter", "safety", "content_filter: safety":
		code = noticeContentFilter
	default:
		return
	}
	e := co.Emit(events.KindNotice)
	e.Notice = events.Notice{Level: events.LevelWarn, Code: code}
	e.Text = "the answer is cut short: " + co.Strings.Unescape(reason)
}

// thoughtTags are the tags around reasoning that a server left in the content.
var thoughtTags = [...]string{"think", "thinking", "thought"}

// splitThought removes the block of reasoning at the head of a text, and the blanks after it. A block that is
// never closed, because a limit cut the answer, is the whole text.
func splitThought(text string) (thought, rest string) {
	head := strings.TrimLeft(text, " \t\r\n")
	if !strings.HasPrefix(head, "<") {
		return "", text
	}
	for _, tag := range thoughtTags {
		if !strings.HasPrefix(head[1:], tag) || !strings.HasPrefix(head[1+len(tag):], ">") {
			continue
		}
		inside := head[len(tag)+2:]
		thought, rest, _ = strings.Cut(inside, "</"+tag+">")
		return thought, strings.TrimLeft(rest, " \t\r\n")
	}
	return "", text
}

// body handles a whole chat completion.
func (an *answers) body(r *record) {
	an.close()
	an.begin()
	an.about(r)
	a := &an.answer
	an.identify(a)
	var reason scan.Value
	said := false
	a.failure = an.failureOf(r)
	sortChoices(r.choices)
	for i := range r.choices {
		c := &r.choices[i]
		if c.whole.there {
			an.contents.sayWhole(&c.whole)
		}
		if finishes(c.finish) {
			reason = worse(reason, c.finish)
			an.contents.cutShort(c.finish.Body())
		}
		if f := an.readFailure(c.failure); f.failed && !a.failure.failed {
			a.failure = f
		}
		said = said || c.whole.there || finishes(c.finish)
	}
	counts := an.ledger.countsOf(r)
	an.ledger.tokens(&counts)
	a.failure.failed = a.failure.failed || failingFinish(reason.Body())
	if said || a.failure.failed {
		an.ended(reason, a.failure, counts.duration)
	}
	a.open = false
}

// sortChoices sorts the choices of a body by index. The index of a choice without one is its position.
func sortChoices(choices []choice) {
	for i := range choices {
		choices[i].place = int64(i)
		if v := choices[i].index; v.Kind == scan.KindNumber {
			choices[i].place = v.Int()
		}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(a.place, b.place) })
}

// isNative reports whether a record is from Ollama's own chat API: whole, or one of many lines of a stream.
func isNative(r *record) bool {
	done := r.rest.Get("done")
	return r.message.there && (done.Kind == scan.KindTrue || done.Kind == scan.KindFalse)
}

// native handles a record of Ollama's own API as a chunk with one choice. The last one is done and has the usage.
func (an *answers) native(r *record) {
	c := choice{delta: r.message}
	if r.rest.Get("done").True() {
		if c.finish = r.rest.Get("done_reason"); !finishes(c.finish) {
			c.finish = scan.Value{Kind: scan.KindString, Raw: []byte(`"stop"`)}
		}
	}
	r.choices = append(r.choices, c)
	an.chunk(r)
	if finishes(c.finish) && an.answer.open {
		an.end()
	}
}
