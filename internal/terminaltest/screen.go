// Package terminaltest has a terminal for tests: it shows what a program wrote as a person would see it. It knows what
// tailspan writes and nothing more, and fails loudly at anything else: printable characters of one cell, newline, carriage
// return, "erase below" (CSI J), the end and begin of folding (CSI ?7l, CSI ?7h) and colours (CSI ... m).
package terminaltest

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// Screen is a terminal with endless memory above. It may be used by several goroutines.
type Screen struct {
	// Reflow: the terminal folds long lines anew when its width changes, as most do, or cuts them.
	Reflow bool

	mu     sync.Mutex
	width  int
	lines  [][]rune // as ended by newlines; a long one takes several rows
	top    int      // first line of the screen; those above are its history
	at     int      // line of the cursor
	col    int      // its place in that line
	cut    bool     // what goes beyond the end of a row is written into its last cell
	rest   []byte   // the beginning of a sequence or character
	faults []string
}

// New makes a Screen of a width in cells.
func New(width int, reflow bool) *Screen {
	return &Screen{Reflow: reflow, width: width, lines: [][]rune{nil}}
}

// Write shows what a program wrote.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data := append(s.rest, p...)
	for len(data) > 0 {
		n := s.step(data)
		if n == 0 {
			break
		}
		data = data[n:]
	}
	s.rest = append([]byte(nil), data...)
	return len(p), nil
}

// step takes one character or sequence; 0 if it is not whole yet.
func (s *Screen) step(data []byte) int {
	switch data[0] {
	case '\n':
		s.newline()
		return 1
	case '\r':
		s.col -= s.col % s.width
		return 1
	case 0x1b:
		return s.sequence(data)
	}
	if !utf8.FullRune(data) {
		return 0
	}
	r, n := utf8.DecodeRune(data)
	if r < 0x20 || r == 0x7f || r == utf8.RuneError {
		s.faults = append(s.faults, fmt.Sprintf("character %q", r))
		return n
	}
	line := s.lines[s.at]
	for len(line) <= s.col {
		line = append(line, ' ')
	}
	line[s.col] = r
	s.lines[s.at] = line
	if !s.cut || s.col%s.width < s.width-1 {
		s.col++
	}
	return n
}

func (s *Screen) sequence(data []byte) int {
	for i, c := range data {
		switch {
		case i == 0 || i == 1 && c == '[' || i == 2 && c == '?' || c >= '0' && c <= '9' || c == ';':
			continue
		case c == 'J' && i == 2:
			s.eraseBelow()
		case string(data[:i+1]) == "\x1b[?7l":
			s.cut = true
		case string(data[:i+1]) == "\x1b[?7h":
			s.cut = false
		case c == 'm' && i >= 2 && data[2] != '?':
		default:
			s.faults = append(s.faults, fmt.Sprintf("sequence %q", data[:i+1]))
		}
		return i + 1
	}
	return 0
}

// eraseBelow erases from the cursor on. If that is the whole screen, it goes to the history, as in tmux.
func (s *Screen) eraseBelow() {
	if s.at == s.top && s.col == 0 && len(s.lines[s.at]) > 0 {
		s.lines = append(s.lines, nil)
		s.top, s.at = len(s.lines)-1, len(s.lines)-1
		return
	}
	s.lines = s.lines[:s.at+1]
	s.lines[s.at] = s.lines[s.at][:min(s.col, len(s.lines[s.at]))]
}

func (s *Screen) newline() {
	if end := s.col - s.col%s.width + s.width; end < len(s.lines[s.at]) {
		s.col = end // the next row of the same line
		return
	}
	s.at++
	s.col = 0
	if s.at == len(s.lines) {
		s.lines = append(s.lines, nil)
	}
}

// Resize changes the width.
func (s *Screen) Resize(width int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.Reflow {
		var rows [][]rune
		at := 0
		for i, line := range s.lines {
			for start := 0; start == 0 || start < len(line); start += s.width {
				row := line[start:min(start+s.width, len(line))]
				if i == s.at && s.col >= start && (s.col < start+s.width || start+s.width >= len(line)) {
					at = len(rows)
				}
				rows = append(rows, append([]rune(nil), row[:min(len(row), width)]...))
			}
		}
		s.col = min(s.col%s.width, width-1)
		s.lines, s.at = rows, at
	}
	s.width = width
}

// Lines is what stands on the screen and above, a string a line, without blanks at its end. A line that takes several
// rows is one.
func (s *Screen) Lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, line := range s.lines {
		all = append(all, strings.TrimRight(string(line), " "))
	}
	for len(all) > 0 && all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// Last is the last line that is not blank, empty if there is none.
func (s *Screen) Last() string {
	lines := s.Lines()
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

// Faults are the things that were written and that a log must not hold.
func (s *Screen) Faults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.faults...)
}
