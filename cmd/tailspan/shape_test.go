package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/render"
)

// shapes are the kinds of log lines other than text, by style.
var shapes = map[render.Style][]struct{ shape, pattern string }{
	render.StyleMarker: {{"[tool: NAME(ARG)]", `^\[tool: [^\s()]+\(.+\)\]$`}},
	render.StyleTranscript: {
		{"[NAME] ARG", `^\[[\w-]+\] \S.*$`}, {"→ RESULT", `^→ \S.*$`},
		{"[session ID · MODEL]", `^\[session [\w-]+( · \S+)?\]$`}, {"--- Result ---", `^(--- Result ---)?$`},
	},
	render.StyleActivity: {
		{"TIME NAME ARG", `^(\d\d:\d\d:\d\d|--:--:--) (Read|Write|Edit|Bash|Grep|Glob|List) \S.*$`},
		{"TIME started", `^(\d\d:\d\d:\d\d|--:--:--) started( · \S+)?$`}, {"TIME finished", `^(\d\d:\d\d:\d\d|--:--:--) finished( \(.+\))?$`},
	},
}

// needed are the shapes in the log of a plain run of any provider; the others depend on what a format contains.
var needed = map[render.Style][]string{
	render.StyleMarker:     {"TEXT", "[tool: NAME(ARG)]"},
	render.StyleTranscript: {"TEXT", "[NAME] ARG"},
	render.StyleActivity:   {"TEXT", "TIME NAME ARG"},
}

// TestParity compares the logs of the same job done by the agent of every provider: read, search, edit, run the tests.
// The logs must have the same shape: only lines of the style, each in its form, text first and last, and tools between
// texts. In the activity style the same tools must have the same names.
func TestParity(t *testing.T) {
	forms := []string{"parity.jsonl", "parity.stream.jsonl", "parity.bodies.jsonl", "parity.session.jsonl"}
	for _, provider := range providersWithFixtures(t) {
		paths := fixturesOf(t, provider, forms...)
		require.NotEmpty(t, paths, provider)
		for _, path := range paths {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			plain, _ := readableLogs(t, provider, path, data, render.Settings{})
			for style, lines := range shapes {
				t.Run(provider+" "+filepath.Base(path)+" "+style.String(), func(t *testing.T) {
					log, _ := readableLogs(t, provider, path, data, render.Settings{Mode: render.ModeVerbose, Style: style, Location: time.UTC})
					var shape []string
					for line := range strings.Lines(log) {
						shape = append(shape, shapeOf(strings.TrimSuffix(line, "\n"), plain, lines))
					}
					assert.NotContains(t, shape, "", log)
					for _, want := range needed[style] {
						assert.Contains(t, shape, want, log)
					}
					said := slices.DeleteFunc(slices.Clone(shape), func(s string) bool { return !slices.Contains(needed[style], s) })
					assert.Equal(t, "TEXT", said[0], log)
					assert.Equal(t, "TEXT", said[len(said)-1], log)
					assert.Greater(t, len(slices.Compact(said)), 3, "texts and tools take turns: %s", log)
					if style == render.StyleActivity {
						for _, name := range []string{" Bash go test", " Edit "} {
							assert.Contains(t, log, name)
						}
						assert.Regexp(t, ` (Read \S*calc\.go|Bash sed .*calc\.go)`, log)
						assert.Regexp(t, ` (Grep|Bash (rg|grep)) `, log)
					}
				})
			}
		}
	}
}

// shapeOf returns the shape of a line, or "" if it is unknown.
func shapeOf(line, plain string, lines []struct{ shape, pattern string }) string {
	for _, l := range lines {
		if regexp.MustCompile(l.pattern).MatchString(line) {
			return l.shape
		}
	}
	if strings.Contains("\n"+plain, "\n"+line+"\n") {
		return "TEXT"
	}
	return ""
}
