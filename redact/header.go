package redact

// authSchemes are the words before the credentials of an Authorization header; they stay.
var authSchemes = []string{"bearer", "basic", "token", "digest", "apikey", "negotiate", "ntlm", "bot", "aws4-hmac-sha256", "key", "splunk", "snowflake"}

const minCredentials = 6

// authorization finds the credentials in the value of an Authorization header, in any spelling of it.
func (f *finder[T]) authorization(v value) (span, bool) {
	start, end := v.start, v.end
	scheme := false
	for _, w := range authSchemes {
		if !hasAt(f.s, start, w, true) {
			continue
		}
		if i := skip(f.s, start+len(w), len(f.s), cBlank); i > start+len(w) {
			start, scheme = i, true
			if !v.quoted {
				end = f.bareEnd(i, sepTight)
				if f.s[v.start] == 'A' || f.s[v.start] == 'D' { // Digest and AWS4 have several parts
					end = f.headerEnd(i)
				}
			}
			break
		}
	}
	if end <= start || f.isPlaceholder(start, end) || f.isReference(start, end) {
		return span{}, false
	}
	sp := span{start: start, end: end}
	if f.touchesCut(end) {
		return sp, true
	}
	m := mixOf(f.s, start, end)
	switch {
	case end-start < minCredentials, f.isCode(value{start: start, end: end, quoted: v.quoted}):
		return span{}, false
	case scheme:
		return sp, m.digit > 0 || v.quoted && m.blank == 0 || m.lower > 0 && m.upper > 0 && end-start >= minKey || end-start >= 16
	default:
		return sp, m.blank == 0 && m.digit > 0 && !f.isPath(start, end) && (v.quoted || m.random())
	}
}

// headerEnd is the end of a header's line, or of the quote that it stands in.
func (f *finder[T]) headerEnd(i int) int {
	for ; i < min(len(f.s), i+maxQuoted); i++ {
		c := f.s[i]
		if c == '\n' || c == '\r' || c == '\'' || c == '"' || c == '`' {
			break
		}
		if c == '\\' && i+1 < len(f.s) && (f.s[i+1] == 'n' || f.s[i+1] == 'r' || f.s[i+1] == '"' || f.s[i+1] == '\'' || f.s[i+1] == '\\') {
			break
		}
	}
	return i
}

// bearerAt finds a token after the word alone, as code writes it: "bearer" is at i.
func (f *finder[T]) bearerAt(i, n int) (span, bool) {
	from := i + n
	if from >= len(f.s) || !starts(f.s, i) {
		return span{}, false
	}
	if !is(f.s[from], cBlank) && f.s[from] != '+' {
		if _, n := escapeAt(f.s, from); n > 0 {
			f.escapes = true
		}
		return span{}, false
	}
	from++
	end := f.runEnd(b64Dot(), from, len(f.s))
	for end > from && f.s[end-1] == '.' {
		end--
	}
	if f.touchesCut(end) && end > from {
		return span{start: from, end: end}, true
	}
	return span{start: from, end: end}, end-from >= 16 && mixOf(f.s, from, min(end, from+longRun)).random() && !f.isCode(value{start: from, end: end})
}

// cookie finds the value of a Cookie or Set-Cookie header: name=value pairs up to the end of the line.
func (f *finder[T]) cookie(v value) (span, bool) {
	if v.sep != sepColon && v.sep != sepBlank && v.sep != sepArgument {
		return span{}, false
	}
	start, end := v.start, v.end
	if !v.quoted {
		if v.quote != "" { // a bare word after a quoted name is code
			return span{}, false
		}
		end = f.headerEnd(start)
	}
	equal := indexIn(f.s, start, end, "=", false)
	if equal < 0 {
		return span{}, f.touchesCut(end) && end > start && !f.isReference(start, end)
	}
	if f.isReference(equal+1, end) || f.isPlaceholder(start, end) || end-equal < minPassword {
		return span{}, false
	}
	// The name of the first cookie stays, so that a reader knows what was sent. If its value is redacted already, nothing is left.
	if f.isMarker(equal+1, end) || mixOf(f.s, start, equal).blank > 0 {
		return span{}, false
	}
	return span{start: equal + 1, end: end}, true
}
