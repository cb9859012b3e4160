package reader

import (
	"io"

	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/internal/files/stream"
)

// replay delivers the acknowledged lines again, from where the last replay stopped. It uses a separate buffer, because the
// worker's may hold new lines.
func (r *Reader) replay(res *Result) *stopped {
	o, end := res.Open, res.Pos.Offset
	split := r.splitters.of(end - o.replayAt).Sibling()
	defer split.Release()
	split.Reset(o.replayAt, 0)
	at := o.replayAt
	for at < end {
		room := split.Room()
		n, err := o.handle.ReadAt(room[:min(int64(len(room)), end-at)], at)
		split.Wrote(n)
		at += int64(n)
		if s := r.replayLines(res, split, at == end); s != nil {
			return s
		}
		switch {
		case err == nil || at == end:
		case err == io.EOF: //nolint:errorlint // io.ReaderAt's contract
			return &stopped{outcome: OutcomeRewritten}
		default:
			return &stopped{OutcomeFailed, err}
		}
	}
	o.phase = phaseLive
	return nil
}

// replayLines delivers the lines of the buffer. If last is true, that includes a line taken without its newline.
func (r *Reader) replayLines(res *Result, split *lines.Splitter, last bool) *stopped {
	var batch []stream.Line
	for {
		line, kind := split.Next()
		switch kind {
		case lines.TokenTooLong:
			if line.Data == nil {
				continue // it was skipped the first time too
			}
			line.Replayed = true
			batch = append(batch, line)
		case lines.TokenLine:
			line.Replayed = true
			batch = append(batch, line)
		case lines.TokenNone:
			if last && split.Unfinished() != nil {
				line = split.Take()
				line.Replayed = true
				batch = append(batch, line)
			}
		}
		if len(batch) > 0 && (kind == lines.TokenNone || len(batch) >= r.Settings.BatchLines) {
			if s := r.replayBatch(res, batch); s != nil {
				return s
			}
			batch = batch[:0]
		}
		if kind == lines.TokenNone {
			return nil
		}
	}
}

func (r *Reader) replayBatch(res *Result, lines []stream.Line) *stopped {
	if r.Stop.Closed() {
		return &stopped{outcome: OutcomeStopped}
	}
	if err := res.Open.consumer.Lines(r.Context, lines); err != nil {
		return &stopped{OutcomeRefused, err}
	}
	res.Open.replayAt = lines[len(lines)-1].Next
	return nil
}
