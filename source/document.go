package source

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/source/internal/checkpoint"
	"github.com/tailspan/tailspan/source/internal/discover"
	"github.com/tailspan/tailspan/source/internal/fingerprint"
	"github.com/tailspan/tailspan/source/internal/lines"
	"github.com/tailspan/tailspan/source/internal/openfile"
	"github.com/tailspan/tailspan/source/unpack"
)

// documentSettled is how old a change must be for a document's times to show the next one: the resolution of file systems
// may be as coarse as that.
const documentSettled = 100 * time.Millisecond

// documentPatience is how long an incomplete document that does not change counts as being written.
const documentPatience = 30 * time.Second

// documentStamp is what stat reports of a document.
type documentStamp struct {
	id          fingerprint.FileID
	size, mtime int64
}

// document is a file that is rewritten in place.
type document struct {
	path     string
	max      int
	observer *Observer
	logger   *zap.Logger
	open     openfile.Opener

	stamp   documentStamp
	trusted bool // the stamp would show a change
	tooLong bool // it was counted
	// half is when it was first found to be incomplete with this stamp; zero if it is complete, or if halfReported.
	half         time.Time
	halfReported bool
	data         []byte
	sum          [sha256.Size]byte // of data
	last         [sha256.Size]byte // of the acknowledged content
	replay       documentReplay
}

// documentReplay says whether the acknowledged content has to be replayed.
type documentReplay uint8

const (
	replayNone      documentReplay = iota
	replayBeforeNew                // before new content
	replayNow                      // although nothing is new
)

// documentPosition is what is kept of a document.
type documentPosition struct {
	Sum   []byte `json:"sum"` // of the acknowledged content
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime"`
	// Trusted is true if size and time would show a change.
	Trusted bool `json:"trusted,omitempty"`
}

// newDocument makes a document; skip leaves its present content out. known is its checkpoint, or nil.
func newDocument(s *PolledSettings, one discover.Found, skip bool, known *checkpoint.Checkpoint) (*document, error) {
	d := &document{path: one.Path, max: s.MaxDocumentSize, observer: &s.Settings.Observer, logger: s.Settings.Logger, open: s.Settings.Descriptors.Counted(openfile.Open)}
	if skip {
		d.stamp, d.trusted = documentStamp{one.ID, one.Size, one.MTime}, true
	}
	if known == nil {
		return d, nil
	}
	var at documentPosition
	if err := json.Unmarshal(known.Position, &at); err != nil || len(at.Sum) != sha256.Size {
		return nil, fmt.Errorf("position of document: %w", errors.Join(ErrBroken, err))
	}
	d.last, d.replay = [sha256.Size]byte(at.Sum), replayBeforeNew
	if known.Pending {
		d.replay = replayNow
	}
	d.stamp, d.trusted = documentStamp{one.ID, at.Size, at.MTime}, at.Trusted
	return d, nil
}

func (d *document) position(string) json.RawMessage {
	at, _ := json.Marshal(documentPosition{Sum: d.last[:], Size: d.stamp.size, MTime: d.stamp.mtime, Trusted: d.trusted}) // numbers
	return at
}

func (d *document) changed() bool {
	if d.data != nil || !d.trusted || d.replay == replayNow || d.halfTooLong() {
		return true
	}
	now, err := stampDocument(d.path)
	return err != nil || now != d.stamp
}

func stampDocument(path string) (documentStamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return documentStamp{}, err
	}
	return stampOf(info), nil
}

func stampOf(info fs.FileInfo) documentStamp {
	id, _ := fingerprint.IDOf(info)
	return documentStamp{id, info.Size(), info.ModTime().UnixNano()}
}

// next reads the document, unless it is too large, half-written, or what it was.
func (d *document) next(context.Context) (batch, error) {
	if d.data == nil {
		d.trusted = false
		before, err := stampDocument(d.path)
		if err != nil {
			return batch{}, err
		}
		data, size, err := d.read(before)
		if err != nil && !unpack.Broken(err) { // what breaks off is still being written
			return batch{}, err
		}
		after, err := stampDocument(d.path)
		if err != nil {
			return batch{}, err
		}
		if before != after {
			return batch{}, nil // soon
		}
		same := d.stamp == after
		d.stamp = after
		d.trusted = time.Since(time.Unix(0, after.mtime)).Abs() >= documentSettled
		switch {
		case size > int64(d.max):
			if !d.tooLong {
				d.observer.Skipped(d.path, SkipReasonTooLong, size)
			}
			d.tooLong = true
			return batch{}, nil
		case !lines.Balanced(data):
			d.noteHalf(same, data)
			return batch{}, nil
		}
		d.tooLong, d.half, d.halfReported = false, time.Time{}, false
		if d.sum = sha256.Sum256(data); d.sum == d.last && d.replay != replayNow {
			return batch{}, nil
		}
		d.data = data
	}
	size := int64(len(d.data))
	b := batch{bytes: size}
	if d.replay != replayNone {
		b.lines = append(b.lines, Line{Data: d.data, Next: size, Replayed: true})
	}
	if b.replayed = d.sum == d.last; !b.replayed {
		b.lines = append(b.lines, Line{Data: d.data, Next: size})
	}
	return b, nil
}

// halfTooLong reports whether a document is incomplete although it has not changed for long.
func (d *document) halfTooLong() bool {
	return !d.half.IsZero() && time.Since(d.half) >= documentPatience
}

// noteHalf records that a document is incomplete: it is being written, or, if that lasts, is no document.
func (d *document) noteHalf(same bool, data []byte) {
	empty := d.stamp.size == 0 || len(lines.TrimBlanks(data)) == 0 && !openfile.IsCompressed(d.path) // there is nothing to be lost
	switch {
	case !same:
		d.half, d.halfReported = time.Now(), false
	case d.halfReported || empty:
		d.half = time.Time{}
	case d.half.IsZero():
		d.half = time.Now()
	case d.halfTooLong():
		d.half, d.halfReported = time.Time{}, true
		d.observer.Skipped(d.path, SkipReasonIncomplete, int64(len(data)))
		d.logger.Warn("skipping incomplete document until it changes", zap.String("path", d.path),
			zap.String("advice", "a document is one whole JSON object or array; name a file of JSON lines .jsonl"))
	}
}

// read returns the content, and its size; of one that is too large only a size over the limit.
func (d *document) read(at documentStamp) ([]byte, int64, error) {
	if !openfile.IsCompressed(d.path) && at.size > int64(d.max) {
		return nil, at.size, nil
	}
	h, err := d.open(d.path)
	if err != nil {
		if errors.Is(err, openfile.ErrNotRegular) {
			err = fs.ErrNotExist // no document any more
		}
		return nil, 0, err
	}
	data, err := io.ReadAll(io.NewSectionReader(h, 0, int64(d.max)+1))
	if err = errors.Join(err, h.Close()); err != nil {
		return nil, 0, fmt.Errorf("read %q: %w", d.path, err)
	}
	return data, int64(len(data)), nil
}

func (d *document) acknowledge() { d.last, d.data, d.replay = d.sum, nil, replayNone }

func (d *document) release(string) { d.replay = max(d.replay, replayBeforeNew) }

func (d *document) move(path string) bool {
	d.path, d.trusted = path, false
	return true
}

func (d *document) close() error { return nil }
