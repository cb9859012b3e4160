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

// settledAfter is how old a change must be for the next one to show in the document's times: the resolution of a file system
// may be that coarse.
const settledAfter = 100 * time.Millisecond

// Patience is how long an incomplete document that does not change counts as being written.
const Patience = 30 * time.Second

// stamp is the result of stat for a document.
type stamp struct {
	id          fingerprint.FileID
	size, mtime int64
}

// DocumentSettings configures how documents are read and who is notified of skipped ones.
type DocumentSettings struct {
	// MaxSize is the size in bytes, after decompression, above which a document is skipped.
	MaxSize int
	Open    openfile.Opener
	// TooLong and Incomplete report a skipped document and its size.
	TooLong, Incomplete func(path string, bytes int64)
}

// Document is a file that is rewritten in place.
type Document struct {
	path     string
	settings DocumentSettings

	stamp   stamp
	trusted bool // a change would show in the stamp
	state   content
	since   time.Time // when contentPartial began
	data    []byte
	sum     [sha256.Size]byte // of data
	last    [sha256.Size]byte // of the acknowledged content
	replay  replay
}

// content is the state of a document when it was last read.
type content uint8

const (
	contentComplete  content = iota // or empty
	contentPartial                  // incomplete with this stamp, so being written
	contentBroken                   // incomplete for longer than Patience, and reported
	contentOversized                // over the limit, and reported
)

// replay is whether the acknowledged content has to be replayed.
type replay uint8

const (
	replayNone      replay = iota
	replayBeforeNew        // before new content
	replayNow              // even if nothing is new
)

// documentPosition is what is stored of a document.
type documentPosition struct {
	Sum   []byte `json:"sum"` // of the acknowledged content
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime"`
	// Trusted is true if a change would show in size and time.
	Trusted bool `json:"trusted,omitempty"`
}

// NewDocument returns a document. If skip is true, its present content is not delivered. known is its checkpoint, or nil.
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

// Position returns a hash of the acknowledged content, and the stamp.
func (d *Document) Position(string) json.RawMessage {
	at, _ := json.Marshal(documentPosition{Sum: d.last[:], Size: d.stamp.size, MTime: d.stamp.mtime, Trusted: d.trusted}) // numbers
	return at
}

// Changed reports whether the stamp changed or the document has to be read again.
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

// Next reads the document, unless it is too large, incomplete, or unchanged.
func (d *Document) Next(context.Context) (Batch, error) {
	if d.data == nil {
		d.trusted = false
		before, err := stampDocument(d.path)
		if err != nil {
			return Batch{}, err
		}
		data, size, err := d.read(before)
		if err != nil && !unpack.Broken(err) { // a truncated file is still being written
			return Batch{}, err
		}
		after, err := stampDocument(d.path)
		if err != nil {
			return Batch{}, err
		}
		if before != after {
			return Batch{}, nil // read it again soon
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
		case !lines.Balanced(data) && !lines.IsUTF16(data): // UTF-16 has no brackets to count; the consumer reports it
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

// notePartial records that a document is incomplete: it is being written or, if that lasts, is not a document.
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

// read returns the content and its size. For a document that is too large it returns only a size over the limit.
func (d *Document) read(at stamp) ([]byte, int64, error) {
	if !openfile.IsCompressed(d.path) && at.size > int64(d.settings.MaxSize) {
		return nil, at.size, nil
	}
	h, err := d.settings.Open(d.path)
	if err != nil {
		if errors.Is(err, openfile.ErrNotRegular) {
			err = fs.ErrNotExist // it is no longer a document
		}
		return nil, 0, err
	}
	data, err := io.ReadAll(io.NewSectionReader(h, 0, int64(d.settings.MaxSize)+1))
	if err = errors.Join(err, h.Close()); err != nil {
		return nil, 0, fmt.Errorf("read %q: %w", d.path, err)
	}
	return data, int64(len(data)), nil
}

// Acknowledge records that the consumer acknowledged the content.
func (d *Document) Acknowledge() { d.last, d.data, d.replay = d.sum, nil, replayNone }

// Release makes the content be replayed before new content.
func (d *Document) Release(string) { d.replay = max(d.replay, replayBeforeNew) }

// Move follows the document to another path.
func (d *Document) Move(path string) bool {
	d.path, d.trusted = path, false
	return true
}

// Close does nothing, because a document is open only while it is read.
func (d *Document) Close() error { return nil }
