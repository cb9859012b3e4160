package openai

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// maxPartial is the maximum number of items of a response that stream at once.
const maxPartial = 1024

// partialItem is an item whose pieces arrived before the whole item.
type partialItem struct {
	index                    int64
	id                       string
	text, reasoning, refusal []byte // raw
	call                     *call
}

func (a *responded) find(index int64) *partialItem {
	for _, x := range a.partial {
		if x.index == index {
			return x
		}
	}
	return nil
}

// forget drops the deltas of an item that arrived whole.
func (a *responded) forget(index int64) {
	for i, x := range a.partial {
		if x.index == index {
			a.partial = append(a.partial[:i], a.partial[i+1:]...)
			return
		}
	}
}

// beginItem handles an item when it is added: a call then has its name and ID; its arguments follow in pieces.
func (re *responses) beginItem(r *record, index int64) {
	x := re.partial(index)
	if x == nil {
		return
	}
	m := r.item
	x.id = re.Strings.Text(m.Get("id"))
	switch string(m.Get("type").Body()) {
	case "function_call", "custom_tool_call", "mcp_call":
		id := m.Get("call_id")
		if len(id.Body()) == 0 {
			id = m.Get("id")
		}
		x.call = &call{id: scan.Value{Kind: id.Kind, Raw: bytes.Clone(id.Raw)}, name: bytes.Clone(m.Get("name").Body())}
	}
}

// partial returns the item at an index and creates it if needed. It returns nil if there are too many or the item was emitted.
func (re *responses) partial(index int64) *partialItem {
	a := &re.answers.answer.response
	if x := a.find(index); x != nil {
		return x
	}
	if a.has(index, "") {
		return nil
	}
	if len(a.partial) >= maxPartial {
		re.answers.dropped++
		return nil
	}
	x := &partialItem{index: index}
	a.partial = append(a.partial, x)
	return x
}

// itemDelta adds a piece to an item.
func (re *responses) itemDelta(r *record, kind string) {
	if !re.answers.answer.open {
		re.answers.begin()
	}
	x := re.partial(re.outputIndex(r))
	body := r.rest.Get("delta").Body()
	if x == nil || len(body) == 0 {
		return
	}
	if re.answers.answer.bytes > maxAnswerBytes {
		re.answers.dropped++
		return
	}
	re.answers.answer.bytes += len(body)
	switch kind {
	case "response.output_text.delta":
		x.text = append(x.text, body...)
	case "response.refusal.delta":
		x.refusal = append(x.refusal, body...)
	case "response.reasoning_text.delta", "response.reasoning_summary_text.delta":
		x.reasoning = append(x.reasoning, body...)
	default:
		if x.call == nil {
			return
		}
		if len(x.call.pieces) == 0 {
			x.call.pieces = append(x.call.pieces, '"')
		}
		x.call.pieces = append(x.call.pieces, body...)
	}
}

// maxPolledItems is the maximum number of items of a running response that are remembered.
const maxPolledItems = 4096

// polledItem is what was emitted of an item of a response that had not ended.
type polledItem struct {
	id       string
	answered bool // or never will be, for all items except calls that are still running
}

// poll emits the items of a response. A background response is fetched repeatedly until it has ended. Each item is
// emitted once: a call when it first appears, its result when it is complete.
func (re *responses) poll(r *record, pending bool) {
	key := re.key(r.id)
	items, known := re.polled.Get(key)
	before := len(items)
	for i, m := range r.output {
		id := re.Strings.Text(m.Get("id"))
		if id == "" {
			id = "#" + strconv.Itoa(i)
		}
		at := slices.IndexFunc(items[:before], func(t polledItem) bool { return t.id == id })
		switch {
		case at >= 0 && !items[at].answered && !isRunning(m):
			re.items.lateResult(m)
			items[at].answered = true
		case at >= 0 || pending && isUnfinishedMessage(m):
		default:
			re.items.item(m)
			if pending && len(items) < maxPolledItems {
				items = append(items, polledItem{id, !isRunning(m)})
			}
		}
	}
	if !pending {
		items = nil
	}
	if len(r.id.Body()) > 0 && (pending || known) {
		re.polled.Set(key, items)
	}
}

// isUnfinishedMessage reports whether an item is a text that will be complete when the response is fetched again.
func isUnfinishedMessage(m scan.Members) bool {
	return m.Get("type").Is("message") && m.Get("status").Is("in_progress")
}
