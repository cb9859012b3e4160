package shape

import (
	"github.com/tailspan/tailspan/redact/internal/text"
)

// Limits of a private key block, in bytes.
const (
	maxPEMHeader = 80
	maxPEM       = 64 << 10
	maxPEMJunk   = 64
	minPEMRun    = 16
)

// PEM finds a private key block whose "BEGIN " is at i: from its first dash to its last, or to the end of the text.
// Prefixes that a tool adds to each line (a number, a quote mark) and line breaks written as \n are part of it.
func PEM[T text.Bytes](in *text.Input[T], i int) (text.Span, bool) {
	s := in.S
	const dashes = "-----"
	start := i - len(dashes)
	if !text.HasAt(s, start, dashes, false) {
		return text.Span{}, false
	}
	header := text.IndexIn(s, i, i+maxPEMHeader, "PRIVATE KEY", false)
	if header < 0 {
		return text.Span{}, in.Cut && len(s)-i < maxPEMHeader
	}
	closing := text.IndexIn(s, header, header+maxPEMHeader, dashes, false)
	if closing < 0 {
		return text.Span{}, false
	}
	end, runs := pemBody(in, closing+len(dashes))
	return text.Span{Start: start, End: end, Kind: "private-key"}, runs > 0 || in.TouchesCut(end)
}

// pemBody follows the lines of a block from i, and counts those that hold a part of the key.
func pemBody[T text.Bytes](in *text.Input[T], i int) (end, runs int) {
	s := in.S
	end = i
	limit := min(len(s), i+maxPEM)
	for i < limit {
		i = pemJunk(in, i, limit)
		if text.HasAt(s, i, "-----END", false) {
			if closing := text.IndexIn(s, i+8, min(limit, i+maxPEMHeader), "-----", false); closing >= 0 {
				return closing + 5, runs
			}
			return i, runs
		}
		run := i
		for run < limit && text.Is(s[run], text.Alnum) || run < limit && (s[run] == '+' || s[run] == '/' || s[run] == '=') {
			run++
		}
		switch {
		case run-i >= minPEMRun, run > i && run >= limit:
			runs++
			end, i = run, run
		case run > i && text.HasAt(s, pemJunk(in, run, limit), "-----END", false): // the last, short line
			runs++
			end, i = run, run
		case run > i && run < limit && (s[run] == ':' || s[run] == '-'): // Proc-Type: 4,ENCRYPTED
			for i = run; i < limit && s[i] != '\n' && s[i] != '\\'; i++ {
			}
		case run > i && runs > 0 && s[run-1] == '=': // the last line, without an end marker
			return run, runs
		default:
			return end, runs
		}
	}
	return end, runs
}

// pemJunk skips what is between the lines of a key: white space, written line breaks, line numbers, quotes, marks.
func pemJunk[T text.Bytes](in *text.Input[T], i, limit int) int {
	s := in.S
	for stop := min(limit, i+maxPEMJunk); i < stop; {
		switch c := s[i]; {
		case c == '\\':
			i = text.SkipByte(s, i, '\\')
			if i < limit && (s[i] == 'n' || s[i] == 'r' || s[i] == 't') {
				i++
			}
		case text.Is(c, text.Digit):
			j := text.Skip(s, i, limit, text.Digit)
			k := text.Skip(s, j, limit, text.Blank)
			if j-i > 7 || k >= limit || k == j && s[k] != 0xe2 && s[k] != ':' && s[k] != '|' {
				return i
			}
			i = k
		case text.Is(c, text.Alnum) || c == '+' && i+1 < limit && text.IsAlnum(s[i+1]) || c == '/' && i+1 < limit && text.IsAlnum(s[i+1]) || text.HasAt(s, i, "-----", false):
			return i
		default:
			i++
		}
	}
	return i
}
