package terminaltest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestScreen(t *testing.T) {
	s := New(4, true)
	fmt.Fprint(s, "one\ntwotwo\n\x1b[36mstatus\x1b[0m\r")
	assert.Equal(t, []string{"one", "twotwo", "status"}, s.Lines())
	fmt.Fprint(s, "\x1b[J")
	assert.Equal(t, "stat", s.Last(), "a status of two rows leaves its first")
	fmt.Fprint(s, "\r\x1b[Jab\xe2\x80")
	fmt.Fprint(s, "\xa6\n")
	assert.Equal(t, []string{"one", "twotwo", "statab…"}, s.Lines())
	fmt.Fprint(s, "\x1b[?7lstatus\x1b[?7h\r")
	assert.Equal(t, "stas", s.Last(), "what is too long for a row stays in it")
	fmt.Fprint(s, "\x1b[Jstatus")
	assert.Equal(t, "status", s.Last())
	assert.Empty(t, s.Faults())
	fmt.Fprint(s, "\x1b[2Kx\b\x1b[?25l")
	assert.Equal(t, []string{`sequence "\x1b[2K"`, `character '\b'`, `sequence "\x1b[?25l"`}, s.Faults())
}

func TestScreenResize(t *testing.T) {
	for _, reflow := range []bool{true, false} {
		s := New(8, reflow)
		fmt.Fprint(s, "a log line\nstatus\r")
		s.Resize(4)
		fmt.Fprint(s, "\r\x1b[J")
		if reflow {
			assert.Equal(t, []string{"a log line"}, s.Lines())
		} else {
			assert.Equal(t, []string{"a lo", "ne"}, s.Lines())
		}
		fmt.Fprint(s, "end")
		assert.Equal(t, "end", s.Last())
	}
}
