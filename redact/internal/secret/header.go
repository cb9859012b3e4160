package secret

import (
	"github.com/tailspan/tailspan/redact/internal/text"
	"github.com/tailspan/tailspan/redact/internal/token"
)

// authSchemes are the words before the credentials of an Authorization header. They are kept.
var authSchemes = []string{"bearer", "basic", "token", "digest", "apikey", "negotiate", "ntlm", "bot", "aws4-hmac-sha256", "key", "geniekey", "splunk", "snowflake"}

const minCredentials = 6

// authorization finds the credentials in the value of an Authorization header, in any form.
func (r *Rules[T]) authorization(v token.Value) (text.Span, bool) {
	start, end := v.Start, v.End
	scheme := false
	for _, w := range authSchemes {
		if !text.HasAt(r.S, start, w, true) {
			continue
		}
		if i := text.Skip(r.S, start+len(w), len(r.S), text.Blank); i > start+len(w) {
			start, scheme = i, true
			if !v.Quoted {
				end = r.BareEnd(i, token.SepTight)
				if r.S[v.Start] == 'A' || r.S[v.Start] == 'D' { // Digest and AWS4 have several parts
					end = r.headerEnd(i)
				}
			}
			break
		}
	}
	if end <= start || r.isPlaceholder(start, end) || r.isReference(start, end) {
		return text.Span{}, false
	}
	sp := text.Span{Start: start, End: end}
	if r.TouchesCut(end) {
		return sp, true
	}
	if !scheme {
		if other, ok := r.otherScheme(v); ok {
			return other, true
		}
	}
	m := text.MixOf(r.S, start, end)
	switch {
	case end-start < minCredentials, r.isCode(token.Value{Start: start, End: end, Quoted: v.Quoted}):
		return text.Span{}, false
	case scheme:
		return sp, m.Digit > 0 || v.Quoted && m.Blank == 0 || m.Lower > 0 && m.Upper > 0 && end-start >= minKey || end-start >= 16
	default:
		return sp, m.Blank == 0 && m.Digit > 0 && !r.isPath(start, end) && (v.Quoted || m.Random())
	}
}

// minOther is the minimum length of credentials after a scheme that is not in authSchemes, in bytes.
const minOther = 16

// otherScheme finds the credentials after a scheme that is not in authSchemes: one word, and one that looks generated. In a text without
// quotes they end the line, and are no ID or hash, as a log line about an authorization has.
func (r *Rules[T]) otherScheme(v token.Value) (text.Span, bool) {
	word := text.Skip(r.S, v.Start, len(r.S), text.Alnum|text.Ident)
	start := text.Skip(r.S, word, len(r.S), text.Blank)
	end := v.End
	if !v.Quoted {
		end = r.BareEnd(start, token.SepTight)
	}
	if word == v.Start || start == word || end-start < minOther {
		return text.Span{}, false
	}
	if !v.Quoted && (!r.endsHeader(text.Skip(r.S, end, len(r.S), text.Blank)) || r.isHexID(start, end)) {
		return text.Span{}, false
	}
	m := text.MixOf(r.S, start, end)
	return text.Span{Start: start, End: end}, m.Random() && text.IndexIn(r.S, start, end, "://", false) < 0 && !r.isPath(start, end)
}

// isHexID reports whether a text has only hexadecimal digits and dashes, as a UUID and a hash have.
func (r *Rules[T]) isHexID(start, end int) bool {
	for i := start; i < end; i++ {
		if !text.IsHex(r.S[i]) && r.S[i] != '-' {
			return false
		}
	}
	return true
}

// headerEnd returns the end of a header's line, or of the quote around it.
func (r *Rules[T]) headerEnd(i int) int {
	for ; i < min(len(r.S), i+token.MaxQuoted); i++ {
		if r.endsHeader(i) {
			break
		}
	}
	return i
}

// endsHeader reports whether a header's line, or the quote around it, ends at i.
func (r *Rules[T]) endsHeader(i int) bool {
	if i >= len(r.S) {
		return true
	}
	switch r.S[i] {
	case '\n', '\r', '\'', '"', '`':
		return true
	case '\\':
		return i+1 < len(r.S) && (r.S[i+1] == 'n' || r.S[i+1] == 'r' || r.S[i+1] == '"' || r.S[i+1] == '\'' || r.S[i+1] == '\\')
	default:
		return false
	}
}

// BearerAt finds a token that follows the bare word "bearer", as in code. The word is at i.
func (r *Rules[T]) BearerAt(i, n int) (text.Span, bool) {
	from := i + n
	if from >= len(r.S) || !text.Starts(r.S, i) {
		return text.Span{}, false
	}
	if !text.Is(r.S[from], text.Blank) && r.S[from] != '+' {
		if _, n := text.EscapeAt(r.S, from); n > 0 {
			r.Escapes = true
		}
		return text.Span{}, false
	}
	from++
	end := r.RunEnd(text.Base64Dot(), from, len(r.S))
	for end > from && r.S[end-1] == '.' {
		end--
	}
	if r.TouchesCut(end) && end > from {
		return text.Span{Start: from, End: end}, true
	}
	return text.Span{Start: from, End: end}, end-from >= 16 && text.MixOf(r.S, from, min(end, from+text.LongRun)).Random() && !r.isCode(token.Value{Start: from, End: end})
}

// CookieAt finds the value of a line in the file of cookies that curl writes (domain, flag, path, flag, time, name, value), whose first
// flag, with the tabs around it, is the n bytes at i.
func (r *Rules[T]) CookieAt(i, n int) (text.Span, bool) {
	field := func(i int) int {
		for ; i < len(r.S) && !text.Is(r.S[i], text.Space); i++ {
		}
		return i
	}
	at := i + n
	for k := range 5 {
		end := field(at)
		if k == 4 {
			return text.Span{Start: at, End: end}, end-at >= MinPassword && !r.isPlaceholder(at, end)
		}
		if k > 0 && end == at || end >= len(r.S) || r.S[end] != '\t' || k == 2 && text.Skip(r.S, at, end, text.Digit) < end {
			return text.Span{}, false
		}
		at = end + 1
	}
	return text.Span{}, false
}

// headers finds the value of the variable that has the headers for an OTLP exporter: name=value pairs. The first name is kept.
func (r *Rules[T]) headers(v token.Value) (text.Span, bool) {
	equal := text.IndexIn(r.S, v.Start, v.End, "=", false)
	if equal < 0 || text.MixOf(r.S, v.Start, equal).Blank > 0 || v.Quote != "" && !v.Quoted {
		return text.Span{}, false
	}
	return text.Span{Start: equal + 1, End: v.End}, v.End-equal > minKey+1 && !r.isPlaceholder(equal+1, v.End)
}

// cookie finds the value of a Cookie or Set-Cookie header: name=value pairs up to the end of the line.
func (r *Rules[T]) cookie(v token.Value) (text.Span, bool) {
	if v.Sep != token.SepColon && v.Sep != token.SepBlank && v.Sep != token.SepArgument {
		return text.Span{}, false
	}
	start, end := v.Start, v.End
	if !v.Quoted {
		if v.Quote != "" { // a bare word after a quoted name is code
			return text.Span{}, false
		}
		end = r.headerEnd(start)
	}
	equal := text.IndexIn(r.S, start, end, "=", false)
	if equal < 0 {
		return text.Span{}, r.TouchesCut(end) && end > start && !r.isReference(start, end)
	}
	if r.isReference(equal+1, end) || r.isPlaceholder(start, end) || end-equal < MinPassword {
		return text.Span{}, false
	}
	// Keep the name of the first cookie, so that a reader knows what was sent. If its value is already redacted, nothing is left.
	if r.IsMarker(equal+1, end) || text.MixOf(r.S, start, equal).Blank > 0 {
		return text.Span{}, false
	}
	return text.Span{Start: equal + 1, End: end}, true
}
