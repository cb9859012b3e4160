package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/render"
)

func TestSanitize(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "a\tb\nc", "a\tb\nc"},
		{"unicode", "日本語 🍵 é", "日本語 🍵 é"},
		{"colour", "\x1b[31mred\x1b[0m", "red"},
		{"clear screen and home", "a\x1b[2J\x1b[Hb", "ab"},
		{"title ended by BEL", "a\x1b]0;owned\ab", "ab"},
		{"link ended by ST", "\x1b]8;;http://bad.example\x1b\\link\x1b]8;;\x1b\\", "link"},
		{"clipboard", "\x1b]52;c;ZXZpbA==\aend", "end"},
		{"DCS, SOS, PM, APC", "\x1bPq\x1b\\a\x1bXq\x1b\\b\x1b^q\x1b\\c\x1b_q\x1b\\d", "abcd"},
		{"C1 forms", "a\u009b31mb\u009d0;t\u009cc\u0085d", "abc\nd"},
		{"string ended by C1 ST", "\x1b]0;t\u009cx", "x"},
		{"string torn by a newline", "\x1b]0;torn\nnext", "\nnext"},
		{"string torn by a sequence", "\x1b]0;torn\x1b[1mx", "x"},
		{"two-byte and nF", "\x1bcx\x1b(By", "xy"},
		{"ESC alone", "a\x1b", "a"},
		{"ESC before a rune", "a\x1bé", "aé"},
		{"unfinished CSI", "a\x1b[31", "a"},
		{"CSI torn by a newline", "a\x1b[3\nb", "a\nb"},
		{"backspace, bell, DEL, NUL", "a\bb\ac\x7fd\x00e", "abcde"},
		{"lone CR", "end\rFAKE OK", "end\nFAKE OK"},
		{"CRLF", "a\r\nb\r\n\r\nc", "a\nb\n\nc"},
		{"CR at the end", "a\r", "a\n"},
		{"line and paragraph separators", "a\u2028b\u2029c", "a\nb\nc"},
		{"bidi controls", "a\u202eb\u2066c\u2069d\u200ee\u200ff\u061cg\u202a\u202c", "abcdefg"},
		{"joiners in emoji stay", "👩\u200d👧 🏳\ufe0f\u200d🌈 ⛹🏽\u200d♂\ufe0f 1\ufe0f\u20e3 ☎\ufe0e", "👩\u200d👧 🏳\ufe0f\u200d🌈 ⛹🏽\u200d♂\ufe0f 1\ufe0f\u20e3 ☎\ufe0e"},
		{"joiners in scripts that need them stay", "می\u200cخواهم क्\u200dष क्\u200c ന്\u200d র\u200d্য", "می\u200cخواهم क्\u200dष क्\u200c ന്\u200d র\u200d্য"},
		{"joiners elsewhere", "pay\u200dload pay\u200cload \u200d👩\u200d x👩\u200d\u200c\u200d👧", "payload payload 👩 x👩\u200d👧"},
		{"joiner over what is removed", "👩\u200b\u200d\u00ad💻", "👩\u200d💻"},
		{"a joiner and the end of a line", "👩\u200d\n👧", "👩\n👧"},
		{"selectors elsewhere", "a\ufe0fb\ufe0e😀\ufe0f\ufe0f\ufe00\U000e0101 日\U000e0100", "ab😀\ufe0f 日"},
		{"zero width, soft hyphen, joiner of words", "pa\u200by\u00adlo\u2060ad\ufeff", "payload"},
		{"fillers", "a\u3164b\u115f\u1160c\uffa0d\u034fe\u180e", "abcde"},
		{"interlinear annotation", "\ufff9a\ufffab\ufffb", "ab"},
		{"tags", "a\U000e0001\U000e0041\U000e007fb🏴\U000e0067\U000e0062\U000e007f", "ab🏴"},
		{"invisible operators, music, shorthand", "f\u2061(x)\u2064y\U0001d173z\U0001bca0", "f(x)yz"},
		{"invalid UTF-8", "a\xffb\xe2\x80", "a\ufffdb\ufffd\ufffd"},
		{"raw C1 byte is no UTF-8", "a\x9b31mb", "a\ufffd31mb"},
		{"rune cut by a sequence does not join", "\xe2\x1b[m\x80\xae", "\ufffd\ufffd\ufffd"},
		{"surrogate as UTF-8", "\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := render.Sanitize(tt.in)
			assert.Equal(t, tt.want, got, "Sanitize(%q)", tt.in)
			assert.Equal(t, got, render.Sanitize(got), "idempotent")
		})
	}
}
