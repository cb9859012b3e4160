package config_test

import (
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

// FuzzParseInBand: whatever the first line is, it is read or left alone, and no value is lost on the way to a string.
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
	})
}
