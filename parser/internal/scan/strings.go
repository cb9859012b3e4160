package scan

import (
	"encoding/binary"
	"unicode/utf8"
	"unsafe"
)

// Sizes of the memory of [Strings], in bytes.
const (
	chunkBytes = 4 << 10
	// firstBytes is the size of the first chunk; each further one is twice as large. There are thousands of short sessions.
	firstBytes = 256
	// largeBytes is the size from which a text is allocated separately, so that no small string keeps a large chunk alive.
	largeBytes = 512
	// internBytes is the maximum length of an interned string.
	internBytes = 128
)

// Strings converts raw strings to Go strings, which the caller may keep. Short ones share chunks of 4 KiB, so
// keeping one keeps at most that much alive. The zero value is ready to use, by one goroutine at a time.
type Strings struct {
	chunk    []byte
	interned *[internSlots]string
}

// Text returns the text of a string value, or "" for all other kinds.
func (a *Strings) Text(v Value) string { return a.Unescape(v.Body()) }

// Unescape returns the text of the bytes between the quotes of a string.
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
	a.room(3 * len(body)) // each byte of invalid UTF-8 becomes three
	start := len(a.chunk)
	a.chunk = AppendString(a.chunk, body)
	return view(a.chunk[start:])
}

// JSON returns the JSON of a value, with invalid UTF-8 replaced as in [AppendString].
func (a *Strings) JSON(v Value) string {
	if utf8.Valid(v.Raw) {
		return a.Copy(v.Raw)
	}
	return string(AppendJSON(nil, v.Raw))
}

// Copy returns a copy of b as a string.
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

// Join returns b and tail as one string.
func (a *Strings) Join(b []byte, tail string) string {
	if n := len(b) + len(tail); n >= largeBytes {
		return string(b) + tail
	}
	a.room(len(b) + len(tail))
	start := len(a.chunk)
	a.chunk = append(append(a.chunk, b...), tail...)
	return view(a.chunk[start:])
}

// Intern returns the text of a string value that is likely to recur, such as a session ID or a tool's name. It
// returns the same string again unless several dozen other texts of up to 128 bytes come in between.
func (a *Strings) Intern(v Value) string {
	body := v.Body()
	if len(body) == 0 {
		return ""
	}
	if len(body) > internBytes {
		return a.Unescape(body)
	}
	if a.interned == nil {
		a.interned = new([internSlots]string)
	}
	at := internSlot(body) &^ 1 // use a pair of slots: with a single one, two alternating texts would evict each other
	first, second := &a.interned[at], &a.interned[at^1]
	switch {
	case *first == string(body):
		return *first
	case *second == string(body):
		return *second
	case !plain(body): // rare among names; slots hold only unescaped texts
		return a.Unescape(body)
	}
	*second = *first
	*first = string(body)
	return *first
}

// internSlots is the number of slots for interned texts, in pairs.
const internSlots = 64

// internSlot returns the first slot of a text. Names and IDs differ mostly at their ends.
func internSlot(body []byte) uint64 {
	var head, tail uint64
	switch n := len(body); {
	case n >= 8:
		head, tail = binary.LittleEndian.Uint64(body), binary.LittleEndian.Uint64(body[n-8:])
	case n >= 4:
		head, tail = uint64(binary.LittleEndian.Uint32(body)), uint64(binary.LittleEndian.Uint32(body[n-4:]))
	default:
		head, tail = uint64(body[0]), uint64(body[n-1])
	}
	return (head*0x9e3779b97f4a7c15 ^ tail) * 0xd6e8feb86659fd93 >> 58
}

// room makes room for n more bytes without moving the chunk, since strings point into it.
func (a *Strings) room(n int) {
	if cap(a.chunk)-len(a.chunk) < n {
		a.chunk = make([]byte, 0, max(n, min(2*cap(a.chunk), chunkBytes), firstBytes))
	}
}

// view returns b as a string without a copy. The bytes must never change again: chunks are only appended to, and a
// separately allocated text is never modified.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
