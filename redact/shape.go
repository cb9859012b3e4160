package redact

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// shapesText is the table of facts about what vendors issue; its head explains the columns.
//
//go:embed shapes.txt
var shapesText string

// shapes is the table, read once. It never changes.
var shapes = sync.OnceValues(func() ([]*shape, error) { return parseShapes(shapesText) })

// shape is a kind of secret that shows what it is by how it looks.
type shape struct {
	kind  string // is in the marker
	parts []part
	// anchor is the literal part that is looked for, and kept the number of parts before the secret, which stay.
	anchor, kept int
	// word: only at the beginning of a word.
	word bool
	// begins: the anchor is at the beginning, and that only at the beginning of a word.
	begins bool
	// probe is the offset from the anchor of the last byte that the part behind it needs, which is in probed; next is the
	// byte after the part, at the offset nextMost or before, 0 if any may be.
	probe, nextMost int
	probed          *[256]bool
	next            byte
	// longer are the shapes whose anchor begins with this one's.
	longer []*shape
}

// part is a piece of a shape: literal text, or a number of bytes of a set.
type part struct {
	literal     string
	set         *[256]bool
	least, most int
	// random: the bytes have to look made by chance.
	random bool
}

// noMost is the most of a part without an upper limit.
const noMost = 1 << 30

// sets are the classes of the table.
func sets() map[byte]*[256]bool {
	out := make(map[byte]*[256]bool)
	for class, bytes := range map[byte]string{
		'A': "", 'w': "_", 'u': "_-", 'x': "_-.", 'p': "_-.+/%=", 'b': "+/=_-", 's': "./", 'z': "._~-",
	} {
		out[class] = newSet(cAlnum, bytes)
	}
	out['l'], out['U'], out['d'] = newSet(cLower|cDigit, ""), newSet(cUpper|cDigit, ""), newSet(cDigit, "")
	out['B'], out['h'] = newSet(cUpper, "234567"), newSet(cDigit, "abcdefABCDEF")
	return out
}

func newSet(bits uint16, more string) *[256]bool {
	var set [256]bool
	for c := range set {
		set[c] = byteClass[c]&bits != 0 || strings.IndexByte(more, byte(c)) >= 0
	}
	return &set
}

// parseShapes reads the table.
func parseShapes(table string) (out []*shape, err error) {
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
	for _, a := range out {
		for _, b := range out {
			if short, long := a.literal(), b.literal(); len(long) > len(short) && strings.HasPrefix(long, short) {
				a.longer = append(a.longer, b)
			}
		}
		slices.SortStableFunc(a.longer, func(x, y *shape) int { return len(y.literal()) - len(x.literal()) })
	}
	return out, nil
}

func (sh *shape) literal() string { return sh.parts[sh.anchor].literal }

// parseShape reads the second column of a line.
func parseShape(text string, classes map[byte]*[256]bool) (*shape, error) {
	sh := &shape{}
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
				c = text[i]
			}
			sh.addLiteral(c)
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

// setProbe sets what mayBe looks at.
func (sh *shape) setProbe() {
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

func (sh *shape) addLiteral(c byte) {
	if n := len(sh.parts); n > sh.kept && sh.parts[n-1].set == nil {
		sh.parts[n-1].literal += string(c)
		return
	}
	sh.parts = append(sh.parts, part{literal: string(c)})
}

// parsePart reads a class and its length.
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

// shapeAt finds a secret of shape sh, or of a longer one, whose anchor is at i.
func (f *finder[T]) shapeAt(sh *shape, i int) (span, bool) {
	for _, longer := range sh.longer {
		if f.mayBe(longer, i) && hasAt(f.s, i, longer.literal(), false) {
			if sp, ok := f.oneShapeAt(longer, i); ok {
				return sp, true
			}
		}
	}
	if !f.mayBe(sh, i) {
		return span{}, false
	}
	return f.oneShapeAt(sh, i)
}

// mayBe is a quick look at what is around the anchor at i: the last byte that the part behind it needs, and the byte
// that has to follow it.
func (f *finder[T]) mayBe(sh *shape, i int) bool {
	if sh.begins && i > 0 && is(f.s[i-1], cAlnum) && !starts(f.s, i) {
		return false
	}
	last := i + sh.probe
	switch {
	case sh.probed == nil:
		return true
	case last >= len(f.s):
		return f.cut
	case !sh.probed[f.s[last]]:
		return false
	case sh.next == 0:
		return true
	}
	for last++; last < len(f.s) && f.s[last] != sh.next; last++ {
		if last >= i+sh.nextMost {
			return false
		}
	}
	return last < len(f.s) || f.cut
}

// minCutLiteral is how much of a fixed part has to be seen where a text is cut, in bytes.
const minCutLiteral = 3

func (f *finder[T]) oneShapeAt(sh *shape, i int) (span, bool) {
	start, ok := f.before(sh, i)
	if !ok {
		return span{}, false
	}
	sp := span{start: start, kind: sh.kind}
	random := true
	end := start
	for k := range sh.parts {
		p := &sh.parts[k]
		if k == sh.kept {
			sp.start = end
		}
		from := end
		if end, ok = f.partAt(p, end); !ok {
			// A text that is cut within the secret shows its beginning only.
			sp.end = len(f.s)
			return sp, k > sh.anchor && (k > sh.anchor+1 || len(sh.literal()) >= minCutLiteral) && end == len(f.s) && f.touchesCut(end) && end > i+len(sh.literal()) && starts(f.s, start)
		}
		if p.random && !f.touchesCut(end) && !mixOf(f.s, from, min(end, from+longRun)).random() {
			random = false
		}
	}
	sp.end = end
	return sp, random && f.mayStart(sh, start, end)
}

// before is where the parts before the anchor at i begin.
func (f *finder[T]) before(sh *shape, i int) (start int, ok bool) {
	for k := sh.anchor - 1; k >= 0; k-- {
		p := &sh.parts[k]
		if p.set == nil {
			if i -= len(p.literal); i < f.from || !hasAt(f.s, i, p.literal, false) {
				return 0, false
			}
			continue
		}
		n := 0
		for n < p.most && i-n > f.from && p.set[f.s[i-n-1]] {
			n++
		}
		if n < p.least {
			return 0, false
		}
		i -= n
	}
	return i, true
}

// partAt is where the part ends that begins at i.
func (f *finder[T]) partAt(p *part, i int) (end int, ok bool) {
	if p.set == nil {
		return min(len(f.s), i+len(p.literal)), hasAt(f.s, i, p.literal, false)
	}
	end = f.runEnd(p.set, i, min(len(f.s), i+p.most))
	if f.touchesCut(end) {
		return end, end > i
	}
	if p.set['.'] {
		for end > i && f.s[end-1] == '.' { // the end of a sentence
			end--
		}
	}
	return end, end-i >= p.least
}

// longRun is how long a run of bytes is before its end is remembered, in bytes.
const longRun = 256

// run is where a run of bytes of a set is.
type run struct {
	set        *[256]bool
	start, end int
}

// runEnd is the end of the run of bytes of a set that begins at i, or limit. The ends of long runs are remembered: many
// anchors may be in one.
func (f *finder[T]) runEnd(set *[256]bool, i, limit int) int {
	end := i
	for stop := min(limit, i+longRun); end < stop && set[f.s[end]]; end++ {
	}
	if end < i+longRun || end == limit {
		return end
	}
	for _, r := range f.runs {
		if r.set == set && r.start <= i && i < r.end {
			return min(r.end, limit)
		}
	}
	for end < len(f.s) && set[f.s[end]] {
		end++
	}
	f.runs = append(slices.DeleteFunc(f.runs, func(r run) bool { return r.set == set }), run{set: set, start: i, end: end})
	return min(end, limit)
}

const (
	// maxGlued is how long a word may be that a secret is right behind, in bytes: in a longer one, such as base64, the
	// anchor is there by chance.
	maxGlued = 24
	// minGlued is how many literal bytes a shape needs for that, and minGluedRun how long its first part is otherwise.
	minGlued    = 4
	minGluedRun = 24
)

// literalBytes is how many bytes of the shape are fixed.
func (sh *shape) literalBytes() (n int) {
	for i := range sh.parts {
		n += len(sh.parts[i].literal)
	}
	return n
}

// glues reports whether secrets of the shape are recognised right behind a letter or a digit.
func (sh *shape) glues() bool {
	if sh.word || sh.parts[0].set != nil {
		return false
	}
	run := &sh.parts[1]
	return sh.literalBytes() >= minGlued || run.least >= minGluedRun && run.set['z'] && run.set['Z']
}

// mayStart reports whether the secret of shape sh from start to end may be there: it begins a word, or it is right
// behind one and shows enough of itself, and where its length is known nothing follows that would make it longer.
func (f *finder[T]) mayStart(sh *shape, start, end int) bool {
	last := &sh.parts[len(sh.parts)-1]
	if last.set != nil && last.most != noMost && end < len(f.s) && last.set[f.s[end]] && !(f.s[end] == '.' || f.s[end] == '-') {
		return false
	}
	if last.set == nil && end < len(f.s) && isAlnum(f.s[end]) || last.most == last.least && end < len(f.s) && isAlnum(f.s[end]) {
		return false
	}
	if starts(f.s, start) {
		return true
	}
	if !sh.glues() {
		return false
	}
	i := start
	for i > 0 && start-i <= maxGlued && is(f.s[i-1], cAlnum) {
		i--
	}
	if start-i > maxGlued || mixOf(f.s, i, start).random() { // in the middle of something else
		return false
	}
	return last.most != noMost && sh.literalBytes() >= minGlued || mixOf(f.s, start+len(sh.parts[0].literal), min(end, start+longRun)).random()
}

// Lengths of the parts of a JSON web token, in bytes; the shortest header, {"alg":"none"}, is longer.
const (
	minJWTHeader  = 12
	minJWTPayload = 8
)

// url64 is the bytes of base64url, and b64Dot those of base64 in both its forms and the dot.
var (
	url64  = sync.OnceValue(func() *[256]bool { return newSet(cAlnum, "_-") })
	b64Dot = sync.OnceValue(func() *[256]bool { return newSet(cB64|cIdent, "") })
)

// jwtAt is the end of the JSON web token, signed or encrypted, that begins at i. Its first part is base64url of `{"`.
func (f *finder[T]) jwtAt(i int) int {
	end := i
	for part := 0; part < 5; part++ {
		from := end
		end = f.runEnd(url64(), end, len(f.s))
		if f.touchesCut(end) && starts(f.s, i) {
			return end
		}
		if part == 0 && end-from < minJWTHeader || part == 1 && end-from < minJWTPayload {
			return 0
		}
		if end >= len(f.s) || f.s[end] != '.' {
			if part == 0 || part == 1 && !starts(f.s, i) {
				return 0
			}
			return end
		}
		end++
	}
	return end - 1
}

// awsSecretLen is the length of the secret that goes with an AWS key id; it has no prefix of its own.
const (
	awsSecretLen = 40
	awsNear      = 160
)

// awsSecretAfter finds the secret key near behind the marker of a key id at i.
func (f *finder[T]) awsSecretAfter(i int) (from, end int) {
	for from = i; from < min(len(f.s), i+awsNear); from = end + 1 {
		for end = from; end < len(f.s) && (is(f.s[end], cAlnum) || f.s[end] == '/' || f.s[end] == '+'); end++ {
		}
		if m := mixOf(f.s, from, end); end-from == awsSecretLen && m.digit > 0 && m.upper > 0 && m.lower > 0 {
			return from, end
		}
	}
	return 0, 0
}
