package shape

import (
	"github.com/tailspan/tailspan/redact/internal/text"
)

// At finds a secret of shape sh, or of a longer one, whose anchor is at i.
func At[T text.Bytes](in *text.Input[T], sh *Shape, i int) (text.Span, bool) {
	for _, longer := range sh.longer {
		if text.HasAt(in.S, i, longer.literal(), false) {
			if sp, ok := oneAt(in, longer, i); ok {
				return sp, true
			}
		}
	}
	return oneAt(in, sh, i)
}

// MayBe reports whether the shape or a longer one may match at i.
func MayBe[T text.Bytes](in *text.Input[T], sh *Shape, i int) bool {
	if mayBe(in, sh, i) {
		return true
	}
	if end := i + len(sh.literal()); sh.longer == nil || end >= len(in.S) || !sh.longerAfter[in.S[end]] {
		return false
	}
	for _, longer := range sh.longer {
		if text.HasAt(in.S, i, longer.literal(), false) {
			return true
		}
	}
	return false
}

// mayBe performs a cheap check around the anchor at i: of the last byte that the following part requires, and of the byte
// that must follow the part.
func mayBe[T text.Bytes](in *text.Input[T], sh *Shape, i int) bool {
	if sh.begins && i > 0 && text.Is(in.S[i-1], text.Alnum) && !text.Starts(in.S, i) {
		return false
	}
	last := i + sh.probe
	switch {
	case sh.probed == nil:
		return true
	case last >= len(in.S):
		return in.Cut
	case !sh.probed[in.S[last]]:
		return false
	case sh.next == 0:
		return true
	}
	for last++; last < len(in.S) && in.S[last] != sh.next; last++ {
		if last >= i+sh.nextMost {
			return false
		}
	}
	return last < len(in.S) || in.Cut
}

// minCutLiteral is how much of a literal must be visible at the end of a cut text, in bytes.
const minCutLiteral = 3

func oneAt[T text.Bytes](in *text.Input[T], sh *Shape, i int) (text.Span, bool) {
	start, ok := before(in, sh, i)
	if !ok {
		return text.Span{}, false
	}
	sp := text.Span{Start: start, Kind: sh.kind}
	random := true
	end := start
	for k := range sh.parts {
		p := &sh.parts[k]
		if k == sh.kept {
			sp.Start = end
		}
		from := end
		if end, ok = partAt(in, p, end); !ok {
			// A text that is cut within the secret has only the beginning of the secret.
			sp.End = len(in.S)
			return sp, k > sh.anchor && (k > sh.anchor+1 || len(sh.literal()) >= minCutLiteral) && end == len(in.S) && in.TouchesCut(end) && end > i+len(sh.literal()) && text.Starts(in.S, start)
		}
		if p.random && !in.TouchesCut(end) && !text.MixOf(in.S, from, min(end, from+text.LongRun)).Random() {
			random = false
		}
	}
	sp.End = end
	return sp, random && mayStart(in, sh, start, end)
}

// before returns where the parts before the anchor at i begin.
func before[T text.Bytes](in *text.Input[T], sh *Shape, i int) (start int, ok bool) {
	for k := sh.anchor - 1; k >= 0; k-- {
		p := &sh.parts[k]
		if p.set == nil {
			if i -= len(p.literal); i < in.From || !text.HasAt(in.S, i, p.literal, false) {
				return 0, false
			}
			continue
		}
		n := 0
		for n < p.most && i-n > in.From && p.set[in.S[i-n-1]] {
			n++
		}
		if n < p.least {
			return 0, false
		}
		i -= n
	}
	return i, true
}

// partAt returns the end of the part that begins at i.
func partAt[T text.Bytes](in *text.Input[T], p *part, i int) (end int, ok bool) {
	if p.set == nil {
		return min(len(in.S), i+len(p.literal)), text.HasAt(in.S, i, p.literal, false)
	}
	end = in.RunEnd(p.set, i, min(len(in.S), i+p.most))
	for p.most == noMost && end < len(in.S) && in.S[end] == '\\' { // \u002B, \/
		c, n := text.EscapeAt(in.S, end)
		if n == 0 || !p.set[c] {
			break
		}
		end = in.RunEnd(p.set, end+n, len(in.S))
	}
	if in.TouchesCut(end) {
		return end, end > i
	}
	if p.set['.'] {
		for end > i && in.S[end-1] == '.' { // the end of a sentence
			end--
		}
	}
	return end, end-i >= p.least
}

// mayStart reports whether the text from start to end may be a secret of shape sh. It must begin a word, or follow one
// directly and have enough evidence of its own. If its length is fixed, nothing may follow that would make it longer.
func mayStart[T text.Bytes](in *text.Input[T], sh *Shape, start, end int) bool {
	last := &sh.parts[len(sh.parts)-1]
	if last.set != nil && last.most != noMost && end < len(in.S) && last.set[in.S[end]] && !(in.S[end] == '.' || in.S[end] == '-') {
		return false
	}
	if last.set == nil && end < len(in.S) && text.IsAlnum(in.S[end]) || last.most == last.least && end < len(in.S) && text.IsAlnum(in.S[end]) {
		return false
	}
	if text.Starts(in.S, start) {
		return true
	}
	if !sh.glues() {
		return false
	}
	i := start
	for i > 0 && start-i <= maxGlued && text.Is(in.S[i-1], text.Alnum) {
		i--
	}
	if start-i > maxGlued || text.MixOf(in.S, i, start).Random() { // within something else
		return false
	}
	return last.most != noMost && sh.literalBytes() >= minGlued || text.MixOf(in.S, start+len(sh.parts[0].literal), min(end, start+text.LongRun)).Random()
}
