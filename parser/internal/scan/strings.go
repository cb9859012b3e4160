package scan

import (
	"unicode/utf8"
	"unsafe"
)

// Sizes of the memory of [Strings], in bytes.
const (
	chunkBytes = 4 << 10
	// firstBytes is the size of the first chunk; the next ones double it. There are thousands of short sessions.
	firstBytes = 256
	// largeBytes is the size from which a text gets memory of its own, so that no small string keeps a large one alive.
	largeBytes = 512
	// internBytes is the longest string that is interned, and maxInterned is how many are.
	internBytes = 128
	maxInterned = 1024
)

// Strings makes Go strings of raw ones. The strings are their holder's to keep; short ones share chunks of 4 KiB, so
// keeping one keeps at most that much alive. The zero value is ready. One goroutine at a time.
type Strings struct {
	chunk    []byte
	interned map[string]string
}

// Text gives the text of a string value; "" for all other kinds.
func (a *Strings) Text(v Value) string { return a.Unescape(v.Body()) }

// Unescape gives the text of what stands between the quotes of a string.
func (a *Strings) Unescape(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	if plain(body) {
		return a.Copy(body)
	}
	if len(body) >= largeBytes {
		return view(AppendString(make([]byte, 0, len(body)), body))
	}
	a.room(3 * len(body)) // of invalid UTF-8 each byte becomes three
	start := len(a.chunk)
	a.chunk = AppendString(a.chunk, body)
	return view(a.chunk[start:])
}

// JSON gives a value as it stands, invalid UTF-8 replaced as in [AppendString].
func (a *Strings) JSON(v Value) string {
	if utf8.Valid(v.Raw) {
		return a.Copy(v.Raw)
	}
	return string(AppendJSON(nil, v.Raw))
}

// Copy gives b as a string.
func (a *Strings) Copy(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) >= largeBytes {
		return string(b)
	}
	a.room(len(b))
	start := len(a.chunk)
	a.chunk = append(a.chunk, b...)
	return view(a.chunk[start:])
}

// Intern gives the text of a string value that is likely to come again, such as a session id or a tool's name: the
// same text is made once. No more than 1,024 texts of up to 128 bytes are held; others are made each time.
func (a *Strings) Intern(v Value) string {
	body := v.Body()
	if len(body) == 0 {
		return ""
	}
	if s, ok := a.interned[string(body)]; ok {
		return s
	}
	if len(body) > internBytes {
		return a.Unescape(body)
	}
	s := string(AppendString(nil, body))
	if len(a.interned) < maxInterned {
		if a.interned == nil {
			a.interned = map[string]string{}
		}
		a.interned[string(body)] = s
	}
	return s
}

// room sees to it that n more bytes fit into the chunk without moving it: strings point into it.
func (a *Strings) room(n int) {
	if cap(a.chunk)-len(a.chunk) < n {
		a.chunk = make([]byte, 0, max(n, min(2*cap(a.chunk), chunkBytes), firstBytes))
	}
}

// view gives b as a string without a copy. The bytes must never change again: chunks are only appended to, and a text
// with memory of its own is never touched after it was made.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
