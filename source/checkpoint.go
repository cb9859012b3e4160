package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/source/internal/fingerprint"
)

// checkpointPrefix begins the keys of checkpoints; the stream's id follows.
const checkpointPrefix = "file/"

// checkpointVersion is the version of the format. A value is
//
//	"tailspan-checkpoint " version " " checksum "\n" JSON
//
// where checksum is the CRC-32 (IEEE) of the JSON in hexadecimal. Fields may be added within a version.
const checkpointVersion = 2

const checkpointMagic = "tailspan-checkpoint "

var (
	// ErrNewer: a value was written by a newer version of the program.
	ErrNewer = errors.New("written by a newer version")
	// ErrOlder: a value was written by an older version of the program, in a format that is not read any more.
	ErrOlder = errors.New("written by an older version")
	// ErrBroken: a value is not what was written.
	ErrBroken = errors.New("broken")
)

// checkpoint is what is stored of a file: its identity, how far it was read, and the state of its consumer.
type checkpoint struct {
	Stream string `json:"stream"`
	Path   string `json:"path"`
	Device uint64 `json:"device,omitempty"`
	Inode  uint64 `json:"inode,omitempty"`
	Size   int64  `json:"size"`
	MTime  int64  `json:"mtime"`

	Offset  int64  `json:"offset"`
	Head    uint64 `json:"head"`
	HeadLen uint16 `json:"head_len"`
	Tail    uint64 `json:"tail"`
	TailLen uint8  `json:"tail_len"`
	Discard bool   `json:"discard,omitempty"`
	// Links are other paths of the file.
	Links []string `json:"links,omitempty"`
	// LostLink is true if it had another one that led to it no more.
	LostLink bool `json:"lost_link,omitempty"`
	// Begin is where the first delivered line begins.
	Begin int64 `json:"begin,omitempty"`
	// AtEnd is true if nothing follows Offset.
	AtEnd bool `json:"at_end,omitempty"`

	// Pending is true if the consumer has pending output that needs no further line.
	Pending bool   `json:"pending,omitempty"`
	State   []byte `json:"state,omitempty"`
	// Saved is the time of the write, in Unix seconds.
	Saved int64 `json:"saved"`
	// Nanos are those of Saved: of two files that had one inode, the one that was saved last has it.
	Nanos int `json:"nanos,omitempty"`
}

// encode returns the value to be stored.
func (c *checkpoint) encode() ([]byte, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode checkpoint: %w", err)
	}
	return seal(body), nil
}

// seal puts version and checksum before a value.
func seal(body []byte) []byte {
	head := fmt.Sprintf("%s%d %08x\n", checkpointMagic, checkpointVersion, crc32.ChecksumIEEE(body))
	return append([]byte(head), body...)
}

// unseal returns what was sealed.
func unseal(value []byte) ([]byte, error) {
	line, body, found := strings.Cut(string(value), "\n")
	rest, ours := strings.CutPrefix(line, checkpointMagic)
	version, sum, two := strings.Cut(rest, " ")
	n, err := strconv.Atoi(version)
	switch {
	case !ours || err != nil:
		return nil, fmt.Errorf("decode checkpoint: %w: no version", ErrBroken)
	case n > checkpointVersion:
		return nil, fmt.Errorf("decode checkpoint: %w: format %d, known up to %d", ErrNewer, n, checkpointVersion)
	case n < checkpointVersion:
		return nil, fmt.Errorf("decode checkpoint: %w: format %d, known from %d", ErrOlder, n, checkpointVersion)
	case !found || !two:
		return nil, fmt.Errorf("decode checkpoint: %w: no checksum", ErrBroken)
	}
	if want, err := strconv.ParseUint(sum, 16, 32); err != nil || uint32(want) != crc32.ChecksumIEEE([]byte(body)) {
		return nil, fmt.Errorf("decode checkpoint: %w: checksum does not fit", ErrBroken)
	}
	return []byte(body), nil
}

// decodeCheckpoint reads a value; it uses a value whole or not at all.
func decodeCheckpoint(value []byte) (checkpoint, error) {
	var c checkpoint
	body, err := unseal(value)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return checkpoint{}, fmt.Errorf("decode checkpoint: %w: %w", ErrBroken, err)
	}
	if err := c.check(); err != nil {
		return checkpoint{}, fmt.Errorf("decode checkpoint: %w: %w", ErrBroken, err)
	}
	return c, nil
}

// check rejects what no run of this program can have written.
func (c *checkpoint) check() error {
	switch {
	case c.Stream == "" || c.Path == "":
		return errors.New("no stream or path")
	case c.Offset < 0 || c.Begin < 0 || c.Begin > c.Offset || c.Size < 0:
		return fmt.Errorf("offset %d, begin %d, size %d", c.Offset, c.Begin, c.Size)
	case c.HeadLen > fingerprint.HeadSize || c.TailLen > fingerprint.TailSize || int64(c.TailLen) > c.Offset:
		return fmt.Errorf("head of %d bytes, tail of %d", c.HeadLen, c.TailLen)
	}
	return nil
}

func (c *checkpoint) position() fingerprint.Position {
	return fingerprint.Position{
		Offset: c.Offset, Head: c.Head, HeadLen: c.HeadLen, Tail: c.Tail, TailLen: c.TailLen, Discard: c.Discard,
	}
}

// saved is what the store has of a file, or would have: kept to see what changed.
type saved struct {
	path     string
	id       fingerprint.FileID // none, if what has it now is another file
	pos      fingerprint.Position
	size     int64
	mtime    int64
	begin    int64
	atEnd    bool
	pending  bool
	links    string // other paths, as [joinNames] has them
	lostLink bool
	state    string
	at       time.Time // when it was written
	took     time.Duration
}

// restored returns what is needed to compare with later.
func (c *checkpoint) restored() *saved {
	return &saved{
		path: c.Path, id: fingerprint.FileID{Device: c.Device, Inode: c.Inode}, pos: c.position(), size: c.Size, mtime: c.MTime, begin: c.Begin, atEnd: c.AtEnd,
		pending: c.Pending, links: joinNames(c.Links), lostLink: c.LostLink, state: string(c.State), at: time.Unix(c.Saved, int64(c.Nanos)),
	}
}

// same reports whether nothing changed that needs a write.
func (s *saved) same(other *saved) bool {
	a, b := *s, *other
	a.at, a.took, a.pos.Ahead = time.Time{}, 0, 0
	b.at, b.took, b.pos.Ahead = time.Time{}, 0, 0
	return a == b
}
