package options

import (
	"io"
	"os"
	"strconv"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/render"
)

// Escape is the flag --escape-commands. Without a value it means on.
type Escape struct{ render.CIEscape }

// Add declares the flag.
func (e *Escape) Add(f *cli.Flags) {
	f.Var(e, "escape-commands", "break what a CI system would take for a command to it (`auto|on|off`, auto: in a job of one, without a value: on)")
}

// Writer returns a writer in front of w that breaks such commands.
func (e *Escape) Writer(w io.Writer) io.Writer {
	return render.BreakCommands(w, e.Systems(os.Getenv))
}

type escapeFlag struct{ render.CIEscape }

// IsBoolFlag makes the value of the flag optional.
func (*Escape) IsBoolFlag() bool { return true }

// Set accepts auto, on, off and the values of a boolean flag.
func (e *Escape) Set(value string) error {
	if on, err := strconv.ParseBool(value); err == nil {
		value = map[bool]string{true: render.CIEscapeOn.String(), false: render.CIEscapeOff.String()}[on]
	}
	var err error
	e.CIEscape, err = render.ParseCIEscape(value)
	return err
}
