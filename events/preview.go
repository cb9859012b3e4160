package events

import (
	"strings"
	"unicode/utf8"
)

// Size limits of previews, in runes.
const (
	// PreviewRunes is the maximum length of [Tool.Arg].
	PreviewRunes = 40
	// SummaryRunes is the maximum length of [Tool.Summary].
	SummaryRunes = 120
)

// ellipsis is the last rune of a text that was cut.
const ellipsis = "…"

// TargetKeys lists the input fields that hold the primary argument of an unknown tool, in order of preference.
var TargetKeys = [...]string{
	"file_path", "filePath", "path", "dir_path", "url", "pattern", "command", "cmd", "query", "notebook_path",
	"description", "prompt", "message", "input", "title", "name", "objective",
}

// IsTargetKey reports whether [TargetKeys] contains name.
func IsTargetKey(name []byte) bool {
	for _, key := range TargetKeys {
		if string(name) == key {
			return true
		}
	}
	return false
}

// Preview cleans s for one line and cuts it to [PreviewRunes] runes. It removes escape sequences and control bytes, replaces
// each sequence of CR, LF and TAB by one blank and invalid UTF-8 by U+FFFD. If it cuts, the last rune is "…".
func Preview(s string) string { return CleanLine(s, PreviewRunes) }

// Summary returns the first non-blank line of s, trimmed, cleaned and cut to [SummaryRunes] runes.
func Summary(s string) string {
	for len(s) > 0 {
		line := s
		if i := strings.IndexAny(s, "\r\n"); i >= 0 {
			line, s = s[:i], s[i+1:]
		} else {
			s = ""
		}
		// A line that holds only escapes is blank too, so clean first. The limit bounds the cost of a line of many megabytes.
		if clean := strings.TrimSpace(CleanLine(line, 4*SummaryRunes)); clean != "" {
			return CutRunes(clean, SummaryRunes)
		}
	}
	return ""
}

// CleanLine turns s into one line of at most limit runes that is safe to display: see [Preview]. If limit is 0 or
// negative, there is no limit.
func CleanLine(s string, limit int) string {
	if isCleanLine(s, limit) {
		return s
	}
	return string(AppendCleanLine(nil, s, limit))
}

// AppendCleanLine appends the result of CleanLine to line.
func AppendCleanLine(line []byte, s string, limit int) []byte {
	runes, end := 0, 0 // end is where the last rune begins that fits
	blank := false     // the last rune written replaces line breaks or tabs
	for i := 0; i < len(s) && (limit <= 0 || runes <= limit); {
		if runes == limit-1 {
			end = len(line)
		}
		rest := s[i:]
		if limit > 0 {
			rest = rest[:min(len(rest), limit+1-runes)] // the remainder would be cut anyway
		}
		if n := plainASCII(rest); n > 0 { // fast path: most text is plain ASCII, which hides nothing
			if runes < limit {
				end = len(line) + limit - 1 - runes
			}
			line = append(line, rest[:n]...)
			i += n
			runes += n
			blank = false
			continue
		}
		c := s[i]
		if n := EscapeLen(s[i:]); n > 0 {
			if n == 1 && (c == '\n' || c == '\r' || c == '\t') {
				if !blank {
					line = append(line, ' ')
					runes++
				}
				blank = true
			}
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		line = utf8.AppendRune(line, r)
		i += n
		runes++
		blank = false
	}
	if limit > 0 && runes > limit {
		line = append(line[:end], ellipsis...)
	}
	return line
}

// plainASCII returns the number of printable ASCII bytes at the beginning of s.
func plainASCII(s string) int {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return i
		}
	}
	return len(s)
}

// isCleanLine reports whether s needs neither cleaning nor cutting. It reads no more of s than necessary.
func isCleanLine(s string, limit int) bool {
	if limit > 0 && len(s) > limit {
		return false
	}
	return plainASCII(s) == len(s)
}

// CutRunes cuts s to at most limit runes; the last one is "…" if it cut. It never cuts inside a rune.
func CutRunes(s string, limit int) string {
	if limit <= 0 || len(s) <= limit {
		return s
	}
	runes, end := 0, 0
	for i := range s {
		if runes == limit-1 {
			end = i
		}
		if runes == limit {
			return s[:end] + ellipsis
		}
		runes++
	}
	return s
}
