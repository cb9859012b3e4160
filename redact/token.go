package redact

import "sync"

// Lengths of the parts of a JSON web token, in bytes; the shortest header, {"alg":"none"}, is longer.
const (
	minJWTHeader  = 12
	minJWTPayload = 8
)

// url64 is the bytes of base64url, and b64Dot those of base64 in both its forms and the dot.
var (
	url64  = sync.OnceValue(func() *[256]bool { return newSet(cAlnum, "_-") })
	b64Dot = sync.OnceValue(func() *[256]bool { return newSet(cB64|cIdent, "") })
)

// jwtAt is the end of the JSON web token, signed or encrypted, that begins at i. Its first part is base64url of `{"`.
func (f *finder[T]) jwtAt(i int) int {
	end := i
	for part := 0; part < 5; part++ {
		from := end
		end = f.runEnd(url64(), end, len(f.s))
		if f.touchesCut(end) && starts(f.s, i) {
			return end
		}
		if part == 0 && end-from < minJWTHeader || part == 1 && end-from < minJWTPayload {
			return 0
		}
		if end >= len(f.s) || f.s[end] != '.' {
			if part == 0 || part == 1 && !starts(f.s, i) {
				return 0
			}
			return end
		}
		end++
	}
	return end - 1
}

// awsSecretLen is the length of the secret that goes with an AWS key id; it has no prefix of its own.
const (
	awsSecretLen = 40
	awsNear      = 160
)

// awsSecretAfter finds the secret key near behind the marker of a key id at i.
func (f *finder[T]) awsSecretAfter(i int) (from, end int) {
	for from = i; from < min(len(f.s), i+awsNear); from = end + 1 {
		for end = from; end < len(f.s) && (is(f.s[end], cAlnum) || f.s[end] == '/' || f.s[end] == '+'); end++ {
		}
		if m := mixOf(f.s, from, end); end-from == awsSecretLen && m.digit > 0 && m.upper > 0 && m.lower > 0 {
			return from, end
		}
	}
	return 0, 0
}
