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
	minPEMLine   = 48 // a line that is not the last one
)

// PrivateKey is the kind of a private key block.
const PrivateKey = "private-key"

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
	end, runs := pemBody(in, closing+len(dashes), linePrefix(in.S, start))
	return text.Span{Start: start, End: end, Kind: PrivateKey}, runs > 0 || in.TouchesCut(end)
}

// PEMEnd finds a private key block without its beginning, as tail prints it. The "PRIVATE KEY" of its last line is at i.
func PEMEnd[T text.Bytes](in *text.Input[T], i int) (text.Span, bool) {
	s := in.S
	const end, dashes = "-----END ", "-----"
	start := i
	for start > in.From && i-start < maxPEMHeader && text.Is(s[start-1], text.Upper|text.Blank) {
		start--
	}
	start -= len(dashes)
	closing := text.IndexIn(s, i, i+maxPEMHeader, dashes, false)
	if closing < 0 || !text.HasAt(s, start, end, false) {
		return text.Span{}, false
	}
	sp := text.Span{Start: start, End: closing + len(dashes), Kind: PrivateKey}
	whole := 0 // lines
	for n := 0; start-sp.Start < maxPEM; n++ {
		from, to := pemLineBefore(in, sp.Start)
		if n > 0 && to-from < minPEMLine || from == to { // only the last line is short
			break
		}
		if to-from >= minPEMLine {
			whole++
		}
		sp.Start = from
	}
	return sp, whole > 0
}

// pemLineBefore returns the part of a key on the line before i. It is empty if there is anything else but a line number and marks.
func pemLineBefore[T text.Bytes](in *text.Input[T], i int) (from, to int) {
	s := in.S
	broken := func(i int) bool { return i > 1 && s[i-2] == '\\' && (s[i-1] == 'n' || s[i-1] == 'r' || s[i-1] == 't') }
	for to = i; to > in.From && i-to < maxPEMJunk && (broken(to) || !text.IsAlnum(s[to-1]) && s[to-1] != '='); to-- {
		if broken(to) {
			to--
		}
	}
	for from = to; from > in.From && to-from < maxPEM && isPEMByte(s[from-1]) && !broken(from); from-- {
	}
	for start := from; start > in.From && s[start-1] != '\n' && !text.Is(s[start-1], text.Quote) && !broken(start); start-- {
		if text.Is(s[start-1], text.Lower|text.Upper) || from-start > maxPEMJunk {
			return i, i
		}
	}
	return from, to
}

// isPEMByte reports whether c is a byte of base64.
func isPEMByte(c byte) bool { return text.IsAlnum(c) || c == '+' || c == '/' || c == '=' }

// linePrefix returns what precedes i on its line, from its first letter or digit on, if it is short: the name of a file before a line that
// grep prints, or that of a service in its log.
func linePrefix[T text.Bytes](s T, i int) (prefix T) {
	from := i
	for from > 0 && s[from-1] != '\n' && s[from-1] != '"' && !text.HasAt(s, from-2, `\n`, false) {
		if from--; i-from > maxPEMJunk {
			return prefix
		}
	}
	for from < i && !text.IsAlnum(s[from]) {
		from++
	}
	return s[from:i]
}

// afterPrefix returns the end of a prefix at i that differs from the first one only in its numbers, or i. grep writes a dash
// instead of a colon after a number that does not match.
func afterPrefix[T text.Bytes](s T, i int, prefix T) int {
	j := i
	for k := 0; k < len(prefix); {
		c := prefix[k]
		class := text.Digit
		switch {
		case text.Is(c, text.Blank):
			class = text.Blank
		case !text.Is(c, text.Digit):
			if j >= len(s) || s[j] != c && !(c == ':' && s[j] == '-') {
				return i
			}
			j, k = j+1, k+1
			continue
		case j >= len(s) || !text.Is(s[j], text.Digit):
			return i
		}
		j, k = text.Skip(s, j, len(s), class), text.Skip(prefix, k, len(prefix), class)
	}
	return j
}

// pemBody follows the lines of a block from i, and counts those that hold a part of the key. Each may have a prefix like the first one.
func pemBody[T text.Bytes](in *text.Input[T], i int, prefix T) (end, runs int) {
	s := in.S
	end = i
	limit := min(len(s), i+maxPEM)
	for i < limit {
		i = nextPEM(in, i, limit, prefix)
		if text.HasAt(s, i, "-----END", false) {
			if closing := text.IndexIn(s, i+8, min(limit, i+maxPEMHeader), "-----", false); closing >= 0 {
				return closing + 5, runs
			}
			return i, runs
		}
		run := i
		for run < limit && isPEMByte(s[run]) {
			run++
		}
		switch {
		case run-i >= minPEMRun, run > i && run >= limit:
			runs++
			end, i = run, run
		case run > i && text.HasAt(s, nextPEM(in, run, limit, prefix), "-----END", false): // the last, short line
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

// nextPEM skips what is between the lines of a key, and the prefix of the next one.
func nextPEM[T text.Bytes](in *text.Input[T], i, limit int, prefix T) int {
	i = pemJunk(in, i, limit)
	if j := afterPrefix(in.S, i, prefix); j > i {
		return pemJunk(in, j, limit)
	}
	return i
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
			if j-i > 7 || k >= limit || k == j && s[k] != 0xe2 && s[k] != ':' && s[k] != '|' && !text.HasAt(s, k, `\t`, false) {
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
