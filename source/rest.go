package source

import "time"

// Resting is a [Consumer] that can let go of what it remembers of its lines, and be given them again.
type Resting interface {
	// Rest is asked when nothing came for long ([Settings.RestAfter]), by the goroutine that calls the others. If it says
	// yes, all lines that were accepted come again before the next one, marked [Line.Replayed]. Close may come without
	// them, and State may be asked.
	Rest() bool
}

const (
	// restSpeed, in bytes a second, is how much longer a longer file has to be quiet before its consumer rests: lines are
	// replayed at some hundred times that speed, so waking takes a percent of the time that the file was quiet at most.
	restSpeed = 2 << 20
	// restLimit is the size of a file whose consumer never rests: waking it would take a noticeable time.
	restLimit = 64 << 20
	// restDoubles bounds how often the time doubles that a file must be quiet, which it does with each rest: a file to
	// which something comes every few minutes is read again a few times and not for ever.
	restDoubles = 6
	// crowd is how many consumers may be awake before those that were read longest ago are asked to rest: at once the first
	// time, as most of thousands of files are written no more, or not soon; and from then on after RestAfter / crowdHaste,
	// and longer with each rest, so that files that are at work by turns are not read again all the time.
	crowd      = 512
	crowdHaste = 10
	// crowdLook is how many of them are looked at in one go.
	crowdLook = 64
)

// mayRest tells whether the consumer of a file that was read to an offset, and quiet since, may be asked to rest, and in what
// time: the file has to be quiet for no less than least. One that was written long ago was quiet as soon as it is read.
func (f *file) mayRest(s *Settings, least time.Duration, offset int64, quiet time.Duration) (in time.Duration, may bool) {
	length := offset - f.begin
	if f.consumer == nil || f.resting || f.replaying || f.owesIdle || !f.begun || !s.Replay || s.RestAfter < 0 ||
		length > restLimit || isCompressed(f.path) {
		return 0, false
	}
	after := max(least, time.Duration(1000*length/restSpeed)*time.Millisecond) << f.rests
	return max(after-quiet, time.Until(f.restAt)), true
}

// restsAfter tells whether the consumer may be asked to rest by the usual rule, its file having been quiet for so long.
func (f *file) restsAfter(s *Settings, offset int64, quiet time.Duration) bool {
	in, may := f.mayRest(s, s.RestAfter, offset, quiet)
	return may && in <= 0
}

// isOver reports whether the consumer of a file that was read to its end can be closed at once: the file was written to last
// longer ago than IdleClose, and nothing of it is owed. Should it grow all the same, its lines are replayed.
func (r *reader) isOver(res *result) bool {
	f := res.file
	if res.kind != jobRead || res.tail || !f.isOld(&r.settings, res.pos.offset, res.mtime) {
		return false
	}
	f.keepState()
	return !f.open
}

// isOld reports whether nobody has written to the file for IdleClose, and its lines can be replayed in a moment.
func (f *file) isOld(s *Settings, offset, mtime int64) bool {
	_, stateful := f.consumer.(Stateful)
	return stateful && s.IdleClose > 0 && s.Replay && !f.replaying && !f.owesIdle && offset-f.begin <= restLimit &&
		!isCompressed(f.path) && time.Since(time.Unix(0, mtime)) >= s.IdleClose
}

// rest lets the consumer rest, if it will. One that won't is not asked again for a while.
func (r *reader) rest(res *result, again time.Duration) {
	f := res.file
	c, ok := f.consumer.(Resting)
	if f.resting = ok && c.Rest(); f.resting {
		f.rests = min(f.rests+1, restDoubles)
		return
	}
	f.restAt = time.Now().Add(again)
}

// wake has the lines replayed that the consumer has let go of.
func (f *file) wake() {
	if f.resting {
		f.resting, f.replaying, f.replayAt = false, true, f.begin
	}
}

// awoke notes whether a file's consumer is awake after a worker had it, and has the quietest rest if too many are.
func (t *table) awoke(f *file, read bool) {
	switch {
	case f.consumer == nil || f.resting:
		if f.awake != nil {
			t.awake.Remove(f.awake)
			f.awake = nil
		}
	case f.awake == nil:
		f.awake = t.awake.PushFront(f)
	case read:
		t.awake.MoveToFront(f.awake)
	}
	if t.awake.Len() > crowd && t.settings.RestAfter > 0 && t.settings.Replay {
		t.thin()
	}
}

// thin asks some of those that are awake and too many to rest, the ones that were read longest ago. If one of them has to be
// quiet for a little longer, it comes back then.
func (t *table) thin() {
	now, haste, comesBack := time.Now(), t.settings.RestAfter/crowdHaste, false
	e := t.awake.Back()
	for n := min(crowdLook, t.awake.Len()-crowd); n > 0; n-- {
		f := e.Value.(*file)
		e = e.Prev()
		if f.busy || f.queued {
			continue
		}
		least := time.Duration(0)
		if f.rests > 0 {
			least = haste
		}
		in, may := f.mayRest(&t.settings, least, f.pos.offset, now.Sub(f.lastRead))
		may = may && in <= haste && f.state == stateFollowed && f.tries == 0 && !f.tail
		switch {
		case may && in <= 0:
			t.askToRest(f, haste)
			continue
		case may && !comesBack:
			if comesBack = true; f.wakeSlot < 0 {
				t.arm(f, now.Add(in))
			}
		}
		if !may || now.Before(f.restAt) {
			t.awake.MoveToFront(f.awake) // it won't for now, so others have their turn
		}
	}
}

// askToRest has a worker ask the consumer, before anything is read: what is read would be more to hold. If it won't, it is
// not asked again for a while.
func (t *table) askToRest(f *file, again time.Duration) {
	f.flush, f.evict, f.rest, f.restAgain = false, false, true, again
	f.queued = true
	t.sleepy = append(t.sleepy, f)
}
