package exported

import (
	"crypto/sha256"
	"slices"
)

// Chain is a hash of all raw lines of a stream, by which a line is identified: logs of two jobs often begin alike and have lines in common.
// The zero value is that of a new stream.
type Chain struct {
	sum   []byte
	again bool // lines are read again, from the first on
}

// NewChain returns the chain of an earlier process, by its state.
func NewChain(state []byte) Chain { return Chain{sum: slices.Clone(state)} }

// State returns the hash for a state, or nil if there was no line.
func (c *Chain) State() []byte { return slices.Clone(c.sum) }

// Next adds a line. A reader that reads lines again begins with the first.
func (c *Chain) Next(again bool, data []byte) []byte {
	if again && !c.again {
		c.sum = nil
	}
	c.again = again
	line := sha256.Sum256(data)
	sum := sha256.Sum256(append(line[:], c.sum...))
	c.sum = sum[:16]
	return c.sum
}
