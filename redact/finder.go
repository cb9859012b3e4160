package redact

// span is a secret in a text, and what its marker says.
type span struct {
	start, end int
	kind       string // empty for a value that its name gave away
	// quote stands on both sides of the marker: where a bare number after a quoted name is replaced.
	quote string
}

// finder looks through one text.
type finder[T text] struct {
	r *Redactor
	s T
	// from is where this look began: no secret starts before it.
	from int
	// cut: the text was cut at its end, so that what stands there is on less evidence.
	cut bool
	// controls: a control byte was met.
	controls bool

	n     int
	ident [maxIdent + 2*maxIdent]byte
}

// touchesCut reports whether a run that ends at end was ended by the cut of the text.
func (f *finder[T]) touchesCut(end int) bool { return f.cut && end >= len(f.s) }

// next finds the first secret at or after from.
func (f *finder[T]) next(from int) (span, bool) {
	f.from = from
	s, pairs := f.s, f.r.index.pairs
	i := from
	for ; i+8 <= len(s); i += 8 {
		// Most of what is looked at has no pair of an anchor: four pairs are asked at once.
		a, b, c, d := pairs[pair(s, i)], pairs[pair(s, i+2)], pairs[pair(s, i+4)], pairs[pair(s, i+6)]
		if a|b|c|d == 0 {
			continue
		}
		for k, list := range [4]uint8{a, b, c, d} {
			if list != 0 {
				if sp, ok := f.look(i+2*k, list); ok {
					return sp, true
				}
			}
		}
	}
	for ; i+1 < len(s); i += 2 {
		if list := pairs[pair(s, i)]; list != 0 {
			if sp, ok := f.look(i, list); ok {
				return sp, true
			}
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

// anchored reports whether any anchor stands in the text.
func (f *finder[T]) anchored() bool {
	s, pairs := f.s, f.r.index.pairs
	for i := 0; i+1 < len(s); i += 2 {
		list := pairs[pair(s, i)]
		if list <= listControl {
			continue
		}
		for k := range f.r.index.places[list] {
			if p := &f.r.index.places[list][k]; hasAt(s, i-int(p.back), p.anchor.word, p.anchor.fold) {
				return true
			}
		}
	}
	return false
}

// look compares the anchors that have the pair at i, and asks the rules of those that stand there.
func (f *finder[T]) look(i int, list uint8) (span, bool) {
	if list == listControl {
		f.controls = f.controls || controlAt(f.s, i) || controlAt(f.s, i+1)
		return span{}, false
	}
	places, s := f.r.index.places[list], f.s
	for k := range places {
		p := &places[k]
		if j := i + int(p.near); uint(j) >= uint(len(s)) || s[j]|p.mask != p.want {
			continue
		}
		at := i - int(p.back)
		if at < f.from || !hasAt(s, at, p.anchor.word, p.anchor.fold) {
			continue
		}
		if sp, ok := f.judge(p.anchor, at); ok && sp.start >= f.from && sp.end > sp.start && !allowed(f.r, s, sp) {
			return sp, true
		}
	}
	return span{}, false
}

// judge asks the rule of an anchor that stands at i.
func (f *finder[T]) judge(a *anchor, i int) (span, bool) {
	switch a.kind {
	case anchorShape:
		sh := &shapes[a.shape]
		end := f.shapeAt(sh, i)
		return span{start: i, end: end, kind: sh.kind}, end > 0
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
		return f.flagAt(i)
	case anchorTelegram:
		from, end := f.telegramAt(i)
		return span{start: from, end: end, kind: "telegram"}, end > 0
	case anchorAzure:
		from, end := f.azureAt(i)
		return span{start: from, end: end, kind: "azure"}, end > 0
	case anchorTwilio:
		sh := shape{prefix: "SK", charset: charsHex, least: 32, exact: true}
		end := f.shapeAt(&sh, i)
		return span{start: i, end: end, kind: "twilio"}, end > 0
	case anchorWebhook:
		from, end := f.webhookAt(i, a.word)
		return span{start: from, end: end, kind: "webhook"}, end > 0
	case anchorMarker:
		from, end := f.awsSecretAfter(i + len(a.word))
		return span{start: from, end: end, kind: "aws"}, end > 0
	default:
		return span{}, false
	}
}

// anchors are all that is looked for, but for the names of settings.
func anchors() []anchor {
	var out []anchor
	for i := range shapes {
		out = append(out, anchor{word: shapes[i].prefix, kind: anchorShape, shape: i})
	}
	for _, w := range nameWords {
		out = append(out, anchor{word: w, kind: anchorName, fold: true})
	}
	for _, w := range webhookPaths {
		out = append(out, anchor{word: w, kind: anchorWebhook})
	}
	for d := byte('0'); d <= '9'; d++ {
		out = append(out, anchor{word: string([]byte{d, 'Q', '~'}), kind: anchorAzure})
		out = append(out, anchor{word: string([]byte{'S', 'K', d}), kind: anchorTwilio})
	}
	for d := byte('a'); d <= 'f'; d++ {
		out = append(out, anchor{word: string([]byte{'S', 'K', d}), kind: anchorTwilio})
	}
	return append(out,
		anchor{word: "://", kind: anchorURL},
		anchor{word: "BEGIN ", kind: anchorPEM},
		anchor{word: "eyJ", kind: anchorJWT},
		anchor{word: "bearer ", kind: anchorBearer, fold: true},
		anchor{word: " -u", kind: anchorFlag},
		anchor{word: " -p", kind: anchorFlag},
		anchor{word: " --user", kind: anchorFlag},
		anchor{word: ":AA", kind: anchorTelegram},
		anchor{word: markerOf("aws"), kind: anchorMarker},
	)
}
