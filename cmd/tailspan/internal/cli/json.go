package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// NewJSONEncoder makes an encoder for output that may be read on a terminal. What a terminal would obey and encoding/json leaves as it
// is (DEL, C1 and bidirectional controls) is escaped, which makes no difference to a program.
func NewJSONEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(escaping{w})
	enc.SetEscapeHTML(false)
	return enc
}

// escaping writes JSON.
type escaping struct{ w io.Writer }

// Write writes whole values, as the encoder hands them over.
func (e escaping) Write(p []byte) (int, error) {
	var out []byte
	from := 0
	for i := 0; i < len(p); i++ {
		if p[i] < 0x7f {
			continue
		}
		r, size := utf8.DecodeRune(p[i:])
		if isCommand(r) {
			out = fmt.Appendf(append(out, p[from:i]...), `\u%04x`, r)
			from = i + size
		}
		i += size - 1
	}
	if from == 0 {
		return e.w.Write(p)
	}
	if _, err := e.w.Write(append(out, p[from:]...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// isCommand reports whether a character behind those of ASCII that can be seen does something to a terminal.
func isCommand(r rune) bool { return r >= 0x7f && r <= 0x9f || unicode.Is(unicode.Bidi_Control, r) }
