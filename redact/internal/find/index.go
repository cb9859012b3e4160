package find

import (
	_ "embed"
	"sync"

	"github.com/tailspan/tailspan/redact/internal/text"
)

// sample is text of the kinds that agents read and write. The index is built such that few of its pairs match.
//
//go:embed sample.txt
var sample string

// place is an anchor and the offset in it of a pair that is in the table. One more byte of the anchor, beside the
// pair, excludes most pairs that are elsewhere without comparing the whole.
type place struct {
	near       int8 // offset of that byte from the pair
	mask, want byte // the byte or mask is want; the mask takes the case off, or everything
	back       int8
	bucket     uint8 // number of its bit in index.first and index.next
	anchor     *anchor
}

func newPlace(a *anchor, back int) place {
	p := place{back: int8(back), anchor: a}
	switch {
	case back > 0:
		p.near = -1
	case back+4 < len(a.word):
		p.near = 4
	default: // the two pairs have all of it
		p.mask, p.want = 0xff, 0xff
		return p
	}
	p.want = a.word[back+int(p.near)]
	if a.fold && p.want >= 'a' && p.want <= 'z' {
		p.mask = 'a' - 'A'
	}
	return p
}

// index finds anchors by two pairs of bytes in a row. Anchors are in buckets, a bit each: first has the buckets of the
// anchors that a pair is of, next those of the anchors that may have the pair behind that one. An anchor can only be
// where first of a pair and next of the one after it share a bit. There the list of the pair is compared.
type index struct {
	first, next *[1 << 16]uint16
	pairs       *[1 << 16]uint8 // the number of the pair's list in places, 0 for none
	places      []place         // by list, those of list n from starts[n] to starts[n+1]
	starts      [257]uint16
}

const (
	// listControl is the list of the pairs that have a control byte in them.
	listControl = 1
	// ownLists is how many lists serve one set of anchors alone; the pairs of rare bytes share the others.
	ownLists = 216
	// shortWord is how long an anchor is whose pairs may begin in front of it, in bytes: it has too few of its own.
	shortWord = 4
	// bucketAny is the bucket of anchors behind whose pair any other may be.
	bucketAny = 15
)

// builtIn is the index of all that is built in. It never changes.
var builtIn = sync.OnceValues(func() (index, error) {
	all, err := anchors()
	if err != nil {
		return index{}, err
	}
	return newIndex(all, choicesOf(all)), nil
})

// of returns the places of a list.
func (x *index) of(list uint8) []place { return x.places[x.starts[list]:x.starts[int(list)+1]] }

// pair is the number of the pair at i.
func pair[T text.Bytes](s T, i int) uint16 { return uint16(s[i]) | uint16(s[i+1])<<8 }
