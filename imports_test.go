package tailspan_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/tailspan/tailspan"

// house is the layout: which of our folders each folder may import, and which modules of others. A folder may always
// import itself and what lies below it, and the standard library.
var house = map[string]struct{ ours, others []string }{
	"events":                       {},
	"internal/memory":              {},
	"parser":                       {ours: []string{"events", "internal/memory"}, others: []string{"github.com/tidwall/gjson"}},
	"redact":                       {ours: []string{"events"}},
	"session":                      {ours: []string{"events", "internal/memory", "otlp"}},
	"otlp":                         {ours: []string{"events"}, others: []string{"go.opentelemetry.io/collector/pdata"}},
	"telemetry":                    {ours: []string{"events", "internal/memory", "otlp", "session"}},
	"session/pipeline":             {ours: []string{"config", "events", "internal", "otlp", "parser", "redact", "session", "telemetry"}},
	"tail":                         {ours: []string{"internal", "spool"}, others: []string{"github.com/fsnotify/fsnotify", "go.uber.org/zap", "golang.org/x/sync"}},
	"poll":                         {ours: []string{"internal", "tail"}, others: []string{"github.com/fsnotify/fsnotify", "github.com/bmatcuk/doublestar/v4", "go.uber.org/zap", "modernc.org/sqlite"}},
	"spool":                        {},
	"process":                      {ours: []string{"spool"}},
	"render":                       {ours: []string{"events"}, others: []string{"github.com/mattn/go-runewidth", "golang.org/x/term"}},
	"config":                       {others: []string{"go.yaml.in/yaml/v3", "github.com/bmatcuk/doublestar/v4"}},
	"receiver/agentstreamreceiver": {ours: []string{"config", "events", "internal", "internal/memory", "otlp", "parser", "poll", "process", "redact", "session", "session/pipeline", "spool", "tail", "telemetry"}, others: []string{"go.opentelemetry.io", "go.uber.org/zap"}},
	"exporter/agentrenderexporter": {ours: []string{"config", "events", "otlp", "render", "telemetry"}, others: []string{"go.opentelemetry.io", "go.uber.org/zap"}},
	"cmd":                          {ours: []string{"*"}, others: []string{"charm.land/bubbletea/v2", "github.com/charmbracelet/x/ansi", "github.com/bmatcuk/doublestar/v4", "github.com/spf13/pflag", "go.opentelemetry.io/collector/pdata"}},
	"deploy":                       {ours: []string{"*"}, others: []string{"go.yaml.in/yaml/v3", "github.com/klauspost/compress", "go.opentelemetry.io/collector/pdata"}},
	"internal":                     {others: []string{"github.com/bmatcuk/doublestar/v4", "github.com/cenkalti/backoff/v7", "github.com/fsnotify/fsnotify", "github.com/klauspost/compress", "github.com/tidwall/gjson", "go.opentelemetry.io/collector/pdata", "go.uber.org/zap", "github.com/google/go-cmp", "github.com/stretchr/testify"}},
}

// testOnly are modules that any _test.go file may import, beside what its folder may.
var testOnly = []string{"github.com/klauspost/compress", "github.com/stretchr/testify", "github.com/google/go-cmp", "go.uber.org/goleak", "go.opentelemetry.io/collector", "go.opentelemetry.io/otel", "go.uber.org/zap", "go.yaml.in/yaml/v3", "github.com/tidwall/gjson", "github.com/creack/pty", "github.com/google/jsonschema-go", "golang.org/x/term", "google.golang.org/grpc"}

// TestImports holds the table of the design: a layer knows only the layers below it.
func TestImports(t *testing.T) {
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || slices.Contains([]string{"bin", "build", "testdata"}, path)) {
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); d.IsDir() && path != "." && err == nil {
			return filepath.SkipDir // a module of its own is no dependency of ours
		}
		if !strings.HasSuffix(path, ".go") || !strings.Contains(path, "/") {
			return nil
		}
		folder := folderOf(path)
		rule, ok := house[folder]
		if !ok {
			t.Errorf("%s: no place in the layout (see imports_test.go)", path)
			return nil
		}
		isTest := strings.HasSuffix(path, "_test.go") || strings.HasSuffix(filepath.Base(filepath.Dir(path)), "test")
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range file.Imports {
			name := strings.Trim(imp.Path.Value, `"`)
			switch {
			case name == "testing" && !isTest:
				t.Errorf("%s imports testing in shipped code", path)
			case name == module || strings.HasPrefix(name, module+"/"):
				if !mayImportOurs(folder, folderOf(strings.TrimPrefix(name, module+"/")+"/"), rule.ours, isTest) {
					t.Errorf("%s imports %s: %s may import of ours only %v", path, name, folder, rule.ours)
				}
			case strings.Contains(strings.Split(name, "/")[0], "."):
				if !within(name, rule.others) && !(isTest && within(name, testOnly)) {
					t.Errorf("%s imports %s: %s may import of others only %v", path, name, folder, rule.others)
				}
			}
		}
		return nil
	}))
}

// sessionOrder has the packages of session from the lowest up: what a package holds is built of those before it. Those up to "work" decide
// about one thing each; those after it relate the work of one stream to other streams and to the output.
var sessionOrder = []string{
	"clock", "outcome", "wait", "exported", "content", "ledger", "team", "link", "folder", "account", "cicd", "modelcall", "toolcall",
	"pending", "replay", "program", "runkey", "twin", "work", "share", "family", "emit", "spanwait", "pipeline",
}

// TestSessionOrder checks that no package of session imports one after it.
func TestSessionOrder(t *testing.T) {
	files, err := filepath.Glob("session/*/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		at := slices.Index(sessionOrder, filepath.Base(filepath.Dir(path)))
		require.GreaterOrEqual(t, at, 0, "%s: no place in sessionOrder", path)
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, imp := range file.Imports {
			name, ours := strings.CutPrefix(strings.Trim(imp.Path.Value, `"`), module+"/session/")
			if to := slices.Index(sessionOrder, name); ours && to > at {
				t.Errorf("%s imports %s, which comes after it in sessionOrder", path, name)
			}
		}
	}
}

// folderOf gives the folder of the layout that a file lies in.
func folderOf(path string) string {
	parts := strings.Split(path, "/")
	if (parts[0] == "receiver" || parts[0] == "exporter") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	if len(parts) > 1 && parts[0] == "session" && parts[1] == "pipeline" {
		return "session/pipeline" // the rest of session is pure
	}
	if len(parts) > 1 && parts[0] == "internal" && parts[1] == "memory" {
		return "internal/memory" // the rest of internal is for what reads and sends
	}
	return parts[0]
}

func mayImportOurs(from, to string, allowed []string, isTest bool) bool {
	return from == to || slices.Contains(allowed, to) || slices.Contains(allowed, "*") || isTest && to == "internal"
}

func within(name string, allowed []string) bool {
	return slices.ContainsFunc(allowed, func(m string) bool { return name == m || strings.HasPrefix(name, m+"/") })
}
