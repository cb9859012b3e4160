package poll

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/errorlog"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/openfile"
)

const (
	// pollShare bounds the cost of polls triggered by events: after a poll that took d, the next one waits pollShare times d,
	// but no longer than until the next regular poll.
	pollShare = 9
	// changeWait is the time until the next poll after one that was too early because something was being written.
	changeWait = 100 * time.Millisecond
)

// run polls items until it is stopped: all of them at each interval, and changed ones in between.
func (p *Poller) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var events <-chan fsnotify.Event
	var watchErrors <-chan error
	if p.watch != nil {
		events, watchErrors = p.watch.Events, p.watch.Errors
	}
	nextAll := time.Now()
	for {
		begin := time.Now()
		all := !begin.Before(nextAll)
		more := p.round(ctx, all)
		if p.lifecycle.Stop().Closed() {
			return
		}
		if all {
			nextAll = time.Now().Add(pollPause(p.settings.Shared.PollInterval, time.Since(begin)))
		}
		next := time.Now() // a large database must not delay events, state to be saved or new files
		if !more {
			next = p.nextWake(nextAll)
			p.states.expire(p.items)
		}
		timer.Reset(max(0, time.Until(next)))
		select {
		case <-p.lifecycle.Stop():
			return
		case <-timer.C:
		case event := <-events:
			p.event(event)
		case err := <-watchErrors:
			if err != nil { // the event queue overflowed, or watching failed otherwise
				p.settings.Shared.Logger.Debug("events of watched folders were lost, polling all sources", zap.Error(err))
				nextAll = time.Now()
			}
		case <-p.dirty.Signal():
			for _, n := range p.dirty.Take() {
				if s := n.item.streams[n.key]; s != nil {
					p.save(n.item, n.key, s)
				}
			}
		}
		if !time.Now().Before(p.nextFind()) {
			p.find(ctx, false)
		}
	}
}

// round polls items and reports whether some have more at once.
func (p *Poller) round(ctx context.Context, all bool) (more bool) {
	now := time.Now()
	for _, it := range slices.Clone(p.items) {
		woken := !it.wakeAt.IsZero() && !now.Before(it.wakeAt) || it.tries > 0 && !now.Before(it.retryAt)
		if !all && !it.due && !woken {
			continue
		}
		if p.lifecycle.Stop().Closed() {
			return false
		}
		begin := time.Now()
		if woken || all {
			it.wakeAt = time.Time{}
		}
		it.due = p.turn(ctx, it)
		it.notBefore = time.Now().Add(min(pollShare*time.Since(begin), p.settings.Shared.PollInterval))
		more = more || it.due
	}
	return more
}

// pollPause returns the pause before the next round of all: polls take a twentieth of the time, but it is at most 10 intervals.
func pollPause(interval, took time.Duration) time.Duration {
	return max(interval, min(20*took, 10*interval))
}

// nextWake returns when something has to be done next if no event arrives.
func (p *Poller) nextWake(nextAll time.Time) time.Time {
	next := nextAll
	if find := p.nextFind(); find.Before(next) {
		next = find
	}
	for _, it := range p.items {
		if it.tries > 0 && it.retryAt.Before(next) {
			next = it.retryAt
		}
		if !it.wakeAt.IsZero() && it.wakeAt.Before(next) {
			next = it.wakeAt
		}
	}
	return next
}

// event handles a file system event.
func (p *Poller) event(event fsnotify.Event) {
	path := event.Name
	it := p.byPath[path]
	if it == nil {
		it = p.byPath[strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(path, "-wal"), "-shm"), "-journal")]
	}
	if it != nil && event.Op != fsnotify.Chmod {
		it.wakeIn(max(0, time.Until(it.notBefore)))
	}
	if event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) {
		p.watch.Unwatch(path)
	}
	if it == nil && event.Has(fsnotify.Create) && p.finder.mayHold(path) {
		p.search.soon = true
	}
}

// nextFind returns when the folders are scanned next.
func (p *Poller) nextFind() time.Time {
	if p.search.soon {
		return p.search.ended.Add(20 * p.search.took)
	}
	return p.search.ended.Add(max(p.settings.Shared.PollInterval, 50*p.search.took))
}

// find scans for sources.
func (p *Poller) find(ctx context.Context, atStart bool) {
	begin := time.Now()
	p.search.soon = false
	ids := map[fingerprint.FileID]*item{}
	for _, it := range p.items {
		if it.id != (fingerprint.FileID{}) {
			ids[it.id] = it
		}
	}
	replaced := map[*item]discover.Found{}
	p.finder.watch(p.watch)
	p.finder.find(p.lifecycle.Stop(), func(kind itemKind, one discover.Found) {
		if it := p.byPath[one.Path]; it != nil {
			if one.ID != it.id {
				replaced[it] = one
			}
			return
		}
		if same := ids[one.ID]; same != nil && one.ID != (fingerprint.FileID{}) && kind == same.kind {
			if !fingerprint.LeadsTo(same.path, same.id) && same.source.Move(one.Path) { // otherwise it is another name for it
				delete(p.byPath, same.path)
				same.path, same.missingSince = one.Path, time.Time{}
				p.byPath[one.Path] = same
				p.watch.Add(filepath.Dir(one.Path))
			}
			return
		}
		p.watch.Add(filepath.Dir(one.Path)) // before it is read
		it, err := p.newItem(ctx, kind, one, atStart)
		if err != nil {
			p.failed(one.Path, err, p.settings.Shared.PollInterval)
			return // retried by the next scan
		}
		p.byPath[one.Path], ids[one.ID] = it, it
		p.items = append(p.items, it)
	}, func(err error) { p.failed(errorlog.PathOf(err), err, p.settings.Shared.PollInterval) })
	for it, one := range replaced {
		if it.path == one.Path { // otherwise the followed file was renamed and another took its place
			it.id = one.ID
		}
	}
	p.search.ended = time.Now()
	p.search.took = p.search.ended.Sub(begin)
}

// failed reports an error.
func (p *Poller) failed(path string, err error, retryIn time.Duration) {
	if openfile.NoneLeft(err) {
		p.settings.Shared.Descriptors.Exhaust()
	}
	p.settings.Shared.Observer.Failed(path, err, retryIn)
	p.errorLog.Unreadable(path, err)
}
