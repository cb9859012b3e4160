package text

import "slices"

// Span is the position of a secret in a text, and the kind shown in its marker.
type Span struct {
	Start, End int
	Kind       string // empty for the value of a secret-like name
	// Quote is written on both sides of a marker that replaces a bare number after a quoted name.
	Quote string
}

// Input is a text to search. Set S before use. It serves one goroutine.
type Input[T Bytes] struct {
	S T
	// From is the offset where this search began: no secret starts before it.
	From int
	// Cut: the text was cut at its end, so a secret there needs less evidence.
	Cut bool
	// Controls: the text has a control byte. Escapes: the text has a name followed by an escape. In both cases the text
	// is searched again, decoded.
	Controls, Escapes bool
	runs              []run // long ones whose end is known
}

// TouchesCut reports whether a sequence that ends at end was ended by the cut of the text.
func (in *Input[T]) TouchesCut(end int) bool { return in.Cut && end >= len(in.S) }

// LongRun is the length from which the end of a sequence is cached, in bytes.
const LongRun = 256

// run is a sequence of bytes of a set.
type run struct {
	set        *[256]bool
	start, end int
}

// RunEnd returns the end of the sequence of bytes of a set that begins at i, at most limit. It caches the ends of long
// sequences, which may contain many anchors.
func (in *Input[T]) RunEnd(set *[256]bool, i, limit int) int {
	end := i
	for stop := min(limit, i+LongRun); end < stop && set[in.S[end]]; end++ {
	}
	if end < i+LongRun || end == limit {
		return end
	}
	for _, r := range in.runs {
		if r.set == set && r.start <= i && i < r.end {
			return min(r.end, limit)
		}
	}
	for end < len(in.S) && set[in.S[end]] {
		end++
	}
	in.runs = append(slices.DeleteFunc(in.runs, func(r run) bool { return r.set == set }), run{set: set, start: i, end: end})
	return min(end, limit)
}

// MarkerStart begins every marker.
const MarkerStart = "[redacted"

// Marker returns the replacement for a secret of a kind; the kind is empty for the value of a secret-like name.
func Marker(kind string) string {
	if kind == "" {
		return MarkerStart + "]"
	}
	return MarkerStart + ":" + kind + "]"
}

// IsMarker reports whether the text from start to end is exactly one of our markers.
func (in *Input[T]) IsMarker(start, end int) bool {
	if !HasAt(in.S, start, MarkerStart, false) || end > len(in.S) || in.S[end-1] != ']' {
		return false
	}
	i := start + len(MarkerStart)
	if i < end && in.S[i] == ':' {
		for i++; i < end && (Is(in.S[i], Lower|Digit) || in.S[i] == '-'); i++ {
		}
	}
	return i == end-1
}
