package cli

import (
	"context"
	"fmt"
	"strings"
)

// all are the commands of the table, and those that every program has.
func (p *Program) all() []Command {
	return append(p.Commands[:len(p.Commands):len(p.Commands)], p.builtin()...)
}

// builtin are the commands that are about the program itself.
func (p *Program) builtin() []Command {
	return []Command{
		p.completionCommand(),
		p.manCommand(),
		{
			Name: "help", Usage: []string{"[COMMAND]"}, Short: "print the help of a command",
			Long: "Prints the list of commands, or the help of one.",
			New: func(*Flags) Action {
				return func(_ context.Context, args []string, s Streams) error {
					if len(args) == 0 {
						p.help(s.Out)
						return nil
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
				return func(_ context.Context, _ []string, s Streams) error {
					_, err := fmt.Fprintln(s.Out, p.Name, Version())
					return err
				}
			},
		},
	}
}

// command finds a command by its name, or by the flag of its name.
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
