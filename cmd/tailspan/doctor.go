package main

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/doctor"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
)

var doctorCommand = cli.Command{
	Name:  "doctor",
	Usage: []string{"[FILE|DIR|GLOB...]", "--otlp FILE..."},
	Short: "report what would be read, from where, and why not",
	Long: `Without arguments: lists where the agents on this machine keep their sessions, how many, of
which version, which of them can be read, and why the others can't; the limits of the system;
and where run would send to, and whether that answers. With files, folders or globs: the same
of those. With --otlp: checks files that a collector exported.`,
	Examples: []cli.Example{
		{Line: "tailspan doctor", Does: "the sessions of all agents on this machine, and where run would send to"},
		{Line: "tailspan doctor ~/.claude/projects 'runs/**/*.jsonl'", Does: "a folder and the files that a glob matches"},
		{Line: "tailspan doctor --otlp export.jsonl", Does: "a file of the collector's file exporter: parents, roots, ids, attributes"},
	},
	New: func(f *cli.Flags) cli.Action {
		export := f.Bool("otlp", false, "check the files as OTLP JSON, a request a line")
		return func(ctx context.Context, args []string, s cli.Streams) error {
			switch {
			case slices.Contains(args, input.Stdin):
				return cli.UsageError{Err: errors.New("doctor reads files and folders, not standard input")}
			case *export && len(args) == 0:
				return cli.UsageError{Err: errors.New("--otlp needs the files to check")}
			case *export:
				return doctor.CheckExport(args, s.Out)
			default:
				return doctor.Examine(ctx, args, os.Getenv, s.Out)
			}
		}
	},
}
