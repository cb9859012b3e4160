package container

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// cutString cuts the string that data begins with, after optional blanks: body is between its quotes, rest follows it.
func cutString(data []byte) (body, rest []byte, ok bool) {
	data = bytes.TrimLeft(data, " \t")
	if len(data) == 0 || data[0] != '"' {
		return nil, data, false
	}
	data = data[1:]
	end := stringEnd(data)
	if end < 0 {
		return nil, data, false
	}
	return data[:end], data[end+1:], true
}

// stringEnd returns the index of the quote that ends a string, or -1.
func stringEnd(body []byte) int {
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return -1
}

// appendText appends the text of a string; body is its content between the quotes. Invalid escapes are copied.
func appendText(dst, body []byte) []byte {
	for {
		i := bytes.IndexByte(body, '\\')
		if i < 0 || i+1 == len(body) {
			return append(dst, body...)
		}
		dst = append(dst, body[:i]...)
		body = body[i:]
		n := 2
		switch c := body[1]; c {
		case '"', '\\', '/':
			dst = append(dst, c)
		case 'n':
			dst = append(dst, '\n')
		case 't':
			dst = append(dst, '\t')
		case 'r':
			dst = append(dst, '\r')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'u':
			dst, n = appendRune(dst, body)
		default:
			dst = append(dst, '\\')
			n = 1
		}
		body = body[n:]
	}
}

// appendRune appends the character of the \u escape at the start of body, and returns the length of the escape.
func appendRune(dst, body []byte) ([]byte, int) {
	r := hexRune(body)
	if r < 0 {
		return append(dst, '\\'), 1
	}
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r), 6
	}
	if pair := utf16.DecodeRune(r, hexRune(body[6:])); pair != utf8.RuneError {
		return utf8.AppendRune(dst, pair), 12
	}
	return utf8.AppendRune(dst, utf8.RuneError), 6
}

// hexRune reads \u and its four digits; it returns -1 if they are missing.
func hexRune(s []byte) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	r := rune(0)
	for _, c := range s[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
