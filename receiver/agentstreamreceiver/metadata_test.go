package agentstreamreceiver_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestReadmeNamesEveryMetric holds that the README has each metric of metadata.yaml.
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
