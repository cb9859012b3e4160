package watch

import (
	"context"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// screen is the model of the terminal program.
type screen struct {
	view View
	runs []Run
}

// newRuns is the message with the current runs.
type newRuns []Run

// showScreen shows the board on a terminal until the user quits or ctx ends.
func showScreen(ctx context.Context, s *Settings, board *Board, unread *Unread) error {
	var program *tea.Program
	input := s.Stdin
	if file, ok := input.(*os.File); ok {
		input = keyboard{file, func() { program.Quit() }}
	}
	program = tea.NewProgram(&screen{view: View{Unread: unread}},
		tea.WithInput(input), tea.WithOutput(s.Stdout), tea.WithFPS(frames), tea.WithoutSignalHandler())
	stop := context.AfterFunc(ctx, program.Quit)
	defer stop()
	stopped, pumping := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(pumping)
		_ = pump(board, stopped, func(runs []Run) error {
			program.Send(newRuns(runs))
			return nil
		})
	}()
	_, err := program.Run()
	close(stopped)
	<-pumping
	return err
}

// keyboard is the input of a terminal. It calls gone when the terminal does not exist any more: its end sends a signal only to
// the programs that it controls (not below su -c or setsid).
type keyboard struct {
	*os.File
	gone func()
}

// Read reads keys.
func (k keyboard) Read(p []byte) (int, error) {
	n, err := k.File.Read(p)
	if err != nil {
		k.gone()
	}
	return n, err
}

// Init does nothing.
func (m *screen) Init() tea.Cmd { return nil }

// Update applies a message.
func (m *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.view.Width, m.view.Height = msg.Width, msg.Height
	case newRuns:
		m.runs = msg
	case tea.KeyPressMsg:
		return m, m.key(msg.String())
	}
	return m, nil
}

// key applies a key.
func (m *screen) key(name string) tea.Cmd {
	page := max(1, m.view.Height-leastHeight)
	switch name {
	case "q", "ctrl+c":
		return tea.Quit
	case "ctrl+z":
		return tea.Suspend
	case "up", "k":
		m.view.Move(m.runs, -1)
	case "down", "j":
		m.view.Move(m.runs, 1)
	case "pgup":
		m.view.Move(m.runs, -page)
	case "pgdown":
		m.view.Move(m.runs, page)
	case "enter", "space":
		m.view.Details = !m.view.Details
	case "esc", "backspace":
		m.view.Details = false
	case "a":
		m.view.HideSubAgents = !m.view.HideSubAgents
	}
	return nil
}

// View draws the screen.
func (m *screen) View() tea.View {
	m.view.Now = time.Now()
	v := tea.NewView(strings.Join(m.view.Lines(m.runs), "\n"))
	v.AltScreen = true
	return v
}
