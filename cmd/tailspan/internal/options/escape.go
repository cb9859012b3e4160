package options

import (
	"io"
	"os"
	"strconv"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/render"
)

// Escape is --escape-commands: alone it means on.
type Escape struct{ render.CIEscape }

// Add declares the flag.
func (e *Escape) Add(f *cli.Flags) {
	f.Var(e, "escape-commands", "break what a CI system would take for a command to it (`auto|on|off`, auto: in a job of one, without a value: on)")
}

// Writer gives a writer in place of w in which such commands are broken.
func (e *Escape) Writer(w io.Writer) io.Writer {
	return render.BreakCommands(w, e.Systems(os.Getenv))
}

type escapeFlag struct{ render.CIEscape }

// IsBoolFlag lets the flag be without a value.
func (*Escape) IsBoolFlag() bool { return true }

// Set takes auto, on or off, and what a flag of truth takes.
func (e *Escape) Set(value string) error {
	if on, err := strconv.ParseBool(value); err == nil {
		value = map[bool]string{true: render.CIEscapeOn.String(), false: render.CIEscapeOff.String()}[on]
	}
	var err error
	e.CIEscape, err = render.ParseCIEscape(value)
	return err
}
