package live

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// table returns the part of docs/conformance.md that is generated from clis, scenarios and limits.
func table(t *testing.T) string {
	t.Helper()
	versions := pinned(t)
	var b strings.Builder
	for i := range clis {
		c := &clis[i]
		var notes []string
		number := func(note string) string {
			at := slices.Index(notes, note)
			if at < 0 {
				at, notes = len(notes), append(notes, note)
			}
			return fmt.Sprint(at + 1)
		}
		fmt.Fprintf(&b, "## %s %s\n\n| scenario | `tailspan run` | collector |\n|---|---|---|\n", c.title, versions[c.program])
		for j := range scenarios {
			sc := &scenarios[j]
			cells := map[account]string{}
			for _, a := range []account{byRun, byCollector} {
				if reason, not := c.cannot[sc.name]; not {
					cells[a] = "not possible (" + number(reason) + ")"
					continue
				}
				var but []string
				for _, l := range c.limitsOf(sc, a) {
					but = append(but, number(l.note))
				}
				if cells[a] = "yes"; len(but) > 0 {
					cells[a] = "yes, but (" + strings.Join(but, ", ") + ")"
				}
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", sc.title, cells[byRun], cells[byCollector])
		}
		b.WriteString("\n")
		for i, note := range notes {
			fmt.Fprintf(&b, "%d. %s.\n", i+1, note)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// pinned returns the versions in clis.txt, by the name of the CLI.
func pinned(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("clis.txt")
	require.NoError(t, err)
	versions := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, pkg, ok := strings.Cut(strings.TrimSpace(line), " ")
		require.True(t, ok, line)
		versions[name] = pkg[strings.LastIndex(pkg, "@")+1:]
	}
	return versions
}

// TestConformanceTable compares docs/conformance.md with the expectations that `make live` verifies.
func TestConformanceTable(t *testing.T) {
	doc, err := os.ReadFile("../../docs/conformance.md")
	require.NoError(t, err)
	_, tables, ok := strings.Cut(string(doc), "<!-- made of the expectations in tools/live -->\n\n")
	require.True(t, ok, "the mark before the tables")
	assert.Equal(t, table(t), tables)
}

// TestLimitsNameScenarios checks that limits and reasons name existing scenarios.
func TestLimitsNameScenarios(t *testing.T) {
	var names []string
	for _, sc := range scenarios {
		names = append(names, sc.name)
	}
	for _, c := range clis {
		assert.Subset(t, names, slices.Collect(maps.Keys(c.cannot)), c.title)
		for _, l := range c.limits {
			assert.Subset(t, names, l.scenarios, c.title)
			assert.Contains(t, []account{byRun, byCollector}, l.account, c.title)
		}
	}
}
