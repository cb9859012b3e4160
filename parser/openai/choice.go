package openai

import (
	"bytes"

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

// spoken is what one choice of an answer said and how it ended.
type spoken struct {
	index    int64
	segments []segment
	finish   scan.Value // the last finish_reason that is a word
}

// segmentOf makes the one segment of a whole message. What it holds points into the line.
func (p *Parser) segmentOf(m *message) segment {
	var g segment
	g.text, g.reasoning, g.refusal = p.contentOf(m)
	if r := p.reasoningOf(m); len(r) > 0 {
		g.reasoning = r
	}
	if body := m.refusal.Body(); len(body) > 0 {
		g.refusal = p.join(g.refusal, body)
	}
	g.transcript = m.transcript.Body()
	for i := range m.calls {
		f := &m.calls[i]
		g.calls = append(g.calls, &call{id: f.id, name: f.name.Body(), args: f.args, legacy: f.legacy})
	}
	return g
}

// contentOf gives the text in a message's content, and the thinking and the refusal among its parts.
func (p *Parser) contentOf(m *message) (text, reasoning, refusal []byte) {
	text = m.content.Body()
	for i := range m.parts {
		part := &m.parts[i]
		switch kind := part.kind.Body(); string(kind) {
		case "text", "output_text", "":
			text = p.join(text, part.text.Body())
		case "thinking":
			reasoning = p.join(reasoning, p.texts(part.thinking, "text"))
		case "refusal":
			refusal = p.join(refusal, part.refusal.Body())
		}
	}
	return text, reasoning, refusal
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

// texts joins the strings that stand under a key in the objects of an array, or in an object "delta" of theirs; v may
// also be one string.
func (p *Parser) texts(v scan.Value, key string) []byte {
	if v.Kind != scan.KindArray {
		return v.Body()
	}
	var joined []byte
	s := &p.inner
	s.Reset(v.Raw)
	for s.Array(); s.Element(); {
		if s.Peek() != scan.KindObject {
			s.Skip()
			continue
		}
		for s.Object(); s.Key(); {
			switch name := s.Name(); {
			case string(name) == key:
				joined = p.join(joined, s.Value().Body())
			case string(name) == "delta" && s.Peek() == scan.KindObject:
				for s.Object(); s.Key(); {
					if v := s.Value(); string(s.Name()) == key {
						joined = p.join(joined, v.Body())
					}
				}
			default:
				s.Skip()
			}
		}
	}
	return joined
}

// join gives a followed by b. Neither is changed; the memory of a joined text is of this line.
func (p *Parser) join(a, b []byte) []byte {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return append(append(make([]byte, 0, len(a)+len(b)), a...), b...)
}

// say gives the events of a segment.
func (p *Parser) say(g *segment) {
	text := p.strings.Unescape(g.text)
	thought, text := splitThought(text)
	for _, reasoning := range [...]string{p.strings.Unescape(g.reasoning), thought} {
		if !lines.Blank(reasoning) {
			p.emit(events.KindReasoning).Text = reasoning
		}
	}
	p.text(text)
	p.text(p.strings.Unescape(g.refusal))
	p.text(p.strings.Unescape(g.transcript))
	for i := range g.calls {
		p.call(g.calls[i])
	}
}

func (p *Parser) text(text string) {
	if !lines.Blank(text) {
		p.emit(events.KindText).Text = text
	}
}

// finishes reports whether v is a reason to finish: null and "" are what unfinished choices have.
func finishes(v scan.Value) bool { return len(v.Body()) > 0 }

// failingFinish tells the reasons that mean a failure; all others end an answer that stands.
func failingFinish(reason []byte) bool {
	switch string(reason) {
	case "error", "insufficient_system_resource":
		return true
	}
	return false
}

// Codes of the notices that tell why an answer is not whole.
const (
	noticeLength        = "length"
	noticeContentFilter = "content_filter"
)

// cutShort tells of an answer that a limit or a filter cut short.
func (p *Parser) cutShort(reason []byte) {
	lower := string(bytes.ToLower(reason))
	code := ""
	switch lower {
	case "length", "model_length", "max_tokens", "max_output_tokens":
		code = noticeLength
	case "content_filter", "safety", "content_filter: safety":
		code = noticeContentFilter
	default:
		return
	}
	e := p.emit(events.KindNotice)
	e.Notice = events.Notice{Level: events.LevelWarn, Code: code}
	e.Text = "the answer is cut short: " + p.strings.Unescape(reason)
}
