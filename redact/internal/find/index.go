package find

import (
	_ "embed"
	"sync"

	"github.com/tailspan/tailspan/redact/internal/text"
)

// sample is text of the kinds that agents read and write. The index is built so that few of its pairs match.
//
//go:embed sample.txt
var sample string

// place is an anchor and the offset of one of its pairs in the table. One more byte of the anchor, outside of the
// pair, excludes most false matches without comparing the whole anchor.
type place struct {
	near       int8 // offset of that byte from the pair
	mask, want byte // byte|mask must be want; the mask ignores the case, or everything
	back       int8
	bucket     uint8 // bit number in index.first and index.next
	anchor     *anchor
}

func newPlace(a *anchor, back int) place {
	p := place{back: int8(back), anchor: a}
	switch {
	case back > 0:
		p.near = -1
	case back+4 < len(a.word):
		p.near = 4
	default: // the two pairs cover the anchor
		p.mask, p.want = 0xff, 0xff
		return p
	}
	p.want = a.word[back+int(p.near)]
	if a.fold && p.want >= 'a' && p.want <= 'z' {
		p.mask = 'a' - 'A'
	}
	return p
}

// index finds anchors by two consecutive pairs of bytes. Each anchor is in a bucket, which is a bit: first has the buckets
// of the anchors that contain a pair, next those of the anchors that may have the pair after that one. An anchor is
// possible only where first of a pair and next of the following pair share a bit. Then the list of the pair is compared.
type index struct {
	first, next *[1 << 16]uint16
	quads       *quads
	pairs       *[1 << 16]uint8 // number of the pair's list in places, 0 for none
	places      []place         // by list; list n is from starts[n] to starts[n+1]
	starts      [257]uint16
}

const (
	// listControl is the list of the pairs that contain a control byte.
	listControl = 1
	// ownLists is the number of lists that serve a single set of anchors; pairs of rare bytes share the others.
	ownLists = 216
	// shortWord is the length up to which an anchor's pairs may begin before it, in bytes: it has too few pairs.
	shortWord = 4
	// bucketOpen is the bucket of anchors that are not in quads, because they have too many.
	bucketOpen = 14
	// bucketAny is the bucket of anchors whose pair may be followed by any other.
	bucketAny = 15
)

// builtIn returns the index of everything built in. It never changes.
var builtIn = sync.OnceValues(func() (index, error) {
	all, err := anchors()
	if err != nil {
		return index{}, err
	}
	return newIndex(all, choicesOf(all)), nil
})

// of returns the places of a list.
func (x *index) of(list uint8) []place { return x.places[x.starts[list]:x.starts[int(list)+1]] }

// pair returns the number of the pair at i.
func pair[T text.Bytes](s T, i int) uint16 { return pairOf(s[i], s[i+1]) }

// pairOf returns the number of the pair of two bytes.
func pairOf(first, second byte) uint16 { return uint16(first) | uint16(second)<<8 }
