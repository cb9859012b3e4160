package doctor

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/place"
)

// Examine reports what is in the places that args name, or where agents keep their sessions, and what can't be read and why.
func Examine(args []string, getenv func(string) string, stdout io.Writer) error {
	places := place.Named(args)
	if len(args) == 0 {
		home, err := os.UserHomeDir()
		if err != nil {
			return fmt.Errorf("find home folder: %w", err)
		}
		places = place.Agents(getenv, home)
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	var problems []string
	sessions := 0
	for i := range places {
		f := examinePlace(&places[i])
		fmt.Fprintf(table, "%s\t%s\t%s\n", places[i].Name, cmp.Or(places[i].Root, "-"), f)
		sessions += f.readable
		problems = append(problems, f.problems...)
		if len(args) > 0 && len(f.problems) == 0 && f.files == 0 {
			problems = append(problems, fmt.Sprintf("nothing_there: %q: no file to read", places[i].Name))
		}
	}
	if len(args) == 0 {
		fmt.Fprintf(table, "export\t%s\n", exportGoes(getenv))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if sessions == 0 && len(problems) == 0 {
		problems = append(problems, "no_sessions: no agent has kept a session in the usual folders; run one, or name its folder: tailspan doctor DIR")
	}
	return report(problems, stdout)
}

// exportGoes says where run sends to.
func exportGoes(getenv func(string) string) string {
	endpoints, err := otlphttp.FromEnvironment(getenv, "")
	switch {
	case err != nil:
		return fmt.Sprintf("run sends nothing: %v", err)
	case endpoints.Empty():
		return "run sends nothing: OTEL_EXPORTER_OTLP_ENDPOINT is not set"
	default:
		return "run sends to " + strings.Join(endpoints.Addresses(), ", ")
	}
}
