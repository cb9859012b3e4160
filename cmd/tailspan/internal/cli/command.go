package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/tailspan/tailspan/render"
)

// Streams are the standard streams of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Report writes a message to standard error, made safe for a terminal since it may quote a file.
func (s Streams) Report(problem string) {
	fmt.Fprintf(s.Err, "tailspan: %s\n", render.Sanitize(problem))
}

// Action runs a command. args are the arguments that are not flags.
type Action func(ctx context.Context, args []string, s Streams) error

// Example is a command line and what it does.
type Example struct{ Line, Does string }

// Command is one command of a program.
type Command struct {
	Name string
	// Usage lists the forms of its arguments, such as "[flags] FILE".
	Usage []string
	// Short describes it in the one line of the list of commands.
	Short string
	// Long describes it in a few lines of at most 90 columns.
	Long string
	// Examples holds three typical uses.
	Examples []Example
	// Child reports whether the arguments are the command line of another program, whose flags are not ours.
	Child bool
	// New declares the flags and returns the action to run after they are parsed.
	New func(f *Flags) Action
}

// flags returns the declared, unparsed flags of the command and its action.
func (c *Command) flags() (*Flags, Action) {
	f := newFlags(c.Name)
	return f, c.New(f)
}

// Program is a table of commands.
type Program struct {
	Name string
	// Short describes it in half a line.
	Short    string
	Commands []Command
	// Interrupt, if set, ends this process by SIGINT after a command whose program ended by it. A shell that sees this ends its loop
	// or script, too. typed is true if the shell did not receive the signal.
	Interrupt func(typed bool)
}

// Run runs the command that args name and returns the exit code of the process.
func (p *Program) Run(ctx context.Context, args []string, s Streams) int {
	if len(args) == 0 {
		_ = p.help(s.Err) // the exit code reports the failure too
		return ExitUsage
	}
	command, err := p.command(args[0])
	if err == nil {
		err = p.run(ctx, command, args[1:], s)
	}
	return p.exit(err, command, s.Err)
}

// run parses the flags of a command and runs it, or prints its help.
func (p *Program) run(ctx context.Context, c *Command, args []string, s Streams) error {
	f, action := c.flags()
	rest, err := f.parse(args, c.Child)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return p.helpOf(c, s.Out)
	case err != nil:
		return UsageError{err}
	default:
		return action(ctx, rest, s)
	}
}

// exit reports an error and returns the exit code.
func (p *Program) exit(err error, c *Command, stderr io.Writer) int {
	if own := (ExitError{}); errors.As(err, &own) {
		if own.Interrupted && p.Interrupt != nil {
			p.Interrupt(own.Typed)
		}
		return own.Status
	}
	if err == nil || IsEndOfReader(err) {
		return ExitOK
	}
	text, code := err.Error(), ExitFailure
	if errors.As(err, &UsageError{}) {
		text, code = usageText(err, p.Name, c), ExitUsage
	}
	fmt.Fprintf(stderr, "%s: %s\n", p.Name, render.Sanitize(text)) // it may quote a file or an endpoint
	return code
}

// IsEndOfReader reports whether a write to a file failed because its reader closed it, which is a normal end. A broken connection
// to an endpoint is none.
func IsEndOfReader(err error) bool {
	var file *fs.PathError
	return errors.As(err, &file) && errors.Is(file, syscall.EPIPE)
}

// all returns the commands of the table and the built-in ones.
func (p *Program) all() []Command {
	return append(p.Commands[:len(p.Commands):len(p.Commands)], p.builtin()...)
}

// builtin returns the commands about the program itself.
func (p *Program) builtin() []Command {
	return []Command{
		p.completionCommand(),
		p.manCommand(),
		{
			Name: "help", Usage: []string{"[COMMAND]"}, Short: "print the help of a command",
			Long: "Prints the list of commands, or the help of one.",
			New: func(*Flags) Action {
				return func(_ context.Context, args []string, s Streams) error {
					switch len(args) {
					case 0:
						return p.help(s.Out)
					case 1:
					default:
						return UsageError{errors.New("help takes one command")}
					}
					c, err := p.command(args[0])
					if err != nil {
						return err
					}
					return p.helpOf(c, s.Out)
				}
			},
		},
		{
			Name: "version", Short: "print the version", Long: "Prints the version.", Usage: []string{""},
			New: func(*Flags) Action {
				return func(_ context.Context, args []string, s Streams) error {
					if err := noArguments("version", args); err != nil {
						return err
					}
					_, err := fmt.Fprintln(s.Out, p.Name, Version())
					return err
				}
			},
		},
	}
}

// noArguments returns the error of a command that takes no arguments but got some.
func noArguments(command string, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return UsageError{fmt.Errorf("%s takes no arguments, got %q", command, strings.Join(args, " "))}
}

// command finds a command by its name, or by the flag with its name.
func (p *Program) command(name string) (*Command, error) {
	switch name {
	case "--help", "-h", "-help":
		name = "help"
	case "--version", "-version":
		name = "version"
	}
	all := p.all()
	names := make([]string, len(all))
	for i := range all {
		if names[i] = all[i].Name; names[i] == name {
			return &all[i], nil
		}
	}
	return nil, UsageError{fmt.Errorf("command %q is not known, want one of %s", name, strings.Join(names, ", "))}
}
