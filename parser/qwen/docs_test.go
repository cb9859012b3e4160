package qwen_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/qwen"
)

// TestTables checks that the parser's switches and the tables of the documentation list the same types, and that what
// the tables call ignored is ignored.
func TestTables(t *testing.T) {
	for _, tc := range []struct {
		heading string
		known   []string
		line    string // containing the type
	}{
		{"Records", parsertest.Cases(t, "dispatch"), `{"type":%q,"session_id":"s","uuid":"u"}`},
		{"Subtypes of system", parsertest.Cases(t, "system", "quietSubtype"),
			`{"type":"system","subtype":%q,"session_id":"s","uuid":"u"}`},
		{"Telemetry in transcripts", parsertest.Cases(t, "uiTelemetry"), ""},
	} {
		t.Run(tc.heading, func(t *testing.T) {
			table := parsertest.Table(t, qwen.Name, tc.heading, parsertest.Becomes...)
			assert.Equal(t, slices.Sorted(maps.Keys(table)), tc.known)
			if tc.line != "" {
				parsertest.Types(t, newSource, tc.line, table, "system") // which its subtypes describe
			}
		})
	}
	pieces := parsertest.Table(t, qwen.Name, "Pieces of a stream", parsertest.Becomes...)
	for _, kind := range parsertest.Cases(t, "streamEvent") {
		assert.Contains(t, pieces, kind)
	}
}
