package openai

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// isRequest reports whether a record is the body of a request: the conversation so far, and the model, which Azure has
// in the address.
func isRequest(r *record) bool {
	return r.rest.Get("messages").Kind == scan.KindArray || r.model.Kind == scan.KindString && r.rest.Get("input").Kind == scan.KindArray
}

// request takes the body of a request. Its messages repeat the whole conversation, so all that it adds are the results
// of tools, which no answer holds, each once, and what the user said since the last answer.
func (p *Parser) request(r *record) {
	p.Head = lines.Head{}
	list := r.rest.Get("messages")
	if list.Kind != scan.KindArray {
		list = r.rest.Get("input")
	}
	fresh := p.afterLastAnswer(list)
	clear(p.repeats)
	var s scan.Scanner
	s.Reset(list.Raw)
	i := 0
	for s.Array(); s.Element(); i++ {
		p.entry = s.Members(p.entry[:0])
		p.requestEntry(p.entry, i >= fresh)
	}
}

// afterLastAnswer counts the entries up to and with the last one that the model made.
func (p *Parser) afterLastAnswer(list scan.Value) int {
	n, last := 0, 0
	p.Inner.Reset(list.Raw)
	for p.Inner.Array(); p.Inner.Element(); {
		n++
		p.Nested = p.Inner.Members(p.Nested[:0])
		kind := p.Nested.Get("type").Body()
		if p.Nested.Get("role").Is("assistant") || len(kind) > 0 && string(kind) != "message" && !isOutput(kind) {
			last = n
		}
	}
	return last
}

func (p *Parser) requestEntry(m scan.Members, fresh bool) {
	role, kind := m.Get("role"), m.Get("type").Body()
	switch {
	case role.Is("assistant"):
		p.rememberCalls(m.Get("tool_calls"))
	case role.Is("tool"):
		p.requestResult(m.Get("tool_call_id"), m.Get("content"))
	case isOutput(kind):
		if p.isNew(m.Get("call_id")) {
			p.itemResult(m, m.Get("call_id"))
		}
	case role.Is("user") && fresh:
		p.prompt(m.Get("content"))
	}
}

// requestResult emits a result that no earlier request had.
func (p *Parser) requestResult(id, content scan.Value) {
	if !p.isNew(id) {
		return
	}
	text, _ := p.outputText(content)
	p.result(id, text)
}

// isNew reports whether no earlier request had a result. An id may come again for another call of the same conversation:
// the second time it is in one request it is the second call's.
func (p *Parser) isNew(id scan.Value) bool {
	if len(id.Body()) == 0 {
		return false
	}
	key := p.key(id)
	if p.repeats == nil {
		p.repeats = map[uint64]int{}
	}
	p.repeats[key]++
	if seen, _ := p.results.Get(key); seen >= p.repeats[key] {
		return false
	}
	p.results.Set(key, p.repeats[key])
	return true
}

// rememberCalls keeps the names of the calls that a request repeats, for their results.
func (p *Parser) rememberCalls(list scan.Value) {
	if list.Kind != scan.KindArray {
		return
	}
	p.Inner.Reset(list.Raw)
	for p.Inner.Array(); p.Inner.Element(); {
		if p.Inner.Peek() != scan.KindObject {
			p.Inner.Skip()
			continue
		}
		f := readFragment(&p.Inner)
		if len(f.id.Body()) > 0 && len(f.name.Body()) > 0 {
			p.remember(&events.Tool{ID: p.Strings.Text(f.id), Name: p.toolName(f.name.Body())})
		}
	}
}

// prompt gives what the user said: a string, or the texts of an array.
func (p *Parser) prompt(content scan.Value) {
	text := p.Strings.Text(content)
	if content.Kind == scan.KindArray {
		said, _ := p.outputText(content)
		text = string(said.All())
	}
	if !lines.Blank(text) {
		p.Emit(events.KindPrompt).Text = text
	}
}
