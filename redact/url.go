package redact

const maxAuthority = 1 << 10

// urlAt finds the password of scheme://user:password@host, whose "://" stands at i; user and host stay. A user without
// a password is a secret if it looks like a key.
func (f *finder[T]) urlAt(i int) (span, bool) {
	if i == 0 || !is(f.s[i-1], cAlnum) {
		return span{}, false
	}
	start := i + len("://")
	colon, at, slash := -1, -1, -1
	end := start
	for limit := min(len(f.s), start+maxAuthority); end < limit && !is(f.s[end], cURLEnd); end++ {
		switch c := f.s[end]; {
		case c == '@':
			at = end
		case c == ':' && colon < 0 && slash < 0:
			colon = end
		case (c == '/' || c == '?' || c == '#') && slash < 0:
			slash = end
			if at >= 0 || colon < 0 {
				return f.userInfo(start, colon, at)
			}
			// What stands before the slash may be host and port, or a password with a slash in it.
			if skip(f.s, colon+1, end, cDigit) == end {
				return span{}, false
			}
		}
	}
	if at < 0 && f.touchesCut(end) && colon > 0 && skip(f.s, colon+1, end, cDigit) < end {
		at = end
	}
	return f.userInfo(start, colon, at)
}

func (f *finder[T]) userInfo(start, colon, at int) (span, bool) {
	if at < 0 {
		return span{}, false
	}
	if colon >= 0 && colon < at {
		sp := span{start: colon + 1, end: at}
		return sp, at-colon > 1 && !f.isPlaceholder(colon+1, at)
	}
	return span{start: start, end: at}, at-start >= 20 && mixOf(f.s, start, at).random() && indexIn(f.s, start, at, ".", false) < 0
}
