package openai

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// isRequest reports whether a record is the body of a request: the conversation so far, and the model, which Azure has
// in the URL.
func isRequest(r *record) bool {
	return r.rest.Get("messages").Kind == scan.KindArray || r.model.Kind == scan.KindString && r.rest.Get("input").Kind == scan.KindArray
}

// requests handles what was sent to the server: prompts, and the results of calls.
type requests struct {
	*line
	calls *calls
	items *items

	entry   scan.Members
	repeats map[uint64]int // number of occurrences of each ID in one request
}

// request reads the body of a request. Its messages repeat the whole conversation. So it only emits results of tools,
// which no answer contains, each once, and what the user said since the last answer.
func (rq *requests) request(r *record) {
	rq.Head = lines.Head{}
	list := r.rest.Get("messages")
	if list.Kind != scan.KindArray {
		list = r.rest.Get("input")
	}
	fresh := rq.afterLastAnswer(list)
	clear(rq.repeats)
	var s scan.Scanner
	s.Reset(list.Raw)
	i := 0
	for s.Array(); s.Element(); i++ {
		rq.entry = s.Members(rq.entry[:0])
		rq.requestEntry(rq.entry, i >= fresh)
	}
}

// afterLastAnswer returns the number of entries up to and including the model's last one.
func (rq *requests) afterLastAnswer(list scan.Value) int {
	n, last := 0, 0
	rq.Inner.Reset(list.Raw)
	for rq.Inner.Array(); rq.Inner.Element(); {
		n++
		rq.Nested = rq.Inner.Members(rq.Nested[:0])
		kind := rq.Nested.Get("type").Body()
		if rq.Nested.Get("role").Is("assistant") || len(kind) > 0 && string(kind) != "message" && !isOutput(kind) {
			last = n
		}
	}
	return last
}

func (rq *requests) requestEntry(m scan.Members, fresh bool) {
	role, kind := m.Get("role"), m.Get("type").Body()
	switch {
	case role.Is("assistant"):
		rq.rememberCalls(m.Get("tool_calls"))
	case role.Is("tool"):
		rq.requestResult(m.Get("tool_call_id"), m.Get("content"))
	case isOutput(kind):
		if rq.isNew(m.Get("call_id")) {
			rq.items.itemResult(m, m.Get("call_id"))
		}
	case role.Is("user") && fresh:
		rq.prompt(m.Get("content"))
	}
}

// requestResult emits a result unless an earlier request had it.
func (rq *requests) requestResult(id, content scan.Value) {
	if !rq.isNew(id) {
		return
	}
	text, _ := rq.items.outputText(content)
	rq.items.result(id, text)
}

// isNew reports whether no earlier request had a result. An ID may recur for another call of the same conversation: its
// second occurrence in one request belongs to the second call.
func (rq *requests) isNew(id scan.Value) bool {
	if len(id.Body()) == 0 {
		return false
	}
	key := rq.key(id)
	if rq.repeats == nil {
		rq.repeats = map[uint64]int{}
	}
	rq.repeats[key]++
	if seen, _ := rq.items.results.Get(key); seen >= rq.repeats[key] {
		return false
	}
	rq.items.results.Set(key, rq.repeats[key])
	return true
}

// rememberCalls stores the names of the calls that a request repeats, for their results.
func (rq *requests) rememberCalls(list scan.Value) {
	for range scan.Elements(&rq.Inner, list) {
		if rq.Inner.Peek() != scan.KindObject {
			rq.Inner.Skip()
			continue
		}
		f := readFragment(&rq.Inner)
		if len(f.id.Body()) > 0 && len(f.name.Body()) > 0 {
			rq.calls.remember(&events.Tool{ID: rq.Strings.Text(f.id), Name: rq.toolName(f.name.Body())})
		}
	}
}

// prompt emits what the user said: a string, or the texts of an array.
func (rq *requests) prompt(content scan.Value) {
	text := rq.Strings.Text(content)
	if content.Kind == scan.KindArray {
		said, _ := rq.items.outputText(content)
		text = string(said.All())
	}
	if !lines.Blank(text) {
		rq.Emit(events.KindPrompt).Text = text
	}
}
