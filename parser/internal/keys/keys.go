// Package keys hashes the IDs of a stream.
package keys

import (
	"hash/maphash"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// domainStep is the distance between the keys of neighbouring domains.
const domainStep = 0x9e3779b97f4a7c15

// Keys creates the keys of one stream's tables. Equal byte strings have different keys in different domains, so that
// the ID of a line never collides with that of a call. With 64 bits, an accidental collision within a table is less
// likely than one in 10^9. The seed is random for each process, so that nobody can write a stream with colliding IDs.
type Keys struct{ seed maphash.Seed }

// New returns the keys of a stream.
func New() Keys { return Keys{maphash.MakeSeed()} }

// Bytes returns the key of b, without unescaping it.
func (k Keys) Bytes(domain byte, b []byte) uint64 {
	return maphash.Bytes(k.seed, b) + uint64(domain)*domainStep
}

// String returns the key that Bytes returns for the same bytes.
func (k Keys) String(domain byte, s string) uint64 {
	return maphash.String(k.seed, s) + uint64(domain)*domainStep
}

// Pair returns the key of two byte strings. ("ab","c") and ("a","bc") have different keys.
func (k Keys) Pair(domain byte, a, b []byte) uint64 { return k.With(k.Bytes(domain, a), b) }

// With returns the key of another key and b.
func (k Keys) With(key uint64, b []byte) uint64 {
	return (key^key>>32)*0xd6e8feb86659fd93 ^ maphash.Bytes(k.seed, b)
}

// ID returns the key of a string's text from the bytes between its quotes. It does not depend on how the text is
// escaped, and equals the key that Bytes and String return for the text itself.
func (k Keys) ID(domain byte, body []byte) uint64 {
	return scan.Hash(k.seed, body) + uint64(domain)*domainStep
}
