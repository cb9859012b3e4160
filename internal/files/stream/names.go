package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"sync"
)

// Names assigns ids to streams. It is safe for use by many goroutines.
type Names struct {
	mu    sync.Mutex
	taken map[string]struct{}
}

// NewNames makes names of which none is taken.
func NewNames() *Names { return &Names{taken: map[string]struct{}{}} }

// Name makes an id from where the file was seen first and what its first line is. Two files that would have the same
// one (a file was moved away and another with the same first line made in its place) are numbered.
func (n *Names) Name(path string, firstLine []byte) string {
	return n.Take(IDOf(path, firstLine))
}

// IDOf is the id without a number.
func IDOf(path string, firstLine []byte) string {
	h := sha256.New()
	h.Write([]byte(filepath.ToSlash(path)))
	h.Write([]byte{0})
	h.Write(firstLine)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Vacant reports whether no followed file has an id.
func (n *Names) Vacant(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, taken := n.taken[id]
	return !taken
}

// Take takes an id, or a numbered one if it is taken.
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

// Free releases an id, so that a file that is created again in the same way gets it again.
func (n *Names) Free(id string) {
	if id == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.taken, id)
}
