package codex_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/codex"
)

// all parses lines with one parser and returns the events of all of them.
func all(t *testing.T, lines ...string) []events.DisplayEvent {
	t.Helper()
	p := codex.New()
	var out []events.DisplayEvent
	for _, line := range lines {
		require.True(t, json.Valid([]byte(line)), "the test's own line is malformed: %s", line)
		for _, e := range p.ParseEvents([]byte(line)) {
			e.Tool.Input = append([]byte(nil), e.Tool.Input...)
			e.Tool.Output = append([]byte(nil), e.Tool.Output...)
			out = append(out, e)
		}
	}
	return out
}
