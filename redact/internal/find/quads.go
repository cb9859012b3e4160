package find

import "github.com/tailspan/tailspan/redact/internal/text"

// quads is a set of sequences of four bytes, which ignores the case of letters. It may have more than were added, since
// it stores one bit for a hash of each.
type quads [1 << (quadBits - 6)]uint64

// quadBits is the length of the hash: the set then fits in the first-level cache of a processor.
const quadBits = 17

// quad returns the hash of the four bytes at i.
func quad[T text.Bytes](s T, i int) uint32 { return quadOf(s[i], s[i+1], s[i+2], s[i+3]) }

func quadOf(a, b, c, d byte) uint32 {
	const caseBits, scatter = 0x20202020, 0x9e3779b1
	return ((uint32(a) | uint32(b)<<8 | uint32(c)<<16 | uint32(d)<<24 | caseBits) * scatter) >> (32 - quadBits)
}

// has reports whether the set may have a sequence with the hash.
func (q *quads) has(hash uint32) bool { return q[hash>>6]>>(hash&63)&1 != 0 }

// maxQuads is the number of sequences that are added for one anchor at most: more would fill the set.
const maxQuads = 2048

// add adds all sequences of one byte of each list.
func (q *quads) add(of [4]string) {
	for _, a := range []byte(of[0]) {
		for _, b := range []byte(of[1]) {
			for _, c := range []byte(of[2]) {
				for _, d := range []byte(of[3]) {
					hash := quadOf(a, b, c, d)
					q[hash>>6] |= 1 << (hash & 63)
				}
			}
		}
	}
}

// quad returns the bytes that may be at offset i of an anchor, and at the three after it.
func (a *anchor) quad(i int) [4]string {
	return [4]string{a.bytes(i), a.bytes(i + 1), a.bytes(i + 2), a.bytes(i + 3)}
}

// isOpen reports whether there are more than maxQuads sequences of one byte of each list.
func isOpen(of [4]string) bool { return len(of[0])*len(of[1])*len(of[2])*len(of[3]) > maxQuads }
