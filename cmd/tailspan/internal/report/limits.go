package report

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

// Limits bound a report.
type Limits struct {
	// ContentBytes bounds the input and the output of a call separately, in bytes.
	ContentBytes int
	// TextBytes bounds one message of the agent or its user, in bytes.
	TextBytes int
	// ReportBytes bounds all contents together, in bytes. Newer runs take precedence; runs without room are only listed.
	ReportBytes int
	// HeldBytes bounds the contents of all runs that are read, shown or not, in bytes. Beyond it only the beginning of a content
	// is kept.
	HeldBytes int
	// Items bounds the items of all runs together, in the same way.
	Items int
}

// DefaultLimits returns limits that keep a report below about 3 MB.
func DefaultLimits() Limits {
	return Limits{ContentBytes: 8 << 10, TextBytes: 64 << 10, ReportBytes: 1 << 20, HeldBytes: 256 << 20, Items: 2500}
}

// content makes a Content of a text. Size is that of the original in bytes, if the caller knows it.
func content(text string, limit, size int, cut bool) Content {
	if !cut {
		size = max(size, len(text))
	}
	if len(text) > limit {
		for limit > 0 && !utf8.RuneStart(text[limit]) {
			limit--
		}
		text, cut = text[:limit], true
	}
	return Content{Text: render.Sanitize(text), Size: size, Cut: cut}
}

// shorten cuts a content to a limit.
func (c *Content) shorten(limit int) {
	if len(c.Text) > limit {
		*c = content(c.Text, limit, c.Size, false)
	}
}

// minContent is the smallest limit to which contents are cut, in bytes.
const minContent = 256

// Fit shortens the newest run to the limits and leaves out the items of older runs that have no room.
func (l *Limits) Fit(runs []*Run) {
	items, bytes := l.Items, l.ReportBytes
	for i, run := range slices.Backward(runs) {
		if i == len(runs)-1 {
			l.fit(run)
		}
		nItems, nBytes := run.size()
		if i < len(runs)-1 && (nItems > items || nBytes > bytes) {
			run.Items, run.Omitted = nil, true
			continue
		}
		items, bytes = items-nItems, bytes-nBytes
	}
}

// fit shortens one run until it fits alone: first the lists of its agents' items, then its contents.
func (l *Limits) fit(run *Run) {
	nItems, nBytes := run.size()
	if nItems > l.Items {
		share := max(l.Items/(1+run.Agents), 2)
		run.Each(func(a *Agent) { a.thin(share) })
	}
	for limit := l.TextBytes; nBytes > l.ReportBytes && limit >= minContent; limit /= 2 {
		run.contents(func(c *Content) { c.shorten(limit) })
		_, nBytes = run.size()
	}
}

// thin leaves out items in the middle of an agent's list until about n are left. It keeps failures and items with sub-agents.
func (a *Agent) thin(n int) {
	if len(a.Items) <= n {
		return
	}
	kept, left := a.Items[:0:0], 0
	for i, item := range a.Items {
		if i >= n/2 && i < len(a.Items)-n/2 && !item.stays() {
			left++
			continue
		}
		if i == len(a.Items)-n/2 && left > 0 {
			kept = append(kept, &Item{
				ID: "left-" + a.ID, Kind: events.KindPhase, At: item.At, Text: Content{Text: fmt.Sprintf("%d items are left out here", left)},
			})
		}
		kept = append(kept, item)
	}
	a.Items = kept
}

// stays reports whether an item failed or has sub-agents.
func (item *Item) stays() bool {
	switch {
	case item.Call != nil:
		return item.Call.Failed || item.Call.Denied || len(item.Call.Agents) > 0
	case item.Agent != nil, item.Chat != nil:
		return true
	default:
		return item.Kind == events.KindNotice && item.Level == events.LevelError
	}
}

// size returns the number of items of a run and the bytes of its contents.
func (r *Run) size() (items, bytes int) {
	r.Each(func(a *Agent) { items += len(a.Items) })
	r.contents(func(c *Content) { bytes += len(c.Text) })
	return items, bytes
}

// contents calls f with each content of a run.
func (r *Run) contents(f func(*Content)) {
	r.Each(func(a *Agent) {
		for _, item := range a.Items {
			f(&item.Text)
			if item.Call != nil {
				f(&item.Call.Input)
				f(&item.Call.Output)
			}
		}
	})
}

// Each calls f with the agent of a run and with each of its sub-agents.
func (r *Run) Each(f func(*Agent)) { r.Agent.each(f) }

func (a *Agent) each(f func(*Agent)) {
	f(a)
	for _, item := range a.Items {
		for _, sub := range item.Agents() {
			sub.each(f)
		}
	}
}

// Agents returns the sub-agents that an item shows.
func (item *Item) Agents() []*Agent {
	switch {
	case item.Agent != nil:
		return []*Agent{item.Agent}
	case item.Call != nil:
		return item.Call.Agents
	default:
		return nil
	}
}
