package redact

// span is a secret in a text, and the kind in its marker.
type span struct {
	start, end int
	kind       string // empty for the value of a secret-like name
	// quote is written on both sides of the marker where it replaces a bare number after a quoted name.
	quote string
}

// finder searches one text.
type finder[T text] struct {
	r *Redactor
	s T
	// from is where this search began: no secret starts before it.
	from int
	// cut: the text was cut at its end; a secret there needs less evidence.
	cut bool
	// controls: the text has a control byte. escapes: the text has a name with an escape behind it.
	controls, escapes bool
	found             span
	runs              []run // long ones that were read

	n     int
	ident [maxIdent + 2*maxIdent]byte
}

// touchesCut reports whether a sequence that ends at end was ended by the cut of the text.
func (f *finder[T]) touchesCut(end int) bool { return f.cut && end >= len(f.s) }

// next finds the first secret at or after from.
func (f *finder[T]) next(from int) (span, bool) {
	f.from = from
	s, first, next := f.s, f.r.index.first, f.r.index.next
	i := from
	for ; i+10 <= len(s); i += 8 {
		// Most text has no anchor: four pairs, each with the one after it, are looked up at once.
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
	// A text of odd length ends with a byte that is in no pair.
	if i < len(s) && isControl(s[i]) {
		f.controls = true
	}
	return span{}, false
}

// pair is the number of the pair at i.
func pair[T text](s T, i int) uint16 { return uint16(s[i]) | uint16(s[i+1])<<8 }

// of returns the places of a list.
func (x *index) of(list uint8) []place { return x.places[x.starts[list]:x.starts[int(list)+1]] }

// anchored reports whether any anchor is in the text.
func (f *finder[T]) anchored() bool {
	x := &f.r.index
	for i := 0; i+1 < len(f.s); i += 2 {
		p := pair(f.s, i)
		if x.first[p] == 0 || i+3 < len(f.s) && x.first[p]&x.next[pair(f.s, i+2)] == 0 || x.pairs[p] == listControl {
			continue
		}
		places := x.of(x.pairs[p])
		for k := range places {
			if p := &places[k]; hasAt(f.s, i-int(p.back), p.anchor.word, p.anchor.fold) {
				return true
			}
		}
	}
	return false
}

// match compares the anchors that have the pair at i and are in one of the buckets that were hit, and applies the rules of
// those that are there. The result is in found.
func (f *finder[T]) match(i int, hit uint16) bool {
	x, s := &f.r.index, f.s
	list := x.pairs[pair(s, i)]
	if list == listControl {
		f.controls = f.controls || controlAt(s, i) || controlAt(s, i+1)
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
		if at := i - int(p.back); at >= f.from && hasAt(s, at, p.anchor.word, p.anchor.fold) && f.apply(p.anchor, at) {
			return true
		}
	}
	return false
}

// apply applies the rule of an anchor at i and checks its result.
func (f *finder[T]) apply(a *anchor, i int) bool {
	switch a.kind {
	case anchorShape:
		if !f.mayBeAny(a.shape, i) {
			return false
		}
	case anchorName:
		if end := i + len(a.word); a.after != nil && end < len(f.s) && !a.after[f.s[end]] {
			return false
		}
	}
	sp, ok := f.ruleAt(a, i)
	if ok = ok && sp.start >= f.from && sp.end > sp.start && !allowed(f.r, f.s, sp); ok {
		f.found = sp
	}
	return ok
}

// ruleAt applies the rule of an anchor at i.
func (f *finder[T]) ruleAt(a *anchor, i int) (span, bool) {
	switch a.kind {
	case anchorShape:
		return f.shapeAt(a.shape, i)
	case anchorName:
		return f.named(i, a.word)
	case anchorURL:
		return f.urlAt(i)
	case anchorPEM:
		return f.pemAt(i)
	case anchorJWT:
		end := f.jwtAt(i)
		return span{start: i, end: end, kind: "jwt"}, end > 0
	case anchorBearer:
		return f.bearerAt(i, len(a.word))
	case anchorFlag:
		return f.flagAt(a.flag, i)
	case anchorIdentified:
		return f.identifiedAt(i)
	case anchorPgpass:
		return f.pgpassAt(i, len(a.word))
	case anchorEscape:
		f.escapes = true
		return span{}, false
	case anchorMarker:
		from, end := f.awsSecretAfter(i + len(a.word))
		return span{start: from, end: end, kind: "aws"}, end > 0
	default:
		return span{}, false
	}
}

// anchors are all built-in anchors.
func anchors() ([]anchor, error) {
	table, err := shapes()
	if err != nil {
		return nil, err
	}
	out := []anchor{
		{word: "://", kind: anchorURL},
		{word: "BEGIN ", kind: anchorPEM},
		{word: "eyJ", kind: anchorJWT},
		{word: "bearer", kind: anchorBearer, fold: true},
		{word: "identified", kind: anchorIdentified, fold: true},
		{word: "%3a%2f%2f", kind: anchorEscape, fold: true},
		{word: `\/\`, kind: anchorEscape}, // https:\/\/
		{word: "com%2f", kind: anchorEscape, fold: true},
		{word: "BEGIN%20", kind: anchorEscape},
		{word: markerOf("aws"), kind: anchorMarker},
	}
	for i := range commandFlags {
		out = append(out, anchor{word: commandFlags[i].word, kind: anchorFlag, flag: &commandFlags[i]})
	}
	for _, word := range []string{":5432:", ":5433:", ":6432:", "*:*:"} {
		out = append(out, anchor{word: word, kind: anchorPgpass})
	}
	for _, sh := range table {
		a := anchor{word: sh.literal(), kind: anchorShape, shape: sh, begins: sh.begins}
		if sh.anchor > 0 {
			a.before = sh.parts[sh.anchor-1].set
		}
		if sh.anchor+1 < len(sh.parts) {
			next := &sh.parts[sh.anchor+1]
			a.after, a.reach = next.set, next.least
		}
		out = append(out, a)
	}
	for _, w := range nameWords {
		a := anchor{word: w, kind: anchorName, fold: true}
		if w == "token" { // tokens are counted in every second line
			a.after, a.reach = notS(), 1
		}
		out = append(out, a)
	}
	return out, nil
}
