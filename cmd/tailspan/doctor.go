package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/exportcheck"
)

const doctorSynopsis = `Without arguments: lists where the agents on this machine keep their sessions, which of
them can be read, and why the others can't, and where run would send to. With files,
folders or globs: the same of those. With --otlp: checks files that a collector exported.`

// errProblems is the end of a check that found something.
var errProblems = errors.New("problems were found")

// runDoctor is the command doctor.
func runDoctor(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("tailspan doctor", flag.ContinueOnError)
	flags.SetOutput(stderr)
	otlp := flags.Bool("otlp", false, "check the files as OTLP JSON, a request a line")
	flags.Usage = func() {
		fmt.Fprintf(stderr, "usage: tailspan doctor [FILE|DIR|GLOB...]\n       tailspan doctor --otlp FILE...\n\n%s\n\nflags:\n", doctorSynopsis)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return errHelp
		}
		return usageError{err}
	}
	switch {
	case *otlp && flags.NArg() == 0:
		return usageError{errors.New("--otlp needs the files to check")}
	case *otlp:
		return checkExport(flags.Args(), stdout)
	}
	return examine(flags.Args(), os.Getenv, stdout)
}

// checkExport checks the files of an export, and prints what is in it and what is wrong with it.
func checkExport(paths []string, stdout io.Writer) error {
	data, problems, err := exportcheck.Read(paths)
	if err != nil {
		return usageError{err}
	}
	if err := exportcheck.Describe(data, stdout); err != nil {
		return err
	}
	problems = append(problems, exportcheck.Problems(data)...)
	slices.Sort(problems)
	return report(problems, stdout)
}

// report prints the problems; it gives an error if there are any.
func report(problems []string, stdout io.Writer) error {
	for _, p := range problems {
		if _, err := fmt.Fprintln(stdout, "problem:", p); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("%w: %d", errProblems, len(problems))
	}
	if _, err := fmt.Fprintln(stdout, "no problems"); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
