package term

import (
	"io"
	"os"
	"sync"
	"time"

	xterm "golang.org/x/term"

	"github.com/tailspan/tailspan/render/internal/text"
)

// spinInterval is how often the status line is drawn anew.
const spinInterval = 100 * time.Millisecond

// spinner are the pictures of the status line's sign of life.
var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// defaultWidth is the width of a terminal that does not report it, in cells.
const defaultWidth = 80

// Sequences of the status line (ECMA-48, and DECAWM of the VT100). The cursor is left at its beginning: when a terminal is
// made narrower and folds the line into several, the cursor stays at the first of them, so that what is erased is the
// whole status and nothing of the log above. A status that was made for a wider terminal, which became narrow before it
// was shown, must not be folded at all: the cursor would be left in its last row.
const (
	eraseBelow = "\r\x1b[J"
	unfolded   = "\x1b[?7l"
	folded     = "\x1b[?7h"
	lineStart  = "\r"
)

// Terminal shows a status line below a log that scrolls by: what the agents are doing, for how long, for how many
// tokens, at what cost. All that goes to the screen has to go through writers of [Terminal.Wrap]; the status line is
// erased before something is written and drawn again when the log is at the beginning of a line. It never takes more than
// one row, and is erased by Close.
//
// A Terminal may be used by several goroutines. It runs one of its own until Close.
type Terminal struct {
	w        io.Writer
	settings Settings

	mu      sync.Mutex
	streams []*Watched // oldest first
	inLine  *wrapped   // whose line has not ended
	drawn   string     // the status on the screen, empty if there is none
	frame   int
	closed  bool
	stop    chan struct{}
	stopped chan struct{}
}

// Settings says how a Terminal draws.
type Settings struct {
	// Width returns the present width of the screen in cells; nil or 0 means 80.
	Width func() int
	// Color draws the status dim; see [Color.Wanted].
	Color bool
}

// New makes a Terminal that draws on w.
func New(w io.Writer, s Settings) *Terminal {
	t := &Terminal{w: w, settings: s, stop: make(chan struct{}), stopped: make(chan struct{})}
	go t.spin()
	return t
}

// IsTerminal reports whether w is a terminal that a status line can be drawn on.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}

// WidthOf returns a function for the present width of the terminal w, 0 if w is none.
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

// Wrap gives the writer to use in place of w, which writes to the same screen.
func (t *Terminal) Wrap(w io.Writer) io.Writer { return &wrapped{terminal: t, w: w} }

// wrapped is a writer to the screen.
type wrapped struct {
	terminal *Terminal
	w        io.Writer
}

// Write takes the status away, writes, and draws the status again below whole lines.
func (w *wrapped) Write(p []byte) (int, error) {
	t := w.terminal
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(p) == 0 {
		return w.w.Write(p)
	}
	t.erase()
	if t.inLine != nil && t.inLine != w {
		// Another writer's line is unfinished. On the screen it ends here; what it goes to besides is not touched.
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

// spin draws the status anew until Close.
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

// draw puts the status on the screen, if there is one and the log is at the beginning of a line.
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
	status := t.status(width - 1) // the last cell stays free: some terminals go to the next row behind it
	if status == "" {
		t.erase()
		return
	}
	if status != t.drawn {
		t.drawn = status
		if t.settings.Color {
			status = text.SGRDim.Begin() + status + text.SGRReset
		}
		t.put(eraseBelow + unfolded + status + folded + lineStart)
	}
}

// erase takes the status off the screen.
func (t *Terminal) erase() {
	if t.drawn != "" {
		t.put(eraseBelow)
		t.drawn = ""
	}
}

// put writes to the screen. Its error is ignored: the writes of the log itself report a broken screen.
func (t *Terminal) put(s string) { _, _ = io.WriteString(t.w, s) }

// Close erases the status and ends the goroutine. Wrapped writers continue to work. A second call does nothing.
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
