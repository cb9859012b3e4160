package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/config"
)

func TestReadPrices(t *testing.T) {
	for _, tc := range []struct {
		name, file, want string
		prices           [][5]float64 // input, cached, 5 m, 1 h, output
	}{
		{name: "whole", file: "- {model: demo-*, input: 3, cached: 0.3, cache_write_5m: 3.75, cache_write_1h: 6, output: 15}", prices: [][5]float64{{3, 0.3, 3.75, 6, 15}}},
		{name: "the least", file: "- model: demo\n  input: 2\n  output: 8", prices: [][5]float64{{2, 2, 2, 2, 8}}},
		{name: "one price of the cache", file: "- {model: demo, input: 2, cache_write_5m: 3, output: 8}", prices: [][5]float64{{2, 2, 3, 3, 8}}},
		{name: "JSON", file: `[{"model": "demo", "input": 0, "output": 1}]`, prices: [][5]float64{{0, 0, 0, 0, 1}}},
		{name: "empty"},
		{name: "too long", file: "- {model: a, input: 1, output: 1}\n#" + strings.Repeat("x", 1<<20), want: "longer than 1048576 bytes"},
		{name: "no model", file: "- {input: 1, output: 1}", want: "entry 1: model is required"},
		{name: "no output", file: "- {model: a, input: 1, output: 1}\n- {model: b, input: 1}", want: `entry 2: "b": input and output are required`},
		{name: "negative", file: "- {model: a, input: -1, output: 1}", want: `"a": a price must be from 0 to 1000000, got -1`},
		{name: "not a number", file: "- {model: a, input: .nan, output: 1}", want: "got NaN"},
		{name: "a word that is none of ours", file: "- {model: a, input: 1, output: 1, ouptut: 2}", want: "field ouptut not found"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "prices.yaml")
			require.NoError(t, os.WriteFile(path, []byte(tc.file), 0o600))
			got, err := config.ReadPrices(path)
			if tc.want != "" {
				require.ErrorContains(t, err, tc.want)
				return
			}
			require.NoError(t, err)
			var prices [][5]float64
			for _, p := range got {
				prices = append(prices, [5]float64{*p.Input, *p.Cached, *p.CacheWrite5m, *p.CacheWrite1h, *p.Output})
			}
			assert.Equal(t, tc.prices, prices)
		})
	}
	_, err := config.ReadPrices(filepath.Join(t.TempDir(), "none.yaml"))
	assert.ErrorContains(t, err, "open prices")
}
