package agentrenderexporter

import (
	"hash/maphash"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/reorder"
	"github.com/tailspan/tailspan/otlp"
)

const (
	// maxOrderedStreams is the number of streams whose next number is remembered, at 64 bytes each.
	maxOrderedStreams = 16384
	// entryOverhead is the size of an entry without its texts, in bytes.
	entryOverhead = 2048
)

// ordering sorts the records of each stream by number. A held record is acknowledged, because the sender of an earlier record
// may wait for that.
type ordering struct {
	seed    maphash.Seed
	window  time.Duration
	deliver func(*entry)
	buffer  *reorder.Buffer[*entry]
	expire  func()
	timer   *time.Timer // nil until something is held
	waiting bool        // the timer is set
}

func newOrdering(cfg *Config, deliver func(*entry), expire func()) *ordering {
	return &ordering{
		seed: maphash.MakeSeed(), window: cfg.ReorderWindow, deliver: deliver, expire: expire,
		buffer: reorder.New(reorder.Settings{
			Window: cfg.ReorderWindow, MaxBytes: int64(cfg.ReorderSize), MaxStreams: maxOrderedStreams,
		}, deliver),
	}
}

// stream returns the stream in which the records of a scope are numbered, or 0 if there is none.
func (o *ordering) stream(resourceKey string, scope pcommon.InstrumentationScope) uint64 {
	id, ok := scope.Attributes().Get(otlp.AttrStreamID)
	if !ok || o.window <= 0 {
		return 0
	}
	var h maphash.Hash
	h.SetSeed(o.seed)
	_, _ = h.WriteString(resourceKey) // writing to a hash can't fail
	_, _ = h.WriteString(id.AsString())
	return max(h.Sum64(), 1)
}

// add delivers a record, or holds it if an earlier one is missing. A nil entry is a record that is not rendered but has a
// number.
func (o *ordering) add(stream uint64, lr plog.LogRecord, e *entry) {
	number, ok := lr.Attributes().Get(otlp.AttrSequence)
	if stream == 0 || !ok || number.Type() != pcommon.ValueTypeInt {
		o.deliver(e)
		return
	}
	if o.buffer.Due(stream, number.Int()) {
		o.deliver(e)
		o.buffer.Passed(stream, number.Int())
		return
	}
	o.buffer.Hold(stream, number.Int(), e, e.size(), time.Now())
}

// wait sets the timer to when the next held record passes.
func (o *ordering) wait() {
	at, held := o.buffer.Deadline()
	switch {
	case held && !o.waiting:
		o.waiting = true
		if o.timer == nil {
			o.timer = time.AfterFunc(time.Until(at), o.expire)
			return
		}
		o.timer.Reset(time.Until(at))
	case !held && o.waiting:
		o.waiting = false
		o.timer.Stop()
	}
}

// expired delivers what was held for the window. It is called when the timer has fired.
func (o *ordering) expired(now time.Time) {
	o.waiting = false
	o.buffer.Expire(now)
}

// stop delivers everything.
func (o *ordering) stop() {
	o.buffer.Flush()
	o.wait()
}

// size returns the size of an entry in bytes.
func (e *entry) size() int64 {
	if e == nil {
		return entryOverhead
	}
	ev, t := &e.event, &e.event.Tool
	n := entryOverhead + len(e.line) + len(e.path) + len(e.key) + len(ev.Text) + len(ev.Reasoning) +
		len(t.Target) + len(t.Input) + len(t.Output) + len(t.Err) + len(t.Summary)
	if ev.End != nil {
		n += len(ev.End.Result) + len(ev.End.Err)
	}
	return int64(n + askSize(ev.Ask))
}

func askSize(a *events.Ask) (n int) {
	if a == nil {
		return 0
	}
	for _, q := range a.Questions {
		n += len(q.Prompt) + len(q.Header)
		for _, o := range q.Options {
			n += len(o.Label) + len(o.Description)
		}
	}
	return n
}
