package opencode_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/goldentest"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/opencode"
)

func newSource() events.DisplayEventSource { return opencode.New() }

func TestGolden(t *testing.T)   { parsertest.Golden(t, opencode.Name, newSource) }
func TestPrefixes(t *testing.T) { parsertest.Prefixes(t, opencode.Name, newSource) }
func TestTorn(t *testing.T)     { parsertest.Torn(t, opencode.Name, newSource) }

func TestKept(t *testing.T) {
	for _, file := range parsertest.Fixtures(t, opencode.Name) {
		parsertest.Kept(t, opencode.New(), parsertest.Lines(t, file))
	}
}

// TestGoldenExport reads an export as it is printed, over many lines, as one document; and torn.
func TestGoldenExport(t *testing.T) {
	const file = "../../testdata/opencode/parity.export.json"
	document, err := os.ReadFile(file)
	require.NoError(t, err)
	perLine, flushed := parsertest.Feed(t, opencode.New(), [][]byte{document})
	require.Empty(t, flushed, "a whole export owes nothing")
	var b strings.Builder
	for _, line := range perLine[0] {
		fmt.Fprintln(&b, line)
	}
	goldentest.Compare(t, "../../testdata/opencode/parity.export.events.golden", b.String())
	for cut := 1; cut < len(document)-2; cut += 97 {
		p := opencode.New()
		require.Empty(t, p.ParseEvents(document[:cut]))
		require.Equal(t, events.LineMalformed, p.LineStatus())
	}
}
