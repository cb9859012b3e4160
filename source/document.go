package source

import (
	"bytes"
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

	"github.com/tailspan/tailspan/source/unpack"
)

// documentSettled is how old a change must be for a document's times to show the next one: file systems may tell them as
// coarsely as that.
const documentSettled = 100 * time.Millisecond

// documentPatience is how long a document that is not complete is taken for one that is being written, if nothing happens
// to it.
const documentPatience = 30 * time.Second

// documentStamp is how a document looks from outside.
type documentStamp struct {
	id          fileID
	size, mtime int64
}

// document is a file that is rewritten in place.
type document struct {
	path     string
	max      int
	observer *Observer
	logger   *zap.Logger
	open     opener

	stamp   documentStamp
	trusted bool // the stamp would show a change
	tooLong bool // it was counted
	// half is when it was first found not to be complete, as the stamp has it; zero if it is, or if toldHalf.
	half     time.Time
	toldHalf bool
	data     []byte
	sum      [sha256.Size]byte // of data
	last     [sha256.Size]byte // of what was accepted
	// again tells that what was accepted was so by an earlier process; wake, that it has to be given again although nothing
	// is new.
	again, wake bool
}

// documentPosition is what is kept of a document.
type documentPosition struct {
	Sum   []byte `json:"sum"` // of what was accepted
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime"`
	// Trusted tells that size and time would show a change.
	Trusted bool `json:"trusted,omitempty"`
}

// newDocument makes a document; skip leaves out what it holds now. known is what an earlier process knew of it, if one did.
func newDocument(s *PolledSettings, one found, skip bool, known *itemState) (*document, error) {
	d := &document{path: one.path, max: s.MaxDocumentSize, observer: &s.Settings.Observer, logger: s.Settings.Logger, open: s.Settings.Descriptors.counted(openFile)}
	if skip {
		d.stamp, d.trusted = documentStamp{one.id, one.size, one.mtime}, true
	}
	if known == nil {
		return d, nil
	}
	var at documentPosition
	if err := json.Unmarshal(known.Position, &at); err != nil || len(at.Sum) != sha256.Size {
		return nil, fmt.Errorf("position of document: %w", errors.Join(ErrBroken, err))
	}
	d.last, d.again, d.wake = [sha256.Size]byte(at.Sum), true, known.Open
	d.stamp, d.trusted = documentStamp{one.id, at.Size, at.MTime}, at.Trusted
	return d, nil
}

func (d *document) position(string) (json.RawMessage, error) {
	return json.Marshal(documentPosition{Sum: d.last[:], Size: d.stamp.size, MTime: d.stamp.mtime, Trusted: d.trusted})
}

func (d *document) changed() bool {
	if d.data != nil || !d.trusted || d.wake || d.halfForLong() {
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
	id, _ := idOf(info)
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
				d.observer.tooLong(d.path, size)
			}
			d.tooLong = true
			return batch{}, nil
		case !balanced(data):
			d.foundHalf(same, data)
			return batch{}, nil
		}
		d.tooLong, d.half, d.toldHalf = false, time.Time{}, false
		if d.sum = sha256.Sum256(data); d.sum == d.last && !d.wake {
			return batch{}, nil
		}
		d.data = data
	}
	size := int64(len(d.data))
	b := batch{bytes: size}
	if d.again {
		b.lines = append(b.lines, Line{Data: d.data, Next: size, Replayed: true})
	}
	if b.replayed = d.sum == d.last; !b.replayed {
		b.lines = append(b.lines, Line{Data: d.data, Next: size})
	}
	return b, nil
}

// halfForLong tells that a document is not complete although nothing happened to it for long.
func (d *document) halfForLong() bool {
	return !d.half.IsZero() && time.Since(d.half) >= documentPatience
}

// foundHalf takes note of a document that is not complete: it is being written, or, if that lasts, is no document.
func (d *document) foundHalf(same bool, data []byte) {
	empty := d.stamp.size == 0 || len(trimBlanks(data)) == 0 && !isCompressed(d.path) // there is nothing to be lost
	switch {
	case !same:
		d.half, d.toldHalf = time.Now(), false
	case d.toldHalf || empty:
		d.half = time.Time{}
	case d.half.IsZero():
		d.half = time.Now()
	case d.halfForLong():
		d.half, d.toldHalf = time.Time{}, true
		d.observer.incomplete(d.path, int64(len(data)))
		d.logger.Warn("A document is not one whole JSON object or array and is left out until it changes; if it holds JSON lines, "+
			"give it a name that ends in .jsonl", zap.String("path", d.path))
	}
}

// read gives the content, and its size; of one that is too large only a size over the limit.
func (d *document) read(at documentStamp) ([]byte, int64, error) {
	if !isCompressed(d.path) && at.size > int64(d.max) {
		return nil, at.size, nil
	}
	h, err := d.open(d.path)
	if err != nil {
		if errors.Is(err, errNotRegular) {
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

func (d *document) accept() { d.last, d.data, d.again, d.wake = d.sum, nil, false, false }

func (d *document) forget(string) { d.again = true }

func (d *document) move(path string) bool {
	d.path, d.trusted = path, false
	return true
}

func (d *document) close() error { return nil }

// byteOrderMark is that of UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

// balanced tells whether b is one JSON object or array from bracket to bracket, by counting brackets outside of strings.
// It is a check that nothing is missing at the end, not that the document is valid.
func balanced(b []byte) bool {
	b = trimBlanks(bytes.TrimPrefix(b, byteOrderMark))
	if len(b) > 0 && b[0] == '[' {
		return b[len(b)-1] == ']' && endsAt(b) == len(b)
	}
	return completeObject(b)
}
