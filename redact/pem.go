package redact

// Limits of a private key block, in bytes.
const (
	maxPEMHeader = 80
	maxPEM       = 64 << 10
	maxPEMJunk   = 64
	minPEMRun    = 16
)

// pemAt finds a private key block, whose "BEGIN " stands at i: from its first dash to its last, or as far as it goes.
// What a tool puts before each line (a number, a quote mark) and line breaks that are written \n are part of it.
func (f *finder[T]) pemAt(i int) (span, bool) {
	s := f.s
	const dashes = "-----"
	start := i - len(dashes)
	if !hasAt(s, start, dashes, false) {
		return span{}, false
	}
	header := indexIn(s, i, i+maxPEMHeader, "PRIVATE KEY", false)
	if header < 0 {
		return span{}, f.cut && len(s)-i < maxPEMHeader
	}
	closing := indexIn(s, header, header+maxPEMHeader, dashes, false)
	if closing < 0 {
		return span{}, false
	}
	end, runs := f.pemBody(closing + len(dashes))
	return span{start: start, end: end, kind: "private-key"}, runs > 0 || f.touchesCut(end)
}

// pemBody follows the lines of a block from i, and counts those that hold a part of the key.
func (f *finder[T]) pemBody(i int) (end, runs int) {
	s := f.s
	end = i
	limit := min(len(s), i+maxPEM)
	for i < limit {
		i = f.pemJunk(i, limit)
		if hasAt(s, i, "-----END", false) {
			if closing := indexIn(s, i+8, min(limit, i+maxPEMHeader), "-----", false); closing >= 0 {
				return closing + 5, runs
			}
			return i, runs
		}
		run := i
		for run < limit && is(s[run], cAlnum) || run < limit && (s[run] == '+' || s[run] == '/' || s[run] == '=') {
			run++
		}
		switch {
		case run-i >= minPEMRun, run > i && run >= limit:
			runs++
			end, i = run, run
		case run > i && hasAt(s, f.pemJunk(run, limit), "-----END", false): // the last, short line
			runs++
			end, i = run, run
		case run > i && run < limit && (s[run] == ':' || s[run] == '-'): // Proc-Type: 4,ENCRYPTED
			for i = run; i < limit && s[i] != '\n' && s[i] != '\\'; i++ {
			}
		case run > i && runs > 0 && s[run-1] == '=': // the last line, without an end
			return run, runs
		default:
			return end, runs
		}
	}
	return end, runs
}

// pemJunk skips what stands between the lines of a key: white space, written line breaks, line numbers, quotes, marks.
func (f *finder[T]) pemJunk(i, limit int) int {
	s := f.s
	for stop := min(limit, i+maxPEMJunk); i < stop; {
		switch c := s[i]; {
		case c == '\\':
			i = skipByte(s, i, '\\')
			if i < limit && (s[i] == 'n' || s[i] == 'r' || s[i] == 't') {
				i++
			}
		case is(c, cDigit):
			j := skip(s, i, limit, cDigit)
			k := skip(s, j, limit, cBlank)
			if j-i > 7 || k >= limit || k == j && s[k] != 0xe2 && s[k] != ':' && s[k] != '|' {
				return i
			}
			i = k
		case is(c, cAlnum) || c == '+' && i+1 < limit && isAlnum(s[i+1]) || c == '/' && i+1 < limit && isAlnum(s[i+1]) || hasAt(s, i, "-----", false):
			return i
		default:
			i++
		}
	}
	return i
}
