package doctor

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/export"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/place"
	"github.com/tailspan/tailspan/render"
)

// Examine reports what is in the places that args name, or where agents keep their sessions, and what cannot be read and why.
// Without args it also reports the limits of the system and whether the endpoint of run responds.
func Examine(ctx context.Context, args []string, getenv func(string) string, stdout io.Writer) error {
	places := place.Named(args)
	if len(args) == 0 {
		home, err := place.Home(args)
		if err != nil {
			return err
		}
		places = place.Agents(getenv, home)
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	var problems, notes []string
	files, folders, unlisted := 0, 0, 0
	for i := range places {
		f := examinePlace(&places[i])
		row(table, places[i].Name, cmp.Or(places[i].Root, "-"), f.String())
		files, folders = files+f.files, folders+f.folders
		for _, n := range f.kinds {
			unlisted += max(0, n-maxListed-1) // one line stands for all that are not listed
		}
		problems, notes = append(problems, f.problems...), append(notes, f.notes()...)
		if len(args) > 0 && len(f.problems) == 0 && f.files == 0 {
			problems = append(problems, fmt.Sprintf("nothing_there: %q: no file to read", places[i].Name))
		}
	}
	if len(args) == 0 {
		limits := readLimits()
		row(table, "limits", "-", limits.String())
		goes, err := exportGoes(ctx, getenv)
		row(table, "export", "-", goes)
		problems = append(problems, limits.problems(folders)...)
		if err != nil {
			problems = append(problems, "endpoint: "+strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		if files == 0 {
			notes = append(notes, "no_sessions: no agent has kept a session in the usual folders; run one, or name its folder: tailspan doctor DIR")
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	for _, note := range notes {
		if _, err := fmt.Fprintln(stdout, "note:", render.Sanitize(note)); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	return report(problems, len(problems)+unlisted, stdout)
}

// row writes a row of the table, which may contain file names.
func row(table io.Writer, cells ...string) {
	for i, cell := range cells {
		cells[i] = strings.Map(func(r rune) rune {
			if r == '\n' || r == '\t' {
				return ' '
			}
			return r
		}, render.Sanitize(cell))
	}
	fmt.Fprintln(table, strings.Join(cells, "\t")) // the table keeps the error
}

// probeTimeout bounds the probe of the endpoint.
const probeTimeout = 5 * time.Second

// exportGoes says where run sends its output. It returns an error if the endpoint does not accept an empty export.
func exportGoes(ctx context.Context, getenv func(string) string) (string, error) {
	endpoints, err := otlphttp.FromEnvironment(getenv, "")
	switch {
	case err != nil:
		return "run sends nothing", err
	case endpoints.Empty():
		return "run sends nothing: OTEL_EXPORTER_OTLP_ENDPOINT is not set", nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	exporter := otlphttp.New(otlphttp.Settings{Endpoints: endpoints, UserAgent: export.UserAgent()})
	defer exporter.Close()
	goes := "run sends to " + strings.Join(endpoints.Addresses(), ", ")
	switch lacks, err := exporter.Probe(ctx); {
	case err != nil:
		return goes, err
	case lacks != "":
		return goes + ": it answers, and takes no " + lacks, nil
	default:
		return goes + ": it answers", nil
	}
}

// limits are the system limits that affect following files; 0 means unknown.
type limits struct{ watches, files uint64 }

// readLimits reads the limits for watched folders (Linux) and for open files.
func readLimits() limits {
	return limits{watches: readNumber("/proc/sys/fs/inotify/max_user_watches"), files: openFiles()}
}

func readNumber(path string) (n uint64) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	_, _ = fmt.Sscan(string(data), &n) // n stays 0 if the file holds no number
	return n
}

// String formats the limits: "524288 watched folders, 1024 open files".
func (l limits) String() string {
	var parts []string
	if l.watches > 0 {
		parts = append(parts, fmt.Sprintf("%d watched folders", l.watches))
	}
	if l.files > 0 {
		parts = append(parts, fmt.Sprintf("%d open files", l.files))
	}
	return cmp.Or(strings.Join(parts, ", "), "not known")
}

// leastFiles is how many open files a collector needs besides those that it follows.
const leastFiles = 256

// problems returns the limits that are too low for a number of folders.
func (l limits) problems(folders int) []string {
	var all []string
	if l.watches > 0 && uint64(folders) > l.watches { //nolint:gosec // a count
		const few = "few_watches: sessions are in %d folders, and %d can be watched: " +
			"others are looked at once a second; raise fs.inotify.max_user_watches"
		all = append(all, fmt.Sprintf(few, folders, l.watches))
	}
	if l.files > 0 && l.files < leastFiles {
		all = append(all, fmt.Sprintf("few_descriptors: %d files can be open; raise it (ulimit -n)", l.files))
	}
	return all
}
