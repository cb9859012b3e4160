package shape

import (
	"github.com/tailspan/tailspan/redact/internal/text"
)

// Lengths of the parts of a JSON web token, in bytes. The shortest header, {"alg":"none"}, is longer.
const (
	minJWTHeader  = 12
	minJWTPayload = 8
)

// JWT returns the end of the signed or encrypted JSON web token that begins at i. Its first part is the base64url form of `{"`.
func JWT[T text.Bytes](in *text.Input[T], i int) int {
	end := i
	for part := 0; part < 5; part++ {
		from := end
		end = in.RunEnd(text.Base64URL(), end, len(in.S))
		if in.TouchesCut(end) && text.Starts(in.S, i) {
			return end
		}
		if part == 0 && end-from < minJWTHeader || part == 1 && end-from < minJWTPayload {
			return 0
		}
		if end >= len(in.S) || in.S[end] != '.' {
			if part == 0 || part == 1 && !text.Starts(in.S, i) {
				return 0
			}
			return end
		}
		end++
	}
	return end - 1
}

// awsSecretLen is the length of the secret that belongs to an AWS key ID, which has no prefix of its own.
const (
	awsSecretLen = 40
	awsNear      = 160
)

// AWSSecret finds the secret key shortly after the marker of a key ID at i.
func AWSSecret[T text.Bytes](in *text.Input[T], i int) (from, end int) {
	for from = i; from < min(len(in.S), i+awsNear); from = end + 1 {
		if in.S[from] == 't' && in.S[from-1] == '\\' { // a written tab
			from++
		}
		for end = from; end < len(in.S) && (text.Is(in.S[end], text.Alnum) || in.S[end] == '/' || in.S[end] == '+'); end++ {
		}
		if m := text.MixOf(in.S, from, end); end-from == awsSecretLen && m.Digit > 0 && m.Upper > 0 && m.Lower > 0 {
			return from, end
		}
	}
	return 0, 0
}
