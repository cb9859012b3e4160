package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"sync"
)

// Names assigns IDs to streams. It is safe for concurrent use.
type Names struct {
	mu    sync.Mutex
	taken map[string]struct{}
}

// NewNames returns Names with no ID taken.
func NewNames() *Names { return &Names{taken: map[string]struct{}{}} }

// Name takes an ID derived from where the file was first seen and from its first line. Files that would have the same ID are
// numbered, such as a file that was moved away and a new one with the same first line in its place.
func (n *Names) Name(path string, firstLine []byte) string {
	return n.Take(IDOf(path, firstLine))
}

// IDOf returns the ID without a number.
func IDOf(path string, firstLine []byte) string {
	h := sha256.New()
	h.Write([]byte(filepath.ToSlash(path)))
	h.Write([]byte{0})
	h.Write(firstLine)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Vacant reports whether no followed file has the ID.
func (n *Names) Vacant(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, taken := n.taken[id]
	return !taken
}

// Take takes an ID, or a numbered one if it is taken.
func (n *Names) Take(plain string) string {
	if plain == "" {
		return ""
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	id := plain
	for i := 2; ; i++ {
		if _, ok := n.taken[id]; !ok {
			n.taken[id] = struct{}{}
			return id
		}
		id = fmt.Sprintf("%s-%d", plain, i)
	}
}

// Free releases an ID, so that a file that is created again in the same way gets it again.
func (n *Names) Free(id string) {
	if id == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.taken, id)
}
