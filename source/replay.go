package source

import "io"

// replay delivers the acknowledged lines again, from where the last replay stopped. It reads with a buffer of its own, since
// new lines may wait in the worker's.
func (r *reader) replay(res *result) *stopped {
	f, end := res.file, res.pos.Offset
	split := newSplitter(r.split.buffers, r.settings.MaxLineSize)
	defer split.release()
	split.reset(f.replayAt, 0)
	at := f.replayAt
	for at < end {
		room := split.room()
		n, err := f.handle.ReadAt(room[:min(int64(len(room)), end-at)], at)
		split.wrote(n)
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
	f.replaying = false
	return nil
}

// replayLines returns the lines of the buffer, with last also one that was taken without its newline.
func (r *reader) replayLines(res *result, split *splitter, last bool) *stopped {
	var lines []Line
	for {
		line, kind := split.next()
		switch kind {
		case tokenTooLong:
			if line.Data == nil {
				continue // it was skipped then
			}
			line.Replayed = true
			lines = append(lines, line)
		case tokenLine:
			line.Replayed = true
			lines = append(lines, line)
		case tokenNone:
			if last && split.unfinished() != nil {
				line = split.take()
				line.Replayed = true
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 && (kind == tokenNone || len(lines) >= r.settings.BatchLines) {
			if s := r.replayBatch(res, lines); s != nil {
				return s
			}
			lines = lines[:0]
		}
		if kind == tokenNone {
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
	if err := res.file.consumer.Lines(r.ctx, lines); err != nil {
		return &stopped{outcomeRefused, err}
	}
	res.file.replayAt = lines[len(lines)-1].Next
	return nil
}
