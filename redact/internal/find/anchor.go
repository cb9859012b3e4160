package find

import (
	"strings"
	"sync"

	"github.com/tailspan/tailspan/redact/internal/secret"
	"github.com/tailspan/tailspan/redact/internal/shape"
	"github.com/tailspan/tailspan/redact/internal/text"
	"github.com/tailspan/tailspan/redact/internal/token"
)

// anchorKind selects the rule for an anchor.
type anchorKind uint8

const (
	anchorShape anchorKind = iota
	anchorName
	anchorURL
	anchorPEM
	anchorPEMEnd
	anchorJWT
	anchorBearer
	anchorFlag
	anchorIdentified
	anchorPgpass
	anchorEscape
	anchorMarker
	anchorSourceName
	anchorCookie
)

// anchor is a fixed part of a secret or of its name. An anchor of fewer than three bytes is extended by the bytes
// that may precede and follow it.
type anchor struct {
	word  string
	fold  bool
	kind  anchorKind
	shape *shape.Shape
	flag  *secret.CommandFlag
	// before is the set of bytes that may precede the anchor; if it is nil, the anchor begins a word. after is the
	// set of bytes that follow, up to reach.
	before, after *[256]bool
	reach         int
	// begins: the anchor is only at the beginning of a word, or after a byte of before.
	begins bool
}

// escapeEnds are the letters that may precede a word as the end of an escape, in addition to hexadecimal digits: see [text.Starts].
const escapeEnds = "nrtbfvm"

// anyByte is the set of bytes that may follow an anchor.
var anyByte = sync.OnceValue(func() *[256]bool {
	var set [256]bool
	for c := range set {
		set[c] = true
	}
	return &set
})

// notS is every byte except s and S.
var notS = sync.OnceValue(func() *[256]bool {
	set := *anyByte()
	set['s'], set['S'] = false, false
	return &set
})

// wordStart is the set of bytes that may precede an anchor that begins a word.
var wordStart = sync.OnceValue(func() *[256]bool {
	var set [256]bool
	for c := range set {
		set[c] = !text.IsAlnum(byte(c)) || text.IsHex(byte(c)) || strings.IndexByte(escapeEnds, byte(c)) >= 0
	}
	return &set
})

// set returns the bytes that may be at offset i of an anchor, which may also be before or after the anchor.
func (a *anchor) set(i int) *[256]bool {
	switch {
	case i >= 0 && i < len(a.word):
		c := a.word[i]
		var set [256]bool
		set[c] = true
		if a.fold && c >= 'a' && c <= 'z' {
			set[c-'a'+'A'] = true
		}
		return &set
	case i < 0 && a.before != nil:
		return a.before
	case i < 0 && a.begins:
		return wordStart()
	case i >= 0 && a.after != nil && i < len(a.word)+a.reach:
		return a.after
	default:
		return anyByte()
	}
}

// bothCases contains each letter in both cases.
const bothCases = "aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ"

// bytes returns the contents of a set. Most sets are within the word and have one or two bytes.
func (a *anchor) bytes(i int) string {
	if i < 0 || i >= len(a.word) {
		return membersOf(a.set(i))
	}
	if c := a.word[i]; a.fold && c >= 'a' && c <= 'z' {
		at := 2 * (c - 'a')
		return bothCases[at : at+2]
	}
	return a.word[i : i+1]
}

func membersOf(set *[256]bool) string {
	members := make([]byte, 0, len(set))
	for c, is := range set {
		if is {
			members = append(members, byte(c))
		}
	}
	return string(members)
}

// anchors returns all built-in anchors.
func anchors() ([]anchor, error) {
	table, err := shape.Table()
	if err != nil {
		return nil, err
	}
	out := []anchor{
		{word: "://", kind: anchorURL},
		{word: "BEGIN ", kind: anchorPEM},
		{word: "PRIVATE KEY", kind: anchorPEMEnd},
		{word: "eyJ", kind: anchorJWT},
		{word: "bearer", kind: anchorBearer, fold: true},
		{word: "identified", kind: anchorIdentified, fold: true},
		{word: "%3a%2f%2f", kind: anchorEscape, fold: true},
		{word: `\/\`, kind: anchorEscape}, // https:\/\/
		{word: "com%2f", kind: anchorEscape, fold: true},
		{word: "BEGIN%20", kind: anchorEscape},
		{word: text.Marker("aws"), kind: anchorMarker},
		{word: "@tcp(", kind: anchorSourceName},
		{word: "@unix(", kind: anchorSourceName},
		{word: "\tTRUE\t/", kind: anchorCookie},
		{word: "\tFALSE\t/", kind: anchorCookie},
	}
	for i := range secret.CommandFlags {
		out = append(out, anchor{word: secret.CommandFlags[i].Word, kind: anchorFlag, flag: &secret.CommandFlags[i]})
	}
	for _, word := range []string{":5432:", ":5433:", ":6432:", "*:*:"} {
		out = append(out, anchor{word: word, kind: anchorPgpass})
	}
	for _, sh := range table {
		a := anchor{kind: anchorShape, shape: sh}
		a.word, a.before, a.after, a.reach, a.begins = sh.Anchor()
		out = append(out, a)
	}
	for _, w := range token.NameWords {
		a := anchor{word: w, kind: anchorName, fold: true}
		if w == "token" { // token counts are on every second line
			a.after, a.reach = notS(), 1
		}
		out = append(out, a)
	}
	return out, nil
}
