package redact

import "slices"

// shapeAt finds a secret of shape sh, or of a longer one, whose anchor is at i.
func (f *finder[T]) shapeAt(sh *shape, i int) (span, bool) {
	for _, longer := range sh.longer {
		if hasAt(f.s, i, longer.literal(), false) {
			if sp, ok := f.oneShapeAt(longer, i); ok {
				return sp, true
			}
		}
	}
	return f.oneShapeAt(sh, i)
}

// mayBeAny reports whether the shape or a longer one may be at i.
func (f *finder[T]) mayBeAny(sh *shape, i int) bool {
	if f.mayBe(sh, i) {
		return true
	}
	if end := i + len(sh.literal()); end >= len(f.s) || !sh.longerAfter[f.s[end]] {
		return false
	}
	for _, longer := range sh.longer {
		if hasAt(f.s, i, longer.literal(), false) {
			return true
		}
	}
	return false
}

// mayBe checks cheaply what is around the anchor at i: the last byte that the part behind it needs, and the byte that has
// to follow it.
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

// longRun is the length from which the end of a sequence is remembered, in bytes.
const longRun = 256

// run is a sequence of bytes of a set.
type run struct {
	set        *[256]bool
	start, end int
}

// runEnd is the end of the sequence of bytes of a set that begins at i, or limit. The ends of long ones are remembered:
// many anchors may be in one.
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
