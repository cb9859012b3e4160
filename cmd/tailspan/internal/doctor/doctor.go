package doctor

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/exportcheck"
	"github.com/tailspan/tailspan/render"
)

// ErrProblems reports that a check found problems.
var ErrProblems = errors.New("problems were found")

// CheckExport checks the files of an export and prints its contents and problems.
func CheckExport(paths []string, stdout io.Writer) error {
	data, problems, err := exportcheck.Read(paths)
	if err != nil {
		return cli.UsageError{Err: err}
	}
	if err := exportcheck.Describe(data, stdout); err != nil {
		return err
	}
	repeated, err := exportcheck.DropRepeats(data)
	if err != nil {
		return fmt.Errorf("compare spans: %w", err)
	}
	if repeated > 0 {
		if _, err := fmt.Fprintf(stdout, "note: %s repeated with the same IDs and content\n", cli.Count(repeated, "span")); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	problems = append(problems, exportcheck.Problems(data)...)
	slices.Sort(problems)
	return report(problems, len(problems), stdout)
}

// report prints the lines about n problems and returns an error if there are any.
func report(problems []string, n int, stdout io.Writer) error {
	for _, p := range problems {
		if _, err := fmt.Fprintln(stdout, "problem:", render.Sanitize(p)); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	if n > 0 {
		return fmt.Errorf("%w: %d", ErrProblems, n)
	}
	if _, err := fmt.Fprintln(stdout, "no problems"); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
