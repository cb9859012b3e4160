package shape

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tailspan/tailspan/redact/internal/text"
)

// shapesText is the table of facts about what vendors issue; its head explains the columns.
//
//go:embed shapes.txt
var shapesText string

// Table returns the parsed shapes.txt. It is parsed once and never changes.
var Table = sync.OnceValues(func() ([]*Shape, error) { return parseShapes(shapesText) })

// Shape is a kind of secret that is recognizable by its own form.
type Shape struct {
	kind  string // shown in the marker
	parts []part
	// anchor is the index of the literal part to search for, kept the number of parts before the secret, which are kept.
	anchor, kept int
	// word: the shape matches only at the beginning of a word.
	word bool
	// begins: the anchor is the first part, and matches only at the beginning of a word.
	begins bool
	// probe is the offset from the anchor of the last byte that the following part requires, which must be in probed.
	// next is the byte after that part, at offset nextMost or before; 0 allows any.
	probe, nextMost int
	probed          *[256]bool
	next            byte
	// longer are the shapes whose anchor has the anchor of this shape as a prefix.
	longer []*Shape
	// longerAfter are the bytes that follow this shape's literal in one of them; nil if there is none.
	longerAfter *[256]bool
}

// part is a piece of a shape: literal text, or a number of bytes from a set.
type part struct {
	literal     string
	set         *[256]bool
	least, most int
	// random: the bytes must look generated.
	random bool
}

// noMost is the maximum of a part without an upper limit.
const noMost = 1 << 30

// sets returns the classes of the table.
func sets() map[byte]*[256]bool {
	out := make(map[byte]*[256]bool)
	for class, bytes := range map[byte]string{
		'A': "", 'w': "_", 'u': "_-", 'x': "_-.", 'p': "_-.+/%=", 'b': "+/=_-", 's': "./", 'z': "._~-",
	} {
		out[class] = text.NewSet(text.Alnum, bytes)
	}
	out['l'], out['U'], out['d'] = text.NewSet(text.Lower|text.Digit, ""), text.NewSet(text.Upper|text.Digit, ""), text.NewSet(text.Digit, "")
	out['B'], out['h'] = text.NewSet(text.Upper, "234567"), text.NewSet(text.Digit, "abcdefABCDEF")
	return out
}

// parseShapes parses the table.
func parseShapes(table string) (out []*Shape, err error) {
	classes := sets()
	for n, line := range strings.Split(table, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		columns := strings.Fields(line)
		if len(columns) != 4 {
			return nil, fmt.Errorf("parse shapes.txt: line %d has %d columns, not 4", n+1, len(columns))
		}
		sh, err := parseShape(columns[1], classes)
		if err != nil {
			return nil, fmt.Errorf("parse shapes.txt: line %d: %w", n+1, err)
		}
		sh.kind = columns[0]
		out = append(out, sh)
	}
	setLonger(out)
	return out, nil
}

// setLonger sets the longer shapes of each, the longest first. In the order of their literals, they follow it.
func setLonger(shapes []*Shape) {
	shapes = slices.Clone(shapes)
	slices.SortStableFunc(shapes, func(a, b *Shape) int { return strings.Compare(a.literal(), b.literal()) })
	for i, sh := range shapes {
		short := sh.literal()
		for _, next := range shapes[i+1:] {
			rest, ok := strings.CutPrefix(next.literal(), short)
			if !ok {
				break
			}
			if rest == "" {
				continue
			}
			if sh.longer == nil {
				sh.longerAfter = new([256]bool)
			}
			sh.longer = append(sh.longer, next)
			sh.longerAfter[rest[0]] = true
		}
		slices.SortStableFunc(sh.longer, func(a, b *Shape) int { return len(b.literal()) - len(a.literal()) })
	}
}

// Anchor returns the word by which a shape is found, the bytes that may precede it, those that follow it up to reach (nil for
// any), and whether it is only at the beginning of a word.
func (sh *Shape) Anchor() (word string, before, after *[256]bool, reach int, begins bool) {
	if sh.anchor > 0 {
		before = sh.parts[sh.anchor-1].set
	}
	if sh.anchor+1 < len(sh.parts) {
		next := &sh.parts[sh.anchor+1]
		after, reach = next.set, next.least
	}
	return sh.literal(), before, after, reach, sh.begins
}

func (sh *Shape) literal() string { return sh.parts[sh.anchor].literal }

// special are the characters of a shape that are not literal text.
const special = `<{\|`

// parseShape parses the second column of a line.
func parseShape(text string, classes map[byte]*[256]bool) (*Shape, error) {
	sh := &Shape{}
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '|' && i == 0:
			sh.word = true
		case c == '<':
			sh.kept = len(sh.parts)
		case c == '{':
			n := strings.IndexByte(text[i:], '}')
			if n < 0 {
				return nil, errors.New("a part has no end")
			}
			parts, err := parsePart(text[i+1:i+n], classes)
			if err != nil {
				return nil, err
			}
			sh.parts = append(sh.parts, parts...)
			i += n
		default:
			if c == '\\' && i+1 < len(text) {
				i++
			}
			end := i + 1
			for end < len(text) && strings.IndexByte(special, text[end]) < 0 {
				end++
			}
			sh.addLiteral(text[i:end])
			i = end - 1
		}
		i++
	}
	sh.anchor = -1
	for i, p := range sh.parts {
		if p.set == nil && (sh.anchor < 0 || len(p.literal) > len(sh.literal())) {
			sh.anchor = i
		}
	}
	if sh.anchor < 0 || sh.parts[len(sh.parts)-1].least == 0 && len(sh.literal()) < 3 {
		return nil, errors.New("no literal part")
	}
	sh.setProbe()
	return sh, nil
}

// setProbe computes what mayBe checks.
func (sh *Shape) setProbe() {
	sh.begins = sh.anchor == 0 && !sh.glues()
	if sh.anchor+1 == len(sh.parts) {
		return
	}
	p := &sh.parts[sh.anchor+1]
	if p.set == nil {
		return
	}
	sh.probe, sh.probed = len(sh.literal())+p.least-1, p.set
	if sh.anchor+2 < len(sh.parts) && p.most != noMost && sh.parts[sh.anchor+2].set == nil {
		sh.next, sh.nextMost = sh.parts[sh.anchor+2].literal[0], len(sh.literal())+p.most
	}
}

func (sh *Shape) addLiteral(literal string) {
	if n := len(sh.parts); n > sh.kept && sh.parts[n-1].set == nil {
		sh.parts[n-1].literal += literal
		return
	}
	sh.parts = append(sh.parts, part{literal: literal})
}

// parsePart parses a class and its length.
func parsePart(s string, classes map[byte]*[256]bool) ([]part, error) {
	if s == "g" {
		var out []part
		for i, n := range [...]int{8, 4, 4, 4, 12} {
			if i > 0 {
				out = append(out, part{literal: "-"})
			}
			out = append(out, part{set: classes['h'], least: n, most: n})
		}
		return out, nil
	}
	length, random := strings.CutSuffix(s[min(1, len(s)):], "!")
	length, open := strings.CutSuffix(length, "+")
	from, to, ranged := strings.Cut(length, "-")
	least, err := strconv.Atoi(from)
	most := least
	if ranged && err == nil {
		most, err = strconv.Atoi(to)
	}
	if open {
		most = noMost
	}
	if err != nil || classes[s[0]] == nil || least < 1 || most < least {
		return nil, fmt.Errorf("no class and length: %q", s)
	}
	return []part{{set: classes[s[0]], least: least, most: most, random: random}}, nil
}

const (
	// maxGlued is the maximum length of a word that a secret may follow directly, in bytes. In a longer one, such as
	// base64, the anchor is a coincidence.
	maxGlued = 24
	// minGlued is how many literal bytes a shape needs for that; minGluedRun is the minimum length of its first part otherwise.
	minGlued    = 4
	minGluedRun = 24
)

// literalBytes returns how many bytes of the shape are fixed.
func (sh *Shape) literalBytes() (n int) {
	for i := range sh.parts {
		n += len(sh.parts[i].literal)
	}
	return n
}

// glues reports whether secrets of the shape are recognized directly after a letter or a digit.
func (sh *Shape) glues() bool {
	if sh.word || sh.parts[0].set != nil {
		return false
	}
	run := &sh.parts[1]
	return sh.literalBytes() >= minGlued || run.least >= minGluedRun && run.set['z'] && run.set['Z']
}
