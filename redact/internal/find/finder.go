package find

import (
	"regexp"

	"github.com/tailspan/tailspan/redact/internal/secret"
	"github.com/tailspan/tailspan/redact/internal/shape"
	"github.com/tailspan/tailspan/redact/internal/text"
	"github.com/tailspan/tailspan/redact/internal/token"
)

// Search says what to search for: the index of the anchors, the names of the settings, and the patterns of values to keep. It
// never changes.
type Search struct {
	index index
	names token.Names
	allow []*regexp.Regexp
}

// NewSearch returns a Search for the built-in anchors and for names of the settings; words are the parts of these to search for.
func NewSearch(names token.Names, words []string, allow []*regexp.Regexp) (*Search, error) {
	x, err := builtIn()
	if err != nil {
		return nil, err
	}
	if len(words) > 0 {
		all, _ := anchors()
		known := choicesOf(all)
		for _, w := range words {
			all = append(all, anchor{word: w, fold: true, kind: anchorName})
		}
		x = newIndex(all, known)
	}
	return &Search{index: x, names: names, allow: allow}, nil
}

// Names returns the names of the settings.
func (x *Search) Names() token.Names { return x.names }

// Allows reports whether the settings allow a value to stay.
func Allows[T text.Bytes](x *Search, s T, sp text.Span) bool {
	for _, re := range x.allow {
		if re.MatchString(string(s[sp.Start:sp.End])) {
			return true
		}
	}
	return false
}

// Finder searches one text. Call [Finder.Init] before use.
type Finder[T text.Bytes] struct {
	secret.Rules[T]
	search *Search
	found  text.Span
}

// Init sets the text to search, and whether it was cut at its end.
func (f *Finder[T]) Init(x *Search, s T, cut bool) {
	f.search, f.S, f.Cut, f.Names = x, s, cut, x.names
}

// Again reports whether the decoded text must be searched too.
func (f *Finder[T]) Again() bool { return f.Controls || f.Escapes }

// Next returns the first secret at or after from.
func (f *Finder[T]) Next(from int) (text.Span, bool) {
	f.From = from
	s, first, next := f.S, f.search.index.first, f.search.index.next
	i := from
	for ; i+10 <= len(s); i += 8 {
		// Most text has no anchor, so look up four pairs at once, each with the following one.
		ten := s[i : i+10]
		p, q, u, v, w := pair(ten, 0), pair(ten, 2), pair(ten, 4), pair(ten, 6), pair(ten, 8)
		a, b, c, d := first[p]&next[q], first[q]&next[u], first[u]&next[v], first[v]&next[w]
		if a|b|c|d == 0 {
			continue
		}
		if a != 0 && f.match(i, a) || b != 0 && f.match(i+2, b) || c != 0 && f.match(i+4, c) || d != 0 && f.match(i+6, d) {
			return f.found, true
		}
	}
	for ; i+1 < len(s); i += 2 {
		hit := first[pair(s, i)]
		if i+3 < len(s) {
			hit &= next[pair(s, i+2)]
		}
		if hit != 0 && f.match(i, hit) {
			return f.found, true
		}
	}
	// The last byte of a text of odd length is in no pair.
	if i < len(s) && text.IsControl(s[i]) {
		f.Controls = true
	}
	return text.Span{}, false
}

// Anchored reports whether the text contains an anchor.
func (f *Finder[T]) Anchored() bool {
	x := &f.search.index
	for i := 0; i+1 < len(f.S); i += 2 {
		p := pair(f.S, i)
		if x.first[p] == 0 || i+3 < len(f.S) && x.first[p]&x.next[pair(f.S, i+2)] == 0 || x.pairs[p] == listControl {
			continue
		}
		places := x.of(x.pairs[p])
		for k := range places {
			if p := &places[k]; text.HasAt(f.S, i-int(p.back), p.anchor.word, p.anchor.fold) {
				return true
			}
		}
	}
	return false
}

// match compares the anchors that have the pair at i and are in a matching bucket, and applies the rules of those that
// match. It stores the result in found.
func (f *Finder[T]) match(i int, hit uint16) bool {
	x, s := &f.search.index, f.S
	if hit < 1<<bucketOpen && i+3 < len(s) && !x.quads.has(quad(s, i)) {
		return false
	}
	list := x.pairs[pair(s, i)]
	if list == listControl {
		f.Controls = f.Controls || text.ControlAt(s, i) || text.ControlAt(s, i+1)
		return false
	}
	places := x.of(list)
	for k := range places {
		p := &places[k]
		if hit>>p.bucket&1 == 0 {
			continue
		}
		if j := i + int(p.near); uint(j) >= uint(len(s)) || s[j]|p.mask != p.want {
			continue
		}
		if at := i - int(p.back); at >= f.From && text.HasAt(s, at, p.anchor.word, p.anchor.fold) && f.apply(p.anchor, at) {
			return true
		}
	}
	return false
}

// apply applies the rule of an anchor at i and checks the result.
func (f *Finder[T]) apply(a *anchor, i int) bool {
	switch a.kind {
	case anchorShape:
		if !shape.MayBe(&f.Input, a.shape, i) {
			return false
		}
	case anchorName:
		if end := i + len(a.word); a.after != nil && end < len(f.S) && !a.after[f.S[end]] {
			return false
		}
	}
	sp, ok := f.ruleAt(a, i)
	if ok = ok && sp.Start >= f.From && sp.End > sp.Start && !Allows(f.search, f.S, sp); ok {
		f.found = sp
	}
	return ok
}

// ruleAt applies the rule of an anchor at i.
func (f *Finder[T]) ruleAt(a *anchor, i int) (text.Span, bool) {
	switch a.kind {
	case anchorShape:
		return shape.At(&f.Input, a.shape, i)
	case anchorName:
		return f.Named(i, a.word)
	case anchorURL:
		return f.URLAt(i)
	case anchorPEM:
		return shape.PEM(&f.Input, i)
	case anchorPEMEnd:
		return shape.PEMEnd(&f.Input, i)
	case anchorJWT:
		end := shape.JWT(&f.Input, i)
		return text.Span{Start: i, End: end, Kind: "jwt"}, end > 0
	case anchorBearer:
		return f.BearerAt(i, len(a.word))
	case anchorFlag:
		return f.FlagAt(a.flag, i)
	case anchorIdentified:
		return f.IdentifiedAt(i)
	case anchorPgpass:
		return f.PgpassAt(i, len(a.word))
	case anchorSourceName:
		return f.SourceNameAt(i)
	case anchorCookie:
		return f.CookieAt(i, len(a.word))
	case anchorEscape:
		f.Escapes = true
		return text.Span{}, false
	case anchorMarker:
		from, end := shape.AWSSecret(&f.Input, i+len(a.word))
		return text.Span{Start: from, End: end, Kind: "aws"}, end > 0
	default:
		return text.Span{}, false
	}
}
