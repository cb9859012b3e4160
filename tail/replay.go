package tail

import (
	"io"

	"github.com/tailspan/tailspan/internal/files/lines"
)

// replay delivers the acknowledged lines again, from where the last replay stopped. It reads with a buffer of its own, since
// new lines may wait in the worker's.
func (r *reader) replay(res *result) *stopped {
	f, end := res.file, res.pos.Offset
	split := r.split.Sibling()
	defer split.Release()
	split.Reset(f.stream.replayAt, 0)
	at := f.stream.replayAt
	for at < end {
		room := split.Room()
		n, err := f.stream.handle.ReadAt(room[:min(int64(len(room)), end-at)], at)
		split.Wrote(n)
		at += int64(n)
		if s := r.replayLines(res, split, at == end); s != nil {
			return s
		}
		switch {
		case err == nil || at == end:
		case err == io.EOF: //nolint:errorlint // io.ReaderAt's contract
			return &stopped{outcome: outcomeRewritten}
		default:
			return &stopped{outcomeFailed, err}
		}
	}
	f.stream.phase = phaseLive
	return nil
}

// replayLines returns the lines of the buffer, with last also one that was taken without its newline.
func (r *reader) replayLines(res *result, split *lines.Splitter, last bool) *stopped {
	var batch []Line
	for {
		line, kind := split.Next()
		switch kind {
		case lines.TokenTooLong:
			if line.Data == nil {
				continue // it was skipped then
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
		if len(batch) > 0 && (kind == lines.TokenNone || len(batch) >= r.settings.BatchLines) {
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

func (r *reader) replayBatch(res *result, lines []Line) *stopped {
	select {
	case <-r.stop:
		return &stopped{outcome: outcomeStopped}
	default:
	}
	if err := res.file.stream.consumer.Lines(r.ctx, lines); err != nil {
		return &stopped{outcomeRefused, err}
	}
	res.file.stream.replayAt = lines[len(lines)-1].Next
	return nil
}
