package agentrenderexporter

import (
	"bytes"
	"os"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestReadmeNamesEveryMetric checks that the README has each metric of metadata.yaml.
func TestReadmeNamesEveryMetric(t *testing.T) {
	var metadata struct {
		Telemetry struct {
			Metrics map[string]any `yaml:"metrics"`
		} `yaml:"telemetry"`
	}
	text, err := os.ReadFile("metadata.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &metadata))
	require.NotEmpty(t, metadata.Telemetry.Metrics)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for name := range metadata.Telemetry.Metrics {
		assert.True(t, bytes.Contains(readme, []byte("`otelcol_"+name+"`")), "README.md does not name %s", name)
	}
}

// TestOneConsumer: text is written in the order of the batches, so the queue is off and has one consumer.
func TestOneConsumer(t *testing.T) {
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	assert.False(t, cfg.QueueConfig.HasValue())
	assert.Equal(t, 1, cfg.QueueConfig.GetOrInsertDefault().NumConsumers)
}

// TestReadmeNamesEverySetting checks that every setting is documented.
func TestReadmeNamesEverySetting(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		if f.IsExported() {
			key := f.Tag.Get("mapstructure")
			assert.True(t, bytes.Contains(readme, []byte("| `"+key+"` | ")), "README.md does not name %s", key)
		}
	}
}
