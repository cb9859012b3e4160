package term

import (
	"io"
	"os"
	"sync"
	"time"

	xterm "golang.org/x/term"

	"github.com/tailspan/tailspan/render/internal/text"
)

// spinInterval is the interval at which the status line is redrawn.
const spinInterval = 100 * time.Millisecond

// spinner holds the frames of the animation in the status line.
var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// defaultWidth is the width of a terminal that does not report it, in cells.
const defaultWidth = 80

// Sequences of the status line (ECMA-48, and DECAWM of the VT100). The cursor stays at the beginning of the status. If a
// terminal becomes narrower and wraps the line, the cursor is still on the first of its rows, so that erasing removes the
// whole status and nothing of the log above. A status for a wider terminal, which became narrow before the status was
// shown, must not wrap at all: the cursor would be on its last row. Erasing begins behind what was written, because tmux (3.3a,
// scroll-on-clear) keeps what is erased from the first cell of the screen on in its history.
const (
	beginStatus = "\r\x1b[?7l"
	endStatus   = "\x1b[J\x1b[?7h\r"
)

// Terminal shows a status line below a scrolling log: what the agents are doing, how long, how many tokens and at what cost.
// Everything that is written to the screen must pass through writers of [Terminal.Wrap]. The status line is erased before a
// write and redrawn when the log is at the beginning of a line. It never takes more than one row, and Close erases it. While the
// screen belongs to a shell, there is none ([Settings.Foreground]).
//
// Several goroutines may use a Terminal. It runs one of its own until Close.
type Terminal struct {
	w        io.Writer
	settings Settings

	mu      sync.Mutex
	streams []*Watched // oldest first
	inLine  *wrapped   // writer with an unfinished line
	drawn   string     // status on the screen, or ""
	frame   int
	closed  bool
	stop    chan struct{}
	stopped chan struct{}
}

// Settings says how a Terminal draws.
type Settings struct {
	// Width returns the current width of the screen in cells; nil or 0 means 80.
	Width func() int
	// Color draws the status dim; see [Color.Wanted].
	Color bool
	// Foreground reports whether the screen is ours; nil means always. Otherwise a shell writes to it, and nothing is drawn or erased.
	Foreground func() bool
}

// New returns a Terminal that draws on w.
func New(w io.Writer, s Settings) *Terminal {
	t := &Terminal{w: w, settings: s, stop: make(chan struct{}), stopped: make(chan struct{})}
	go t.spin()
	return t
}

// IsTerminal reports whether w is a terminal that can show a status line.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}

// WidthOf returns a function for the current width of the terminal w; 0 if w is not a terminal.
func WidthOf(w io.Writer) func() int {
	f, ok := w.(*os.File)
	if !ok {
		return func() int { return 0 }
	}
	return func() int {
		width, _, err := xterm.GetSize(int(f.Fd()))
		if err != nil {
			return 0
		}
		return width
	}
}

// Wrap returns the writer to use in place of w, which writes to the same screen.
func (t *Terminal) Wrap(w io.Writer) io.Writer { return &wrapped{terminal: t, w: w} }

// wrapped is a writer to the screen.
type wrapped struct {
	terminal *Terminal
	w        io.Writer
}

// Write erases the status, writes p, and redraws the status below whole lines.
func (w *wrapped) Write(p []byte) (int, error) {
	t := w.terminal
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(p) == 0 {
		return w.w.Write(p)
	}
	t.erase()
	if t.inLine != nil && t.inLine != w {
		// Another writer has an unfinished line. End it on the screen only, not in that writer's other output.
		t.put("\n")
	}
	n, err := w.w.Write(p)
	if n > 0 {
		t.inLine = nil
		if p[n-1] != '\n' {
			t.inLine = w
		}
	}
	t.draw()
	return n, err
}

// spin redraws the status until Close.
func (t *Terminal) spin() {
	defer close(t.stopped)
	ticker := time.NewTicker(spinInterval)
	defer ticker.Stop()
	for {
		select {
		case <-t.stop:
			return
		case <-ticker.C:
			t.mu.Lock()
			t.frame++
			t.draw()
			t.mu.Unlock()
		}
	}
}

// draw draws the status, if there is one and the log is at the beginning of a line.
func (t *Terminal) draw() {
	if t.inLine != nil || t.closed {
		return
	}
	width := defaultWidth
	if t.settings.Width != nil {
		if reported := t.settings.Width(); reported > 0 {
			width = reported
		}
	}
	status := t.status(width - 1) // leave the last cell empty: some terminals wrap after it
	if status == "" || !t.inForeground() {
		t.erase()
		return
	}
	if status != t.drawn {
		t.drawn = status
		if t.settings.Color {
			status = text.SGRDim.Begin() + status + text.SGRReset
		}
		t.put(beginStatus + status + endStatus)
	}
}

// erase erases the status. In the background it stays, because the cursor may be anywhere.
func (t *Terminal) erase() {
	if t.drawn != "" && t.inForeground() {
		t.put(beginStatus + " " + endStatus)
	}
	t.drawn = ""
}

func (t *Terminal) inForeground() bool {
	return t.settings.Foreground == nil || t.settings.Foreground()
}

// put writes to the screen. It ignores errors: the writes of the log itself report a broken screen.
func (t *Terminal) put(s string) { _, _ = io.WriteString(t.w, s) }

// suspendTries is how often Suspend tries to erase the status, at intervals of a millisecond.
const suspendTries = 100

// Suspend erases the status and calls stop, which suspends the process. Nothing is written to the screen meanwhile. It does not wait
// for a write that a paused terminal blocks: in that case the status stays.
func (t *Terminal) Suspend(stop func()) {
	for range suspendTries {
		if t.mu.TryLock() {
			defer t.mu.Unlock()
			t.erase()
			break
		}
		time.Sleep(time.Millisecond)
	}
	stop()
}

// Close erases the status and ends the goroutine. Wrapped writers continue to work. Further calls do nothing.
func (t *Terminal) Close() error {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return nil
	}
	t.erase()
	t.closed = true
	t.mu.Unlock()
	close(t.stop)
	<-t.stopped
	return nil
}
