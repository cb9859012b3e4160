package reader

import (
	"bytes"
	"io"
	"time"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/files/stream"
)

// visit reads one file in one turn of a worker.
type visit struct {
	*Reader
	res     *Result
	handle  openfile.Handle
	at      int64 // offset of the next read
	spent   int64 // bytes read in this turn
	batch   int   // bytes of the lines that wait for delivery
	checked checked
	// joined is true if the beginning of the current line was delivered as an unterminated last line.
	joined bool
	// ended is true once the end of an over-limit first line was found.
	ended bool
	// eof is true if the last read reached the end of the file.
	eof bool
	// unsaved is true if lines were acknowledged whose checkpoint is not saved yet.
	unsaved bool
}

// checked is when the fingerprint was last compared.
type checked uint8

const (
	checkedNever  checked = iota
	checkedBefore         // before the last read
	checkedLast           // after the last read
)

func (v *visit) compressed() bool { return openfile.IsCompressed(v.res.Path) }

// unchecked records a read, after which the fingerprint has to be compared again.
func (v *visit) unchecked() { v.checked = min(v.checked, checkedBefore) }

// stopped is why a visit ends before the end of the file.
type stopped struct {
	outcome Outcome
	err     error
}

// readOn reads from the offset to the end, or until its turn is over.
func (r *Reader) readOn(res *Result) {
	res.Open.atEnd = false
	size := expected(res, r.Settings.BatchBytes)
	if r.InFlight.Acquire(r.Context, size) != nil {
		res.Outcome = OutcomeStopped
		return
	}
	defer r.InFlight.Release(size)
	r.split = r.splitters.of(size)
	defer r.split.Release() // the reader may be idle for long
	v := visit{Reader: r, res: res, handle: res.Open.handle}
	if s := v.run(); s != nil {
		res.Outcome, res.Err = s.outcome, s.err
		if s.outcome == OutcomeRewritten {
			r.close(res, stream.CloseReasonRewritten)
		}
		return
	}
	res.Outcome = OutcomeEnd
	o := res.Open
	o.atEnd = res.Pos.Ahead == 0 && !res.Pos.Discard
	if o.pending && o.consumer == nil || o.phase == phaseReplaying {
		if s := r.ready(res); s != nil {
			res.Outcome, res.Err = s.outcome, s.err
			return
		}
		o.idleDue = true
	}
	r.idle(res)
	if res.Outcome == OutcomeEnd && r.isOver(res) {
		r.close(res, stream.CloseReasonIdle)
		return
	}
	if res.Outcome == OutcomeEnd && o.SuspendsNow(r.Settings, res.Path, res.Pos.Offset, time.Since(time.Unix(0, res.MTime))) {
		o.suspend(r.Settings.SuspendAfter)
	}
}

// expected returns how many bytes a batch of a file will have: a whole batch if that is unknown.
func expected(res *Result, batch int) int64 {
	if openfile.IsCompressed(res.Path) {
		return int64(batch)
	}
	return min(max(res.Size-res.Pos.Offset, 1), int64(batch))
}

// run reads and delivers lines; the offset in the result moves as they are acknowledged. Nil means that the end was reached.
//
// A turn that has moved the offset ends after turnBytes. One that has not continues to the end of its line, which may be
// longer than a turn; otherwise the next turn would start at the same place and get no further. A line over the limit is not
// kept, so the next turn continues inside it, by seekNewline.
func (v *visit) run() *stopped {
	pos := &v.res.Pos
	if pos.Discard || !v.compressed() && v.longAhead() {
		if found, s := v.seekNewline(); s != nil || !found {
			return s
		}
	}
	if v.compressed() {
		if s := v.checkTail(); s != nil {
			return s
		}
	}
	begin := pos.Offset
	lead := int(min(begin, fingerprint.TailSize))
	v.split.Reset(pos.Offset, lead)
	v.at = pos.Offset - int64(lead)
	for first := true; ; first = false {
		n, err := v.fill()
		if first {
			if n < lead {
				return v.short(err)
			}
			v.joined = v.split.InLine()
		}
		if s := v.drain(); s != nil {
			return s
		}
		if (v.ended || v.compressed()) && v.Stop.Closed() {
			return &stopped{outcome: OutcomeStopped}
		}
		if v.checked == checkedNever {
			if s := v.check(); s != nil {
				return s
			}
		}
		switch {
		case v.eof:
			return v.atEnd()
		case err != nil:
			return &stopped{OutcomeFailed, err}
		case !v.compressed() && v.spent >= turnBytes && (pos.Offset > begin || v.split.TooLong() && !v.ended):
			pos.Ahead = v.split.Pending()
			return &stopped{outcome: OutcomeMore}
		}
	}
}

// short returns why a read does not even reach the offset.
func (v *visit) short(err error) *stopped {
	if err == nil || err == io.EOF { //nolint:errorlint // io.ReaderAt's contract
		return &stopped{outcome: OutcomeRewritten}
	}
	return &stopped{OutcomeFailed, err}
}

// fill reads once.
func (v *visit) fill() (int, error) {
	n, err := v.handle.ReadAt(v.split.Room(), v.at)
	v.split.Wrote(n)
	v.at += int64(n)
	v.spent += int64(n)
	v.eof = err == io.EOF //nolint:errorlint // io.ReaderAt's contract
	v.unchecked()
	return n, err
}

// drain delivers all complete lines of the buffer.
func (v *visit) drain() *stopped {
	batch := v.lines[:0]
	defer func() { clear(v.lines[:cap(v.lines)]) }()
	for {
		line, kind := v.split.Next()
		full := len(batch) == v.Settings.BatchLines || len(batch) > 0 && v.batch+len(line.Data) > v.Settings.BatchBytes
		if kind != lines.TokenLine || full {
			last := kind == lines.TokenNone && v.eof && v.split.Pending() == 0
			if s := v.deliver(batch, last); s != nil {
				return s
			}
			batch = batch[:0]
		}
		switch kind {
		case lines.TokenNone:
			return nil
		case lines.TokenTooLong:
			if s := v.long(line); s != nil {
				return s
			}
			continue
		}
		if v.joined {
			v.joined = false
			if len(lines.TrimBlanks(line.Data)) == 0 {
				// The newline of a line that was delivered without it.
				if s := v.pass(line.Next, v.split.Before(line.Next)); s != nil {
					return s
				}
				continue
			}
		}
		line.Live = v.res.Live
		batch = append(batch, line)
		v.batch += len(line.Data)
		v.lines = batch
	}
}

// long counts a line over the limit and delivers its abridged form, if there is one.
func (v *visit) long(line stream.Line) *stopped {
	v.joined = false
	var s *stopped
	if line.Data == nil {
		s = v.pass(line.Next, v.split.Before(line.Next))
	} else {
		line.Live = v.res.Live
		s = v.deliver([]stream.Line{line}, false)
	}
	if s == nil {
		v.Settings.Observer.Skipped(v.res.Path, stream.SkipReasonTooLong, line.Next-line.Offset)
	}
	return s
}

// deliver sends lines to the consumer, perhaps the last of the file. The offset moves only after the acknowledgment.
func (v *visit) deliver(lines []stream.Line, last bool) *stopped {
	v.batch = 0
	if len(lines) == 0 {
		return nil
	}
	if v.Stop.Closed() {
		return &stopped{outcome: OutcomeStopped}
	}
	if s := v.check(); s != nil {
		return s
	}
	if v.unsaved {
		v.save(v.res)
		v.unsaved = false
	}
	if s := v.send(v.res, lines, last); s != nil {
		return s
	}
	v.unsaved = true
	next := lines[len(lines)-1].Next
	v.Settings.Observer.Read(v.res.Path, len(lines), next-lines[0].Offset)
	v.res.Read = true
	v.res.Pos.Move(next, v.split.Before(next))
	return nil
}

// pass moves the offset over bytes that are not delivered.
func (v *visit) pass(next int64, before []byte) *stopped {
	if s := v.check(); s != nil {
		return s
	}
	v.res.Pos.Move(next, before)
	return nil
}

// check compares the fingerprint after a read, because a file that is rewritten while it is read must not yield lines that mix
// old and new bytes. Compressed files are written once, so their tail is compared once.
func (v *visit) check() *stopped {
	if v.checked == checkedLast {
		return nil
	}
	if !v.compressed() {
		n, err := v.handle.ReadAt(v.head[:], 0)
		if err != nil && err != io.EOF { //nolint:errorlint // io.ReaderAt's contract
			return &stopped{OutcomeFailed, err}
		}
		if !v.res.Pos.SameHead(v.head[:n]) {
			return &stopped{outcome: OutcomeRewritten}
		}
		if s := v.checkTail(); s != nil {
			return s
		}
		v.res.Pos.Extend(v.head[:n])
	}
	v.checked = checkedLast
	return nil
}

// checkTail compares the bytes before the offset with those that were read.
func (v *visit) checkTail() *stopped {
	same, err := v.res.Pos.HoldsTail(v.handle)
	switch {
	case err != nil:
		return &stopped{OutcomeFailed, err}
	case !same:
		return &stopped{outcome: OutcomeRewritten}
	}
	return nil
}

// atEnd handles what follows the last newline.
func (v *visit) atEnd() *stopped {
	pos := &v.res.Pos
	pos.Ahead = v.split.Pending()
	if pos.Ahead == 0 {
		return nil
	}
	rest := v.split.Unfinished()
	switch {
	case v.compressed() && rest == nil:
		return v.long(v.split.TakeLong())
	case v.compressed(), rest != nil && v.flushing() && lines.CompleteObject(rest):
		line := v.split.Take()
		line.Live = v.res.Live
		return v.deliver([]stream.Line{line}, false)
	}
	v.res.Tail = rest != nil
	return nil
}

// longAhead reports whether so much of an unfinished line was read that its end is searched for before it is read again. A
// line that may be flushed has to be read, unless it is over the limit anyway.
func (v *visit) longAhead() bool {
	ahead := v.res.Pos.Ahead
	return ahead > int64(v.Settings.MaxLineSize) || ahead > int64(v.Settings.BatchBytes/2) && !v.flushing()
}

// flushing reports whether an unfinished line has been unchanged for long enough to be flushed.
func (v *visit) flushing() bool {
	idle := v.Settings.IdleFlush
	return idle >= 0 && (v.res.Flush || time.Since(time.Unix(0, v.res.MTime)) >= idle)
}

// seekNewline searches for the end of a long or skipped line without keeping the line. If it returns true, the offset is at
// the beginning of a line to be read.
func (v *visit) seekNewline() (bool, *stopped) {
	pos := &v.res.Pos
	if s := v.check(); s != nil {
		return false, s
	}
	info, err := v.handle.Stat()
	if err != nil {
		return false, &stopped{OutcomeFailed, err}
	}
	if info.Size() < pos.Offset+pos.Ahead {
		pos.Ahead = 0 // the unfinished line was truncated
	}
	v.split.Reset(0, 0)
	for buf := v.split.Buffer(); ; {
		at := pos.Offset + pos.Ahead
		n, err := v.handle.ReadAt(buf, at)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return true, v.foundNewline(at + int64(i))
		}
		pos.Ahead += int64(n)
		v.spent += int64(n)
		if v.Stop.Closed() {
			return false, &stopped{outcome: OutcomeStopped}
		}
		switch {
		case err == io.EOF: //nolint:errorlint // io.ReaderAt's contract
			v.res.Tail = !pos.Discard && pos.Ahead <= int64(v.Settings.MaxLineSize)
			return false, nil
		case err != nil:
			return false, &stopped{OutcomeFailed, err}
		case v.spent >= turnBytes:
			return false, &stopped{outcome: OutcomeMore}
		}
	}
}

// foundNewline moves the offset past a skipped line, or lets a long one be read.
func (v *visit) foundNewline(newline int64) *stopped {
	pos := &v.res.Pos
	if !pos.Discard {
		// The line is read from its beginning now. If it is over the limit it is not kept, so the turn must not end inside it.
		v.ended, pos.Ahead = newline-pos.Offset > int64(v.Settings.MaxLineSize), 0
		return nil
	}
	var before [fingerprint.TailSize]byte
	k := min(newline+1, fingerprint.TailSize)
	if n, err := v.handle.ReadAt(before[:k], newline+1-k); int64(n) < k {
		return v.short(err)
	}
	v.unchecked()
	return v.pass(newline+1, before[:k])
}
