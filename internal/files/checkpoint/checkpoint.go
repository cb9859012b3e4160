package checkpoint

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

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
	if !gjson.ValidBytes(body) {
		return nil, fmt.Errorf("decode checkpoint: %w: invalid JSON", ErrBroken)
	}
	var c Checkpoint
	gjson.ParseBytes(body).ForEach(func(name, v gjson.Result) bool {
		err = c.set(name.Str, &v)
		return err == nil
	})
	if err == nil {
		err = c.check(key)
	}
	if err != nil {
		return nil, fmt.Errorf("decode checkpoint: %w: %w", ErrBroken, err)
	}
	return &c, nil
}

// set sets a field by its name in JSON. A start decodes a checkpoint for each known file; encoding/json takes three times as long.
func (c *Checkpoint) set(name string, v *gjson.Result) (err error) {
	switch name {
	case "stream":
		c.Stream = strings.Clone(v.Str)
	case "path":
		c.Path = strings.Clone(v.Str)
	case "device":
		c.Device = v.Uint()
	case "inode":
		c.Inode = v.Uint()
	case "links":
		v.ForEach(func(_, link gjson.Result) bool {
			c.Links = append(c.Links, strings.Clone(link.Str))
			return true
		})
	case "size":
		c.Size = v.Int()
	case "mtime":
		c.MTime = v.Int()
	case "offset":
		c.Offset = v.Int()
	case "head":
		c.Head = v.Uint()
	case "head_len":
		c.HeadLen = uint16(min(v.Uint(), math.MaxUint16))
	case "tail":
		c.Tail = v.Uint()
	case "tail_len":
		c.TailLen = uint8(min(v.Uint(), math.MaxUint8))
	case "discard":
		c.Discard = v.Bool()
	case "lost_link":
		c.LostLink = v.Bool()
	case "begin":
		c.Begin = v.Int()
	case "at_end":
		c.AtEnd = v.Bool()
	case "origin":
		c.Origin = strings.Clone(v.Str)
	case "key":
		c.Key = strings.Clone(v.Str)
	case "position":
		c.Position = json.RawMessage(v.Raw)
	case "pending":
		c.Pending = v.Bool()
	case "state":
		c.State, err = base64.StdEncoding.DecodeString(v.Str)
	case "saved":
		c.Saved = v.Int()
	case "nanos":
		c.Nanos = int(v.Int())
	}
	return err
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
