package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/place"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/usage"
	"github.com/tailspan/tailspan/render"
)

var usageCommand = cli.Command{
	Name:  "usage",
	Usage: []string{"[flags] [FILE|DIR|GLOB...]"},
	Short: "add up tokens and cost by day, project, session, model, agent or pipeline",
	Long: `Adds up the tokens that agents used and what that cost, from the sessions that all agents
keep on this machine, or from files, folders and globs. Copies of a session count once. The
cost is what the agent reported; with --prices others get an estimate, which ~ marks.`,
	Examples: []cli.Example{
		{Line: "tailspan usage", Does: "a row for each day, of all agents on this machine"},
		{Line: "tailspan usage --by project,model --since 7d", Does: "the projects of the last seven days, the most tokens first"},
		{Line: "tailspan usage --json --prices prices.yaml runs/", Does: "a folder of recorded runs as JSON, with estimates of the cost"},
	},
	New: func(f *cli.Flags) cli.Action {
		c := &adding{}
		c.stream.Add(f)
		c.prices.Add(f)
		f.ListVar(&c.by, "by", usage.Day.String(), usage.DimensionNames(),
			"columns of the table, by `names` that commas separate: "+strings.Join(usage.DimensionNames(), ", "))
		f.StringVar(&c.since, "since", "", "begin with this `day` (2026-11-27), time (RFC 3339) or age (12h, 7d, 4w)")
		f.StringVar(&c.until, "until", "", "end with this `day`, or before this time or age")
		c.zone = time.Local
		f.BoolFunc("utc", "days are those of UTC, not of the local time zone", func(string) error { c.zone = time.UTC; return nil })
		f.BoolFunc("json", "print one JSON document, with all counts", func(string) error { c.form = formJSON; return nil })
		return c.run
	},
}

// form is the output format of a report.
type form uint8

const (
	formTable form = iota
	formJSON
)

// adding is the command usage.
type adding struct {
	stream           options.Stream
	prices           options.Prices
	by, since, until string
	zone             *time.Location
	form             form
}

func (c *adding) run(ctx context.Context, args []string, s cli.Streams) error {
	set, err := c.settings(time.Now())
	if err != nil {
		return cli.UsageError{Err: err}
	}
	if set.Redactor, err = options.NewRedactor(true); err != nil {
		return err
	}
	home, err := place.Home(args)
	if err != nil {
		return err
	}
	places, err := placesOf(args, home)
	if err != nil {
		return cli.UsageError{Err: err}
	}
	files, unreadable := usage.Find(places, s.Report)
	report, err := usage.Read(ctx, set, files)
	if err != nil {
		return err
	}
	report.Unreadable = append(unreadable, report.Unreadable...)
	return errors.Join(c.write(report, home, s), c.warn(report, len(args) > 0, s))
}

// settings returns the settings of the flags and all errors in them.
func (c *adding) settings(now time.Time) (usage.Settings, error) {
	set := usage.Settings{Zone: c.zone, Provider: c.stream.Provider, MaxLine: c.stream.MaxLine}
	var byErr, periodErr, pricesErr error
	if set.By, byErr = usage.ParseDimensions(c.by); byErr != nil {
		byErr = fmt.Errorf("--by: %w", byErr)
	}
	set.Period, periodErr = usage.ParsePeriod(c.since, c.until, now.In(set.Zone))
	set.Prices, pricesErr = c.prices.Read()
	return set, errors.Join(byErr, periodErr, pricesErr)
}

// placesOf returns the places that the arguments name, which must exist, or else the places where agents keep their sessions.
func placesOf(args []string, home string) ([]place.Place, error) {
	if len(args) == 0 {
		return place.Agents(os.Getenv, home), nil
	}
	if err := input.CheckNamed("usage", args); err != nil {
		return nil, err
	}
	return place.Named(args), nil
}

// write writes the report, or a sentence if it is empty.
func (c *adding) write(report *usage.Report, home string, s cli.Streams) error {
	switch {
	case c.form == formJSON:
		return report.WriteJSON(s.Out)
	case len(report.Rows) == 0 && report.Files == 0:
		_, err := fmt.Fprintln(s.Out, "no sessions found; name a file or folder, or see tailspan doctor")
		return err
	case len(report.Rows) == 0:
		_, err := fmt.Fprintf(s.Out, "no tokens used in this period in %s\n", cli.Count(report.Files, "session file"))
		return err
	case render.IsTerminal(s.Out):
		return report.WriteTable(s.Out, usage.TableSettings{Width: render.WidthOf(s.Out)(), Home: home})
	default:
		return report.WriteTable(s.Out, usage.TableSettings{})
	}
}

// maxWarned bounds the unreadable files that are listed.
const maxWarned = 10

// warn reports what is missing in the sums. Unreadable files are an error.
func (c *adding) warn(report *usage.Report, named bool, s cli.Streams) error {
	warn := func(format string, args ...any) {
		s.Report(fmt.Sprintf(format, args...))
	}
	if named && report.Unrecognized > 0 {
		warn("skipped %s of no known format; --provider names it", cli.Count(report.Unrecognized, "line"))
	}
	if report.TooLong > 0 {
		warn("%s", c.stream.TooLong(report.TooLong))
	}
	for i, err := range report.Unreadable {
		if i < maxWarned {
			warn("%v", err)
		}
	}
	if n := len(report.Unreadable); n > 0 {
		return fmt.Errorf("the sums do not include what could not be read: %s", cli.Count(n, "path"))
	}
	return nil
}
