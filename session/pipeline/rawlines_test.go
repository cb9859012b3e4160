package pipeline_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// TestDroppedLinesAreNotSearched checks that a large log in an agent's folder costs no redaction: a line with a secret would be copied.
func TestDroppedLinesAreNotSearched(t *testing.T) {
	for _, drops := range []bool{true, false} {
		s := pipeline.Settings{Registry: telemetry.NewRegistry(telemetry.NewDefaultSettings()), Discards: func(int) bool { return drops }}
		s.Events.Provider, s.Events.Redactor = "auto", redactor(t)
		p, err := pipeline.New(s)
		require.NoError(t, err)
		line := []byte("curl -H 'Authorization: Bearer " + strings.Repeat("MadeUp0123456789", 2) + "'")
		for range parser.DetectNoise {
			p.Line(line)
		}
		assert.Equal(t, drops, testing.AllocsPerRun(100, func() { p.Line(line) }) == 0)
	}
}
