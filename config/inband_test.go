package config_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/config"
)

func TestParseInBand(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		want       config.InBand
		ok         bool
	}{
		{"whole", `{"type":"tailspan","attributes":{"cicd.pipeline.name":"nightly","cicd.pipeline.run.id":17,"x":null},"traceparent":"00-a"}`,
			config.InBand{Attributes: map[string]string{"cicd.pipeline.name": "nightly", "cicd.pipeline.run.id": "17"}, TraceParent: "00-a"}, true},
		{"bare, with a mark and a carriage return", "\xef\xbb\xbf{\"type\":\"tailspan\"}\r", config.InBand{Attributes: map[string]string{}}, true},
		{"another type that names us", `{"type":"text","text":"tailspan \"tailspan\""}`, config.InBand{}, false},
		{"an agent's line", `{"type":"system","subtype":"init"}`, config.InBand{}, false},
		{"torn", `{"type":"tailspan","attr`, config.InBand{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := config.ParseInBand([]byte(tt.line))
			assert.Equal(t, tt.ok, ok)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestAllowed(t *testing.T) {
	line := config.InBand{TraceParent: "00-a", Attributes: map[string]string{
		"cicd.pipeline.name": "nightly", "vcs.ref.head.name": "main", "gen_ai.agent.name": "fixer", "service.name": "payments", "host.name": "prod",
	}}
	many := config.InBand{Attributes: map[string]string{"cicd.pipeline.name": "nightly", "vcs.long": strings.Repeat("x", 1<<10)}}
	for i := range 100 {
		many.Attributes[fmt.Sprintf("a.%03d", i)] = "v"
	}
	for _, tt := range []struct {
		name, mode string
		line       config.InBand
		keys       []string // some of the allowed keys
		n, dropped int
		parent     string
	}{
		{"off", config.InBandOff, line, nil, 0, 6, ""},
		{"identity", config.InBandIdentity, line, []string{"cicd.pipeline.name", "gen_ai.agent.name", "vcs.ref.head.name"}, 3, 2, "00-a"},
		{"all", config.InBandAll, line, []string{"host.name", "service.name"}, 5, 0, "00-a"},
		{"too many and too long", config.InBandAll, many, []string{"a.000", "a.062", "cicd.pipeline.name"}, 64, 38, ""},
		{"too long", config.InBandIdentity, many, []string{"cicd.pipeline.name"}, 1, 101, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, dropped := tt.line.Allowed(tt.mode)
			assert.Len(t, got.Attributes, tt.n)
			assert.Subset(t, slices.Collect(maps.Keys(got.Attributes)), tt.keys)
			assert.Equal(t, tt.dropped, dropped)
			assert.Equal(t, tt.parent, got.TraceParent)
		})
	}
}

func TestCheckInBand(t *testing.T) {
	i := config.NewDefaultIdentity()
	assert.NoError(t, i.Check())
	i.InBand = "on"
	assert.EqualError(t, i.Check(), `in_band must be "off", "identity" or "all", got "on"`)
}

// FuzzParseInBand: whatever the first line is, it is parsed or ignored, and no value is lost in the conversion to a string.
func FuzzParseInBand(f *testing.F) {
	f.Add([]byte(`{"type":"tailspan","attributes":{"a":"b","n":17,"x":null,"l":[1,{"y":2}]},"traceparent":"00-a"}`))
	f.Add([]byte("\xef\xbb\xbf{\"type\":\"tailspan\"}"))
	f.Add([]byte(`{"type":"tailspan","attr`))
	f.Fuzz(func(t *testing.T, line []byte) {
		in, ok := config.ParseInBand(line)
		if !ok {
			assert.Equal(t, config.InBand{}, in)
			return
		}
		assert.NotNil(t, in.Attributes)
		allowed, dropped := in.Allowed(config.InBandAll)
		assert.Equal(t, len(in.Attributes), len(allowed.Attributes)+dropped)
	})
}
