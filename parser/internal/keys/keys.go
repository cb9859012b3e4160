// Package keys hashes the ids of a stream.
package keys

import (
	"hash/maphash"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// domainStep is how far the keys of different domains lie apart.
const domainStep = 0x9e3779b97f4a7c15

// Keys makes the keys of one stream's tables. Those of one byte string differ by domain, so that a line's id never
// meets a call's. 64 bits make a chance meeting among the entries of a table less likely than one in 10^9, and the
// seed, which is of this process alone, keeps anyone from writing a stream that makes two meet.
type Keys struct{ seed maphash.Seed }

// New makes the keys of a stream.
func New() Keys { return Keys{maphash.MakeSeed()} }

// Bytes makes a key of b as it stands.
func (k Keys) Bytes(domain byte, b []byte) uint64 {
	return maphash.Bytes(k.seed, b) + uint64(domain)*domainStep
}

// String makes the key that Bytes makes of the same bytes.
func (k Keys) String(domain byte, s string) uint64 {
	return maphash.String(k.seed, s) + uint64(domain)*domainStep
}

// Pair makes a key of two byte strings; ("ab","c") and ("a","bc") don't meet.
func (k Keys) Pair(domain byte, a, b []byte) uint64 { return k.With(k.Bytes(domain, a), b) }

// With makes a key of another key and b.
func (k Keys) With(key uint64, b []byte) uint64 {
	return (key^key>>32)*0xd6e8feb86659fd93 ^ maphash.Bytes(k.seed, b)
}

// ID makes a key of a string's text, from what is between its quotes: an id is the same however it is escaped. It
// is the key that Bytes and String make of the text itself.
func (k Keys) ID(domain byte, body []byte) uint64 {
	return scan.Hash(k.seed, body) + uint64(domain)*domainStep
}
