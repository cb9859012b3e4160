package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/recorded"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/report"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/report/markdown"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/report/page"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/render"
)

var reportCommand = cli.Command{
	Name:  "report",
	Usage: []string{"[flags] FILE|DIR|GLOB...|- > run.html"},
	Short: "write a run, with its sub-agents, as one page",
	Long: `Writes a page that shows a run with its sub-agents: verdict, failures, timeline, texts,
tool calls, tokens and cost. It needs no network and no script, and has no secrets. Of
several runs the newest is last; the log of those that have no room is left out.`,
	Examples: []cli.Example{
		{Line: "tailspan report run.jsonl > run.html", Does: "a recorded stream or transcript; the files of its sub-agents are found"},
		{Line: "tailspan report --format markdown run.jsonl > comment.md", Does: "the same as a comment on a pull request"},
		{Line: "tailspan report --run 3f2a ~/.claude/projects > run.html", Does: "one run of all, by the beginning of its trace, span or session id"},
	},
	New: func(f *cli.Flags) cli.Action {
		c := &reporting{}
		c.stream.Add(f)
		c.stream.AddContainer(f)
		c.prices.Add(f)
		c.escape.Add(f)
		f.ChoiceVar(&c.format, "format", formatHTML, []string{formatHTML, formatMarkdown}, "what is written")
		f.StringVar(&c.run, "run", "", "show the runs with this `id` alone: that of a trace, span or session, or its beginning")
		return c.write
	},
}

// Formats of a report.
const (
	formatHTML     = "html"
	formatMarkdown = "markdown"
)

// reporting is the command report.
type reporting struct {
	stream      options.Stream
	prices      options.Prices
	escape      options.Escape
	format, run string
}

func (c *reporting) write(ctx context.Context, args []string, s cli.Streams) error {
	prices, err := c.prices.Read()
	switch {
	case len(args) == 0:
		err = errors.Join(err, errors.New("report needs a file, folder or glob"))
	case c.format == formatHTML && render.IsTerminal(s.Out):
		err = errors.Join(err, errors.New("the page goes to standard output, which is a terminal: tailspan report FILE > run.html"))
	}
	if err != nil {
		return cli.UsageError{Err: err}
	}
	files := args
	if !slices.Equal(args, []string{input.Stdin}) {
		if files, err = input.Files(args, s.Report); err != nil {
			return cli.UsageError{Err: err}
		}
	}
	set := recorded.Settings{
		Stream: c.stream, Identity: options.Identity{InBand: config.InBandIdentity}, Telemetry: options.RegistrySettings(prices),
		Stdin: s.In, Stderr: s.Err,
	}
	if set.Redactor, err = redact.NewRedactor(redact.Settings{}); err != nil {
		return err
	}
	limits := report.DefaultLimits()
	runs, err := report.Read(ctx, set, files, limits)
	if runs, err = c.selected(runs, err); len(runs) == 0 {
		return err
	}
	limits.Fit(runs)
	return errors.Join(err, c.print(runs, s))
}

// selected returns the runs to be shown. If there are none, the error explains why.
func (c *reporting) selected(runs []*report.Run, err error) ([]*report.Run, error) {
	if len(runs) == 0 {
		return nil, errors.Join(err, errors.New("no run of an agent in the input; --provider names its format"))
	}
	if c.run == "" {
		return runs, err
	}
	chosen := report.Select(runs, c.run)
	if len(chosen) == 0 {
		err = errors.Join(err, fmt.Errorf("none of %s has an ID that begins with %q", cli.Count(len(runs), "run"), c.run))
	}
	return chosen, err
}

// print writes the whole report or nothing.
func (c *reporting) print(runs []*report.Run, s cli.Streams) error {
	var b bytes.Buffer
	var err error
	if c.format == formatMarkdown {
		err = markdown.Write(c.escape.Writer(&b), runs, markdown.DefaultBytes)
	} else {
		err = page.Write(&b, runs, page.Settings{Version: cli.Version(), Made: time.Now()})
	}
	if err != nil {
		return err
	}
	_, err = s.Out.Write(b.Bytes())
	return err
}
