package agentrenderexporter

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/metadata"
)

// TestAdvice checks the warnings about settings without effect: each once.
func TestAdvice(t *testing.T) {
	const noLines = "mode json shows only input lines and records have none; set raw_lines: true at the receiver agent_stream, or another mode"
	line := item{session: "s", raw: `{"type":"x"}`}
	for _, tt := range []struct {
		name    string
		change  func(*Config)
		batches [][]item
		want    []string
	}{
		{"settings without effect", func(c *Config) { c.addIdle([]string{"style"}, "mode: verbose") }, nil, []string{"settings have no effect"}},
		{"json without lines", func(c *Config) { c.Mode = "json" }, [][]item{{text("s", "a")}, {text("s", "b")}}, []string{noLines}},
		{"json with lines", func(c *Config) { c.Mode = "json" }, [][]item{{line, text("s", "a")}, {text("s", "b")}}, nil},
		{"json with nothing yet", func(c *Config) { c.Mode = "json" }, [][]item{nil}, nil},
		{"default", nil, [][]item{{text("s", "a")}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			core, logged := observer.New(zapcore.WarnLevel)
			set := exportertest.NewNopSettings(metadata.Type)
			set.Logger = zap.New(core)
			exp := startedWith(t, set, &flakyOutput{allow: -1}, tt.change)
			for _, batch := range tt.batches {
				require.NoError(t, exp.ConsumeLogs(t.Context(), records(batch...)))
			}
			var got []string
			for _, entry := range logged.All() {
				got = append(got, entry.Message)
			}
			assert.Equal(t, tt.want, got)
		})
	}
}
