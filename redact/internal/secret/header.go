package secret

import (
	"github.com/tailspan/tailspan/redact/internal/text"
	"github.com/tailspan/tailspan/redact/internal/token"
)

// authSchemes are the words before the credentials of an Authorization header; they stay.
var authSchemes = []string{"bearer", "basic", "token", "digest", "apikey", "negotiate", "ntlm", "bot", "aws4-hmac-sha256", "key", "splunk", "snowflake"}

const minCredentials = 6

// authorization finds the credentials in the value of an Authorization header, in any spelling of it.
func (f *Rules[T]) authorization(v token.Value) (text.Span, bool) {
	start, end := v.Start, v.End
	scheme := false
	for _, w := range authSchemes {
		if !text.HasAt(f.S, start, w, true) {
			continue
		}
		if i := text.Skip(f.S, start+len(w), len(f.S), text.Blank); i > start+len(w) {
			start, scheme = i, true
			if !v.Quoted {
				end = f.BareEnd(i, token.SepTight)
				if f.S[v.Start] == 'A' || f.S[v.Start] == 'D' { // Digest and AWS4 have several parts
					end = f.headerEnd(i)
				}
			}
			break
		}
	}
	if end <= start || f.isPlaceholder(start, end) || f.isReference(start, end) {
		return text.Span{}, false
	}
	sp := text.Span{Start: start, End: end}
	if f.TouchesCut(end) {
		return sp, true
	}
	m := text.MixOf(f.S, start, end)
	switch {
	case end-start < minCredentials, f.isCode(token.Value{Start: start, End: end, Quoted: v.Quoted}):
		return text.Span{}, false
	case scheme:
		return sp, m.Digit > 0 || v.Quoted && m.Blank == 0 || m.Lower > 0 && m.Upper > 0 && end-start >= minKey || end-start >= 16
	default:
		return sp, m.Blank == 0 && m.Digit > 0 && !f.isPath(start, end) && (v.Quoted || m.Random())
	}
}

// headerEnd is the end of a header's line, or of the quote around it.
func (f *Rules[T]) headerEnd(i int) int {
	for ; i < min(len(f.S), i+token.MaxQuoted); i++ {
		c := f.S[i]
		if c == '\n' || c == '\r' || c == '\'' || c == '"' || c == '`' {
			break
		}
		if c == '\\' && i+1 < len(f.S) && (f.S[i+1] == 'n' || f.S[i+1] == 'r' || f.S[i+1] == '"' || f.S[i+1] == '\'' || f.S[i+1] == '\\') {
			break
		}
	}
	return i
}

// BearerAt finds a token after the word alone, as code writes it: "bearer" is at i.
func (f *Rules[T]) BearerAt(i, n int) (text.Span, bool) {
	from := i + n
	if from >= len(f.S) || !text.Starts(f.S, i) {
		return text.Span{}, false
	}
	if !text.Is(f.S[from], text.Blank) && f.S[from] != '+' {
		if _, n := text.EscapeAt(f.S, from); n > 0 {
			f.Escapes = true
		}
		return text.Span{}, false
	}
	from++
	end := f.RunEnd(text.Base64Dot(), from, len(f.S))
	for end > from && f.S[end-1] == '.' {
		end--
	}
	if f.TouchesCut(end) && end > from {
		return text.Span{Start: from, End: end}, true
	}
	return text.Span{Start: from, End: end}, end-from >= 16 && text.MixOf(f.S, from, min(end, from+text.LongRun)).Random() && !f.isCode(token.Value{Start: from, End: end})
}

// cookie finds the value of a Cookie or Set-Cookie header: name=value pairs up to the end of the line.
func (f *Rules[T]) cookie(v token.Value) (text.Span, bool) {
	if v.Sep != token.SepColon && v.Sep != token.SepBlank && v.Sep != token.SepArgument {
		return text.Span{}, false
	}
	start, end := v.Start, v.End
	if !v.Quoted {
		if v.Quote != "" { // a bare word after a quoted name is code
			return text.Span{}, false
		}
		end = f.headerEnd(start)
	}
	equal := text.IndexIn(f.S, start, end, "=", false)
	if equal < 0 {
		return text.Span{}, f.TouchesCut(end) && end > start && !f.isReference(start, end)
	}
	if f.isReference(equal+1, end) || f.isPlaceholder(start, end) || end-equal < MinPassword {
		return text.Span{}, false
	}
	// The name of the first cookie stays, so that a reader knows what was sent. If its value is redacted already, nothing is left.
	if f.IsMarker(equal+1, end) || text.MixOf(f.S, start, equal).Blank > 0 {
		return text.Span{}, false
	}
	return text.Span{Start: equal + 1, End: end}, true
}
