package redact

import (
	"math"
	"strings"
)

// anchorKind says which rule looks at an anchor.
type anchorKind uint8

const (
	anchorShape anchorKind = iota
	anchorName
	anchorURL
	anchorPEM
	anchorJWT
	anchorBearer
	anchorFlag
	anchorTelegram
	anchorAzure
	anchorTwilio
	anchorWebhook
	anchorMarker
)

// anchor is a fixed part of a secret or of its name, at least three bytes long.
type anchor struct {
	word  string
	fold  bool
	kind  anchorKind
	shape int // index into shapes
}

// place is an anchor and the offset in it of a pair that stands in the table. One more byte of the anchor, beside the
// pair, tells most pairs that stand elsewhere without comparing the whole.
type place struct {
	near       int8 // offset of that byte from the pair
	mask, want byte // the byte or mask is want; the mask takes the case off
	back       uint8
	anchor     *anchor
}

func newPlace(a *anchor, back int) place {
	p := place{near: 2, back: uint8(back), anchor: a}
	if back+2 >= len(a.word) {
		p.near = -1
	}
	p.want = a.word[back+int(p.near)]
	if a.fold && p.want >= 'a' && p.want <= 'z' {
		p.mask = 'a' - 'A'
	}
	return p
}

// index finds anchors: pairs gives for two bytes the number of their list in places, 0 for none.
type index struct {
	pairs  *[1 << 16]uint8
	places [][]place
}

// listControl is the list of the pairs that have a control byte in them.
const listControl = 1

// newIndex enters two pairs of each anchor, one at an even offset and one at an odd offset: one of them is met when
// every second pair of a text is looked at.
func newIndex(anchors []anchor) index {
	x := index{pairs: new([1 << 16]uint8), places: make([][]place, listControl+1, 256)}
	for i := range anchors {
		a := &anchors[i]
		for _, back := range [2]int{rarest(a.word, 0), rarest(a.word, 1)} {
			x.add(a.word[back], a.word[back+1], a.fold, newPlace(a, back))
		}
	}
	x.addControls()
	return x
}

// add enters a pair; with fold in all its spellings.
func (x *index) add(a, b byte, fold bool, p place) {
	firsts, seconds := []byte{a}, []byte{b}
	if fold {
		firsts, seconds = spellings(a), spellings(b)
	}
	for _, f := range firsts {
		for _, s := range seconds {
			x.addPair(f, s, p)
		}
	}
}

func spellings(c byte) []byte {
	if c >= 'a' && c <= 'z' {
		return []byte{c, c - 'a' + 'A'}
	}
	return []byte{c}
}

func (x *index) addPair(f, s byte, p place) {
	slot := &x.pairs[uint16(f)|uint16(s)<<8]
	if *slot == 0 {
		if len(x.places) < math.MaxUint8 {
			x.places = append(x.places, nil)
		}
		// When the numbers run out, pairs share the last list: what stands in it is compared in any case.
		*slot = uint8(len(x.places) - 1)
	}
	x.places[*slot] = append(x.places[*slot], p)
}

// addControls enters every pair with a control byte in it: C0 but tab and line breaks, DEL, and C1 in its UTF-8 form,
// which begins with C2. No anchor has such a byte.
func (x *index) addControls() {
	for c := range 256 {
		if !isControl(byte(c)) && c != 0xc2 {
			continue
		}
		for other := range 256 {
			x.pairs[c|other<<8], x.pairs[other|c<<8] = listControl, listControl
		}
	}
}

func isControl(c byte) bool { return c < 0x20 && c != '\t' && c != '\n' && c != '\r' || c == 0x7f }

// controlAt reports whether a control stands at i, as events.EscapeLen counts them, line breaks and tabs aside.
func controlAt[T text](s T, i int) bool {
	return isControl(s[i]) || s[i] == 0xc2 && i+1 < len(s) && s[i+1] >= 0x80 && s[i+1] <= 0x9f
}

// commonPairs are the pairs of letters that stand more often in English and code than their letters alone would make
// one think.
const commonPairs = "th he in er an re de on at en nd ti es or te of ed is it al ar st nt to se ea ge yp xp lo va ck ch"

// rarest is the offset of the pair of word that stands least often in text, among those at offsets of the given parity.
func rarest(word string, parity int) int {
	best, at := math.MaxFloat64, 0
	for i := parity; i+1 < len(word); i += 2 {
		cost := frequency(word[i]) * frequency(word[i+1])
		if strings.Contains(commonPairs, word[i:i+2]) {
			cost += 40
		}
		if word[i:i+2] == "re" { // the most common of all in code
			cost += 40
		}
		if cost < best {
			best, at = cost, i
		}
	}
	return at
}

// frequency is how often a byte stands in a hundred bytes of English and code, roughly; only the order matters.
func frequency(c byte) float64 {
	if c >= 'a' && c <= 'z' {
		return [26]float64{5.5, 1.3, 3, 3, 9, 2, 1.6, 2.5, 5.5, .3, .8, 3.5, 2, 5.5, 5, 2.2, .2, 5, 5, 7, 2.3, .9, .9, .5, 1, .2}[c-'a']
	}
	switch {
	case c >= 'A' && c <= 'Z':
		return 0.3
	case c >= '0' && c <= '9':
		return 0.8
	case c == ' ':
		return 14
	case c == '-' || c == '/' || c == '_' || c == '.' || c == ':':
		return 1.5
	default:
		return 1
	}
}
