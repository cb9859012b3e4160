package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/place"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/watch"
	"github.com/tailspan/tailspan/render"
)

var watchCommand = cli.Command{
	Name:  "watch",
	Usage: []string{"[flags] [FILE|DIR|GLOB...]"},
	Short: "show the agents that run on this machine, and what they do",
	Long: `Shows the running agents of all CLIs, their sub-agents below them, and the runs that ended
last. Without arguments it looks where the agents keep their sessions. Keys: arrows select
an agent, enter shows its text, calls and figures, a hides sub-agents, q quits. Where
standard output is no terminal it prints a line when a run starts or ends or a call fails.`,
	Examples: []cli.Example{
		{Line: "tailspan watch", Does: "the agents of this machine"},
		{Line: "tailspan watch --prices prices.yaml runs/", Does: "those that write into a folder, with an estimate of what they cost"},
		{Line: "tailspan watch | tee agents.log", Does: "a line for each run that starts or ends, and for each failed call"},
	},
	New: func(f *cli.Flags) cli.Action {
		c := &watching{}
		c.prices.Add(f)
		f.BoolVar(&c.redact, "redact", true, "take secrets out")
		return c.run
	},
}

// watching is the command watch.
type watching struct {
	prices options.Prices
	redact bool
}

func (c *watching) run(ctx context.Context, args []string, s cli.Streams) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	set := watch.Settings{
		Version: cli.Version(), Stdin: s.In, Stdout: s.Out, Report: s.Report,
		Screen: isTerminal(s.In) && render.IsTerminal(s.Out) && os.Getenv("TERM") != "dumb",
	}
	home, err := place.Home(args)
	if err != nil {
		return err
	}
	if set.Files, set.Databases, err = watched(args, home); err != nil {
		return cli.UsageError{Err: err}
	}
	if set.Prices, err = c.prices.Read(); err != nil {
		return cli.UsageError{Err: err}
	}
	if set.Redactor, err = options.NewRedactor(c.redact); err != nil {
		return err
	}
	return watch.Watch(ctx, set)
}

// watched returns the globs of the places that the arguments name, or of all agents.
func watched(args []string, home string) (files, databases []string, err error) {
	places := place.Named(args)
	if len(args) == 0 {
		places = place.Agents(os.Getenv, home)
	}
	for _, p := range places {
		if _, err := os.Stat(p.Root); err != nil && len(args) > 0 && p.Root != "" {
			return nil, nil, err
		}
		for _, glob := range p.Globs {
			if input.IsDatabase(glob) || len(args) == 0 && p.Trees {
				databases = append(databases, glob)
			} else {
				files = append(files, glob)
			}
		}
	}
	return files, databases, nil
}

// isTerminal reports whether r is a terminal, so that keys can be read from it.
func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && render.IsTerminal(f)
}
