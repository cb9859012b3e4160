package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
)

// Prefixes of checkpoint keys; the stream ID follows.
const (
	FilePrefix = "file/"
	ItemPrefix = "item/"
)

// Checkpoint is what is stored of a stream: its identity, how far it was acknowledged, and the state of its consumer.
type Checkpoint struct {
	Stream string `json:"stream"`
	Path   string `json:"path"`
	Device uint64 `json:"device,omitempty"`
	Inode  uint64 `json:"inode,omitempty"`
	// Links are other paths of the file.
	Links []string `json:"links,omitempty"`
	File
	Item
	// Pending is true if the consumer has pending output that needs no further line.
	Pending bool   `json:"pending,omitempty"`
	State   []byte `json:"state,omitempty"`
	// Saved is the time of the call of Save, in Unix seconds.
	Saved int64 `json:"saved"`
	// Nanos is the nanosecond part of Saved. Of two files that had one inode, the one saved last has it.
	Nanos int `json:"nanos,omitempty"`
}

// File is how far a file of lines was read.
type File struct {
	Size    int64  `json:"size,omitempty"`
	MTime   int64  `json:"mtime,omitempty"`
	Offset  int64  `json:"offset,omitempty"`
	Head    uint64 `json:"head,omitempty"`
	HeadLen uint16 `json:"head_len,omitempty"`
	Tail    uint64 `json:"tail,omitempty"`
	TailLen uint8  `json:"tail_len,omitempty"`
	Discard bool   `json:"discard,omitempty"`
	// LostLink is true if another path of the file no longer leads to it.
	LostLink bool `json:"lost_link,omitempty"`
	// Begin is where the first delivered line begins.
	Begin int64 `json:"begin,omitempty"`
	// AtEnd is true if nothing follows Offset.
	AtEnd bool `json:"at_end,omitempty"`
}

// Item is how far a stream of a document or a database was acknowledged, in the terms of its source.
type Item struct {
	// Origin is where the item was first seen; the names of its streams derive from it.
	Origin string `json:"origin,omitempty"`
	// Key names the stream within the item.
	Key      string          `json:"key,omitempty"`
	Position json.RawMessage `json:"position,omitempty"`
}

// FileOf returns a position in its stored form.
func FileOf(p *fingerprint.Position) File {
	return File{Offset: p.Offset, Head: p.Head, HeadLen: p.HeadLen, Tail: p.Tail, TailLen: p.TailLen, Discard: p.Discard}
}

// At returns the stored position.
func (f *File) At() fingerprint.Position {
	return fingerprint.Position{Offset: f.Offset, Head: f.Head, HeadLen: f.HeadLen, Tail: f.Tail, TailLen: f.TailLen, Discard: f.Discard}
}

// ID returns the file ID.
func (c *Checkpoint) ID() fingerprint.FileID {
	return fingerprint.FileID{Device: c.Device, Inode: c.Inode}
}

// SavedAt returns when Save was called.
func (c *Checkpoint) SavedAt() time.Time { return time.Unix(c.Saved, int64(c.Nanos)) }

// StoreKey returns the key under which the checkpoint is stored.
func (c *Checkpoint) StoreKey() string {
	if c.Origin != "" {
		return ItemPrefix + c.Stream
	}
	return FilePrefix + c.Stream
}

// Encode returns the value to store.
func (c *Checkpoint) Encode() ([]byte, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode checkpoint: %w", err)
	}
	return Seal(body), nil
}

// Decode decodes the value of a key, completely or not at all.
func Decode(key string, value []byte) (*Checkpoint, error) {
	body, err := Unseal(value)
	if err != nil {
		return nil, err
	}
	var c Checkpoint
	if err := json.Unmarshal(body, &c); err != nil {
		return nil, fmt.Errorf("decode checkpoint: %w: %w", ErrBroken, err)
	}
	if err := c.check(key); err != nil {
		return nil, fmt.Errorf("decode checkpoint: %w: %w", ErrBroken, err)
	}
	return &c, nil
}

// check rejects values that this program can't have written.
func (c *Checkpoint) check(key string) error {
	switch {
	case c.Stream == "" || c.Path == "" || strings.HasPrefix(key, ItemPrefix) != (c.Origin != ""):
		return errors.New("no stream or path")
	case c.Offset < 0 || c.Begin < 0 || c.Begin > c.Offset || c.Size < 0:
		return fmt.Errorf("offset %d, begin %d, size %d", c.Offset, c.Begin, c.Size)
	case c.HeadLen > fingerprint.HeadSize || c.TailLen > fingerprint.TailSize || int64(c.TailLen) > c.Offset:
		return fmt.Errorf("head of %d bytes, tail of %d", c.HeadLen, c.TailLen)
	}
	return nil
}

// same reports whether nothing changed that requires a write.
func (c *Checkpoint) same(o *Checkpoint) bool {
	return c.Stream == o.Stream && c.Path == o.Path && c.ID() == o.ID() && slices.Equal(c.Links, o.Links) && c.File == o.File &&
		c.Origin == o.Origin && c.Key == o.Key && bytes.Equal(c.Position, o.Position) && c.Pending == o.Pending && bytes.Equal(c.State, o.State)
}
