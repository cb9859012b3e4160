package openai

import (
	"slices"
	"strconv"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// maxPolledItems is how many items of a response are remembered while it runs.
const maxPolledItems = 4096

// polledItem is what was emitted of an item of a response that had not ended.
type polledItem struct {
	id       string
	answered bool // or never will be: all but a call that the server still works on
}

// poll gives the items of a response. One that runs in the background is fetched again until it has ended: each item is
// emitted once, a call when it is first seen and its result when it is there.
func (p *Parser) poll(r *record, pending bool) {
	key := p.key(r.id)
	items, known := p.polled.Get(key)
	before := len(items)
	for i, m := range r.output {
		id := p.Strings.Text(m.Get("id"))
		if id == "" {
			id = "#" + strconv.Itoa(i)
		}
		at := slices.IndexFunc(items[:before], func(t polledItem) bool { return t.id == id })
		switch {
		case at >= 0 && !items[at].answered && !isRunning(m):
			p.lateResult(m)
			items[at].answered = true
		case at >= 0 || pending && isUnfinishedMessage(m):
		default:
			p.item(m)
			if pending && len(items) < maxPolledItems {
				items = append(items, polledItem{id, !isRunning(m)})
			}
		}
	}
	if !pending {
		items = nil
	}
	if len(r.id.Body()) > 0 && (pending || known) {
		p.polled.Set(key, items)
	}
}

// isUnfinishedMessage recognises a text that will come whole when the response is fetched again.
func isUnfinishedMessage(m scan.Members) bool {
	return m.Get("type").Is("message") && m.Get("status").Is("in_progress")
}
