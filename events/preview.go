package events

import (
	"strings"
	"unicode/utf8"
)

// Limits of previews, in runes.
const (
	// PreviewRunes is the longest [Tool.Arg].
	PreviewRunes = 40
	// SummaryRunes is the longest [Tool.Summary].
	SummaryRunes = 120
)

// ellipsis replaces the last rune of what was cut.
const ellipsis = "…"

// TargetKeys are the input fields that hold the primary argument of a tool that no table knows, in order of preference.
var TargetKeys = [...]string{
	"file_path", "filePath", "path", "dir_path", "url", "pattern", "command", "cmd", "query", "notebook_path",
	"description", "prompt", "message", "input", "title", "name", "objective",
}

// IsTargetKey reports whether [TargetKeys] lists a name.
func IsTargetKey(name []byte) bool {
	for _, key := range TargetKeys {
		if string(name) == key {
			return true
		}
	}
	return false
}

// Preview cleans s for one line and cuts it to [PreviewRunes] runes: escape sequences and control bytes go, each sequence of
// CR, LF and TAB becomes one blank, invalid UTF-8 becomes U+FFFD, and where something was cut the last rune is "…".
func Preview(s string) string { return CleanLine(s, PreviewRunes) }

// Summary is the first line of s that is not blank, trimmed, cleaned and cut to [SummaryRunes] runes.
func Summary(s string) string {
	for len(s) > 0 {
		line := s
		if i := strings.IndexAny(s, "\r\n"); i >= 0 {
			line, s = s[:i], s[i+1:]
		} else {
			s = ""
		}
		// A line of escapes alone is blank too, so clean first. The bound keeps a line of many megabytes cheap.
		if clean := strings.TrimSpace(CleanLine(line, 4*SummaryRunes)); clean != "" {
			return CutRunes(clean, SummaryRunes)
		}
	}
	return ""
}

// CleanLine makes one line of s that is safe to show, at most limit runes long: see [Preview]. A limit of 0 or less
// means no limit.
func CleanLine(s string, limit int) string {
	if isCleanLine(s, limit) {
		return s
	}
	return string(AppendCleanLine(nil, s, limit))
}

// AppendCleanLine appends what CleanLine makes of s.
func AppendCleanLine(line []byte, s string, limit int) []byte {
	runes, end := 0, 0 // end is where the last rune goes that there is room for
	blank := false     // the last rune written stands for line breaks or tabs
	for i := 0; i < len(s) && (limit <= 0 || runes <= limit); {
		if runes == limit-1 {
			end = len(line)
		}
		rest := s[i:]
		if limit > 0 {
			rest = rest[:min(len(rest), limit+1-runes)] // no more of it matters
		}
		if n := plainASCII(rest); n > 0 { // most of it is, and begins nothing that is hidden
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

// plainASCII is how many bytes at the beginning of s are printable ASCII.
func plainASCII(s string) int {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return i
		}
	}
	return len(s)
}

// isCleanLine reports whether s needs neither cleaning nor cutting; it looks at no more of s than it must.
func isCleanLine(s string, limit int) bool {
	if limit > 0 && len(s) > limit {
		return false
	}
	return plainASCII(s) == len(s)
}

// CutRunes cuts s to at most limit runes, the last being "…" where something was cut. It never cuts inside a rune.
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
