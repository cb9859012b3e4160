package render_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

// hostile are texts that a renderer must make safe; the seeds of both targets.
var hostile = []string{
	"", "plain", "a\r\nb\rc\n", "safe \x1b[2J\x1b[H\x1b]0;owned\a\x1b]8;;http://bad.example\alink\x1b]8;;\a end\rFAKE OK\b\b",
	"\x1b]52;c;ZXZpbA==\x1b\\x", "\u009b31mred\u009d0;t\u009cx", "\xe2\x1b[m\x80\xae", "a\u202eb\u2066c\u061c\u2028d\u0085e",
	"日本語 🍵 👩\u200d👧", "\x1b[38;5;1", "\x1b]torn\nnext", "\x1b]x\x1b[1my", "\x1b(B\x1bc\x1b", "\xf0\x9f\x8d", "\x1b]\xc2\x9c!", "\x1b]\xc2\x1b\\!",
	"::error::boo\n \t::add-mask::a", "##[error]x ##vso[task.complete]", "   \n\t ", "--- a\n+++\n ^^^ +++", "section_start:1:x[y=z]",
	"a\u200bb\u00adc\ufeffd\U000e0041\U000e0100", "\u200d👩\u200d\u200b💻\u200d", "❤\ufe0f\ufe0f\u200d🔥 1\ufe0f\u20e3 a\ufe0f", "می\u200cخواهم क्\u200dष न\u200d",
}

// FuzzSanitize checks that the result of Sanitize has no forbidden character, is valid UTF-8, does not change when
// sanitised again, and equals the result of a slow implementation with events.EscapeLen.
func FuzzSanitize(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := render.Sanitize(in)
		checkSafe(t, in, got)
		if again := render.Sanitize(got); again != got {
			t.Errorf("Sanitize(%q) = %q, again %q", in, got, again)
		}
		if want := withoutContextual(slowSanitize(in)); withoutContextual(got) != want {
			t.Errorf("Sanitize(%q) = %q, by EscapeLen %q", in, got, want)
		}
	})
}

// FuzzPieces checks that a text has the same output whole and in pieces, cut at any two bytes, in every mode and style
// and with commands escaped; that it is safe; and that a marker is one line.
func FuzzPieces(f *testing.F) {
	for i, s := range hostile {
		f.Add(s, len(s)/3, 2*len(s)/3, uint8(i))
	}
	f.Fuzz(func(t *testing.T, in string, i, j int, how uint8) {
		i, j = min(max(i, 0), len(in)), min(max(j, 0), len(in))
		i, j = min(i, j), max(i, j)
		s := render.Settings{Mode: render.Mode(how % 2), Style: render.Style(how >> 1 % 4), EscapeCommands: render.CISystems(how>>3) & render.CIAll}
		whole := emit(s, &events.DisplayEvent{Kind: events.KindText, MessageID: "m", Text: in})
		var pieces []*events.DisplayEvent
		for _, p := range []string{in[:i], in[i:j], in[j:]} {
			pieces = append(pieces, &events.DisplayEvent{Kind: events.KindText, MessageID: "m", Delta: true, Text: p})
		}
		if got := emit(s, pieces...); got != whole {
			t.Errorf("pieces of %q at %d, %d: %q, whole %q", in, i, j, got, whole)
		}
		checkSafe(t, in, whole)
		if whole != "" && !strings.HasSuffix(whole, "\n") {
			t.Errorf("%q gives %q: no newline at the end", in, whole)
		}
		s.Mode = render.ModeVerbose
		marker := emit(s, &events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{Name: in, Target: in}})
		checkSafe(t, in, marker)
		if strings.Count(marker, "\n") != 1 || !strings.HasSuffix(marker, "\n") || strings.HasSuffix(marker, " \n") {
			t.Errorf("marker of %q is no clean line: %q", in, marker)
		}
	})
}

func emit(s render.Settings, all ...*events.DisplayEvent) string {
	var out bytes.Buffer
	r := render.New(&out, s)
	for _, e := range all {
		r.Emit(e)
	}
	_ = r.Close() // writing to a bytes.Buffer never fails
	return out.String()
}

// forbidden reports whether a character must never leave a renderer.
func forbidden(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f || r >= 0x202a && r <= 0x202e ||
		r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c || r == 0x2028 || r == 0x2029 ||
		unseen(r) && !contextual(r)
}

// unseen reports whether a character displays nothing by itself, by the tables of Unicode.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r >= 0xfff0 && r <= 0xfffb ||
		r >= 0x180b && r <= 0x180f || r == 0xfeff || r == 0xad || r >= 0x200b && r <= 0x200d || r >= 0x2060 && r <= 0x206f ||
		r >= 0x1bca0 && r <= 0x1bca3 || r >= 0x1d173 && r <= 0x1d17a || r >= 0xe0000 && r <= 0xe0fff
}

// contextual reports whether such a character is kept in some places.
func contextual(r rune) bool { return r == 0x200c || r == 0x200d || r == 0xfe0e || r == 0xfe0f }

func checkSafe(t *testing.T, in, got string) {
	t.Helper()
	if !utf8.ValidString(got) {
		t.Errorf("%q gives invalid UTF-8: %q", in, got)
	}
	if i := strings.IndexFunc(got, forbidden); i >= 0 {
		t.Errorf("%q gives a forbidden character at %d: %q", in, i, got)
	}
	// Joiners and selectors are kept only singly, except for a selector that turns a joined character into an emoji.
	before := ' '
	for _, r := range got {
		if contextual(r) && (contextual(before) && !(before == 0xfe0f && r == 0x200d) || unicode.IsSpace(before) || unicode.In(before, unicode.Latin)) {
			t.Errorf("%q gives %q: %U behind %U", in, got, r, before)
		}
		before = r
	}
}

// withoutContextual removes what slowSanitize does not handle.
func withoutContextual(s string) string {
	return strings.Map(func(r rune) rune {
		if contextual(r) {
			return -1
		}
		return r
	}, s)
}

// slowSanitize does with events.EscapeLen what Sanitize does with its own state machine.
func slowSanitize(s string) string {
	var b strings.Builder
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		esc := events.EscapeLen(s)
		switch {
		case strings.HasPrefix(s, "\r\n"):
			n = 2
			b.WriteByte('\n')
		case r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029:
			b.WriteByte('\n')
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case esc > 0:
			n = esc
		case !forbidden(r):
			b.WriteRune(r)
		}
		s = s[n:]
	}
	return b.String()
}
