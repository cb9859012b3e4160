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

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/files/unpack"
)

// settledAfter is how old a change must be for a document's times to show the next one: the resolution of file systems
// may be as coarse as that.
const settledAfter = 100 * time.Millisecond

// Patience is how long an incomplete document that does not change counts as being written.
const Patience = 30 * time.Second

// stamp is what stat reports of a document.
type stamp struct {
	id          fingerprint.FileID
	size, mtime int64
}

// DocumentSettings say how documents are read, and what reports those that are skipped.
type DocumentSettings struct {
	// MaxSize is the size in bytes, after decompression, over which a document is skipped.
	MaxSize int
	Open    openfile.Opener
	// TooLong and Incomplete report a document that is skipped, and its size.
	TooLong, Incomplete func(path string, bytes int64)
}

// Document is a file that is rewritten in place.
type Document struct {
	path     string
	settings DocumentSettings

	stamp   stamp
	trusted bool // the stamp would show a change
	state   content
	since   time.Time // of contentPartial
	data    []byte
	sum     [sha256.Size]byte // of data
	last    [sha256.Size]byte // of the acknowledged content
	replay  replay
}

// content is the state of a document when it was last read.
type content uint8

const (
	contentComplete  content = iota // or empty
	contentPartial                  // incomplete with this stamp: it is being written
	contentBroken                   // incomplete for longer than Patience, and reported
	contentOversized                // over the limit, and reported
)

// replay says whether the acknowledged content has to be replayed.
type replay uint8

const (
	replayNone      replay = iota
	replayBeforeNew        // before new content
	replayNow              // although nothing is new
)

// documentPosition is what is kept of a document.
type documentPosition struct {
	Sum   []byte `json:"sum"` // of the acknowledged content
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime"`
	// Trusted is true if size and time would show a change.
	Trusted bool `json:"trusted,omitempty"`
}

// NewDocument makes a document; skip leaves its present content out. known is its checkpoint, or nil.
func NewDocument(s DocumentSettings, one discover.Found, skip bool, known *checkpoint.Checkpoint) (*Document, error) {
	d := &Document{path: one.Path, settings: s}
	if skip {
		d.stamp, d.trusted = stamp{one.ID, one.Size, one.MTime}, true
	}
	if known == nil {
		return d, nil
	}
	var at documentPosition
	if err := json.Unmarshal(known.Position, &at); err != nil || len(at.Sum) != sha256.Size {
		return nil, fmt.Errorf("position of document: %w", errors.Join(checkpoint.ErrBroken, err))
	}
	d.last, d.replay = [sha256.Size]byte(at.Sum), replayBeforeNew
	if known.Pending {
		d.replay = replayNow
	}
	d.stamp, d.trusted = stamp{one.ID, at.Size, at.MTime}, at.Trusted && !known.Pending
	return d, nil
}

// Position is a hash of the acknowledged content, and the stamp.
func (d *Document) Position(string) json.RawMessage {
	at, _ := json.Marshal(documentPosition{Sum: d.last[:], Size: d.stamp.size, MTime: d.stamp.mtime, Trusted: d.trusted}) // numbers
	return at
}

// Changed reports whether the stamp is another one, or the document has to be read again.
func (d *Document) Changed() bool {
	if d.data != nil || !d.trusted || d.isOverdue() {
		return true
	}
	now, err := stampDocument(d.path)
	return err != nil || now != d.stamp
}

func stampDocument(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

func stampOf(info fs.FileInfo) stamp {
	id, _ := fingerprint.IDOf(info)
	return stamp{id, info.Size(), info.ModTime().UnixNano()}
}

// Next reads the document, unless it is too large, half-written, or what it was.
func (d *Document) Next(context.Context) (Batch, error) {
	if d.data == nil {
		d.trusted = false
		before, err := stampDocument(d.path)
		if err != nil {
			return Batch{}, err
		}
		data, size, err := d.read(before)
		if err != nil && !unpack.Broken(err) { // what breaks off is still being written
			return Batch{}, err
		}
		after, err := stampDocument(d.path)
		if err != nil {
			return Batch{}, err
		}
		if before != after {
			return Batch{}, nil // soon
		}
		same := d.stamp == after
		d.stamp = after
		d.trusted = time.Since(time.Unix(0, after.mtime)).Abs() >= settledAfter
		switch {
		case size > int64(d.settings.MaxSize):
			if d.state != contentOversized {
				d.settings.TooLong(d.path, size)
			}
			d.state = contentOversized
			return Batch{}, nil
		case !lines.Balanced(data):
			d.notePartial(same, data)
			return Batch{}, nil
		}
		d.state = contentComplete
		if d.sum = sha256.Sum256(data); d.sum == d.last && d.replay != replayNow {
			return Batch{}, nil
		}
		d.data = data
	}
	size := int64(len(d.data))
	b := Batch{Bytes: size}
	if d.replay != replayNone {
		b.Lines = append(b.Lines, lines.Line{Data: d.data, Next: size, Replayed: true})
	}
	if b.Replayed = d.sum == d.last; !b.Replayed {
		b.Lines = append(b.Lines, lines.Line{Data: d.data, Next: size})
	}
	return b, nil
}

// isOverdue reports whether a document has been incomplete for longer than Patience.
func (d *Document) isOverdue() bool {
	return d.state == contentPartial && time.Since(d.since) >= Patience
}

// notePartial records that a document is incomplete: it is being written or, if that lasts, is no document.
func (d *Document) notePartial(sameStamp bool, data []byte) {
	empty := d.stamp.size == 0 || len(lines.TrimBlanks(data)) == 0 && !openfile.IsCompressed(d.path) // nothing is lost
	switch {
	case sameStamp && d.state == contentBroken:
	case sameStamp && empty:
		d.state = contentComplete
	case !sameStamp || d.state != contentPartial:
		d.state, d.since = contentPartial, time.Now()
	case d.isOverdue():
		d.state = contentBroken
		d.settings.Incomplete(d.path, int64(len(data)))
	}
}

// read returns the content, and its size; of one that is too large only a size over the limit.
func (d *Document) read(at stamp) ([]byte, int64, error) {
	if !openfile.IsCompressed(d.path) && at.size > int64(d.settings.MaxSize) {
		return nil, at.size, nil
	}
	h, err := d.settings.Open(d.path)
	if err != nil {
		if errors.Is(err, openfile.ErrNotRegular) {
			err = fs.ErrNotExist // no document any more
		}
		return nil, 0, err
	}
	data, err := io.ReadAll(io.NewSectionReader(h, 0, int64(d.settings.MaxSize)+1))
	if err = errors.Join(err, h.Close()); err != nil {
		return nil, 0, fmt.Errorf("read %q: %w", d.path, err)
	}
	return data, int64(len(data)), nil
}

// Acknowledge records that the consumer accepted the content.
func (d *Document) Acknowledge() { d.last, d.data, d.replay = d.sum, nil, replayNone }

// Release has the content replayed before new content.
func (d *Document) Release(string) { d.replay = max(d.replay, replayBeforeNew) }

// Move follows the document to another path.
func (d *Document) Move(path string) bool {
	d.path, d.trusted = path, false
	return true
}

// Close does nothing: a document is open only while it is read.
func (d *Document) Close() error { return nil }
