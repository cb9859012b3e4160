package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"

	"github.com/tailspan/tailspan/config"
)

// TestSize reads sizes as the collector does.
func TestSize(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   any
		want config.Size
		text string
	}{
		{"plain number", 2097152, 2 << 20, "2MiB"},
		{"number in quotes", "1000", 1000, "1000"},
		{"binary unit", "2MiB", 2 << 20, "2MiB"},
		{"lower case and a blank", "64 kib", 64 << 10, "64KiB"},
		{"decimal unit", "2MB", 2_000_000, "2000000"},
		{"fraction", "1.5GiB", 3 << 29, "1536MiB"},
		{"bytes", "12B", 12, "12"},
		{"terabytes", "1TiB", 1 << 40, "1TiB"},
		{"zero", 0, 0, "0"},
		{"negative", "-1", -1, "-1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c struct {
				Size config.Size `mapstructure:"size"`
			}
			require.NoError(t, confmap.NewFromStringMap(map[string]any{"size": tt.in}).Unmarshal(&c))
			assert.Equal(t, tt.want, c.Size)
			assert.Equal(t, tt.text, c.Size.String())
		})
	}
	for _, in := range []string{"", "MiB", "2MiBs", "two", "0x10", "1e3", "inf", "9999999TiB"} {
		var s config.Size
		assert.ErrorContains(t, s.UnmarshalText([]byte(in)), "size must be", in)
	}
}
