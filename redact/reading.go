package redact

// readValue reads the value that begins at i: up to its closing quote, or up to what ends a bare word.
func (f *finder[T]) readValue(i int, v *value) {
	j := f.literalAt(i)
	k := skipByte(f.s, j, '\\')
	if k < len(f.s) && is(f.s[k], cQuote) {
		if n := k - j + 1; f.equal(j, k+1, n) && f.equal(j, k+1+n, n) { // """text""", '''text'''
			k += 2 * n
		}
		v.start, v.quoted = k+1, true
		v.mark, v.slashes = f.s[k], skipByte(f.s, j, '\\')-j
		v.end, v.closed = f.quotedEnd(k+1, v.mark, v.slashes)
		return
	}
	v.start = i
	if v.sep == sepTag {
		for v.end = i; v.end < len(f.s) && f.s[v.end] != '<' && f.s[v.end] != '\n'; v.end++ {
		}
		if !hasAt(f.s, v.end, "</", false) && !f.touchesCut(v.end) && !(v.end < len(f.s) && f.touchesCut(v.end+1)) {
			v.sep = sepNone
		}
		return
	}
	if v.sep == sepTight && v.start > 1 && f.s[v.start-1] == '-' && f.s[v.start-2] == ':' { // ${NAME:-value}
		for v.end = i; v.end < len(f.s) && v.end < i+maxUnquoted && f.s[v.end] != '}' && !is(f.s[v.end], cSpace); v.end++ {
		}
		return
	}
	v.end = f.bareEnd(i, v.sep)
}

// whole is where the value ends, also if it is longer than what was read.
func (f *finder[T]) whole(v value) int {
	end := v.end
	switch {
	case v.more > 0:
		return v.more
	case v.mark != 0 && !v.closed && v.end-v.start >= maxQuoted:
		for closed := false; !closed; {
			next, isClosed := f.quotedEnd(end, v.mark, v.slashes)
			if next <= end {
				break
			}
			end, closed = next, isClosed
		}
	case !v.quoted && v.end-v.start >= maxUnquoted:
		for next := f.bareEnd(end, v.sep); next > end; next = f.bareEnd(end, v.sep) {
			end = next
		}
	}
	return end
}

// equal reports whether n bytes at i and at k are the same.
func (f *finder[T]) equal(i, k, n int) bool {
	if k+n > len(f.s) {
		return false
	}
	for n > 0 && f.s[i+n-1] == f.s[k+n-1] {
		n--
	}
	return n == 0
}

// quotedEnd finds the quote c that closes what was opened with n backslashes before it. A quote with fewer closes an
// outer string; one with more belongs to the text if its backslashes don't make pairs of their own.
func (f *finder[T]) quotedEnd(i int, c byte, n int) (end int, closed bool) {
	slashes := 0
	limit := min(len(f.s), i+maxQuoted)
	for ; i < limit; i++ {
		switch b := f.s[i]; {
		case b == '\\':
			slashes++
			continue
		case b == c || b == '"' && slashes < n:
			if slashes <= n && !(c == '\'' && slashes > 0 && n == 0) {
				return i - slashes, slashes == n
			}
			if extra := slashes - n; extra%(n+1) == 0 && extra/(n+1)%2 == 0 {
				return i - n, true
			}
		case b == '\n' && c != '`':
			return i - slashes, false
		case (b == 'n' || b == 'r') && n > 0 && slashes == n && slashes > 0:
			return i - slashes, false // a line break of the outer string
		}
		slashes = 0
	}
	return i, false
}

// bareEnd finds the end of a value without quotes.
func (f *finder[T]) bareEnd(i int, sp sep) int {
	start := i
	limit := min(len(f.s), i+maxUnquoted)
loop:
	for ; i < limit; i++ {
		c := f.s[i]
		switch {
		case is(c, cSpace|cQuote):
			break loop
		case c == '\\':
			if j := skipByte(f.s, i, '\\'); j < len(f.s) && (is(f.s[j], cQuote) || f.s[j] == 'n' || f.s[j] == 'r' || f.s[j] == 't' || f.s[j] == 'u' || f.s[j] == '\n') {
				break loop
			}
		case c == '&', c == ';', c == ',', c == '|':
			if f.assignmentAt(i+1) || sp != sepTight && c != '&' {
				break loop
			}
		case c == '<' || c == '>':
			if i > start || c == '>' {
				break loop
			}
		case c == '(' || c == '[' || c == '{':
			// The call or the index of an expression: isCode sees it behind the end.
			if i > start && sp != sepTight {
				break loop
			}
		}
	}
	// The punctuation of the sentence, or of what the value stands in.
	if i < limit || limit == len(f.s) {
		for i > start && (f.s[i-1] == ',' || f.s[i-1] == ';' || f.s[i-1] == ')' || f.s[i-1] == '}' || f.s[i-1] == ']' || f.s[i-1] == '.') {
			if f.isMarker(start, i) {
				break
			}
			i--
		}
	}
	return i
}

// assignmentAt reports whether another NAME= begins at i, or nothing more.
func (f *finder[T]) assignmentAt(i int) bool {
	if i >= len(f.s) || is(f.s[i], cSpace|cQuote) {
		return true
	}
	j := skip(f.s, i, min(len(f.s), i+maxIdent), cAlnum|cIdent)
	return j > i && j < len(f.s) && (f.s[j] == '=' || f.s[j] == ':')
}
