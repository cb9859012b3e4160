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
)

// mayRest tells whether a file that was read to an offset was quiet for long enough for its consumer to be asked to rest.
// One that was written long ago was so as soon as it is read.
func (f *file) mayRest(s *Settings, offset int64, quiet time.Duration) bool {
	length := offset - f.begin
	if f.consumer == nil || f.resting || f.replaying || f.owesIdle || !f.begun || !s.Replay || s.RestAfter < 0 ||
		length > restLimit || isCompressed(f.path) {
		return false
	}
	after := max(s.RestAfter, time.Duration(length)*time.Second/restSpeed)
	return quiet >= after<<f.rests && !time.Now().Before(f.restAt)
}

// rest lets the consumer rest, if it will. One that won't is asked again later.
func (r *reader) rest(res *result) {
	f := res.file
	c, ok := f.consumer.(Resting)
	if f.resting = ok && c.Rest(); f.resting {
		f.rests = min(f.rests+1, restDoubles)
		return
	}
	f.restAt = time.Now().Add(r.settings.RestAfter)
}

// wake has the lines replayed that the consumer has let go of.
func (f *file) wake() {
	if f.resting {
		f.resting, f.replaying, f.replayAt = false, true, f.begin
	}
}
