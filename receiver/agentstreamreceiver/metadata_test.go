package agentstreamreceiver

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/metadata"
)

// TestMetadataMatchesYAML keeps the hand-written internal/metadata and the README in step with metadata.yaml.
func TestMetadataMatchesYAML(t *testing.T) {
	var doc struct {
		Type   string `yaml:"type"`
		Status struct {
			Class     string              `yaml:"class"`
			Stability map[string][]string `yaml:"stability"`
		} `yaml:"status"`
		Telemetry struct {
			Metrics map[string]struct {
				Description string   `yaml:"description"`
				Unit        string   `yaml:"unit"`
				Attributes  []string `yaml:"attributes"`
			} `yaml:"metrics"`
		} `yaml:"telemetry"`
		Attributes map[string]any `yaml:"attributes"`
	}
	raw, err := os.ReadFile("metadata.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(raw, &doc))
	assert.Equal(t, metadata.Type.String(), doc.Type)
	assert.Equal(t, "receiver", doc.Status.Class)
	level := strings.ToLower(metadata.TracesStability.String())
	assert.ElementsMatch(t, []string{"traces", "logs"}, doc.Status.Stability[level])
	assert.Equal(t, metadata.TracesStability, metadata.LogsStability)

	code, err := os.ReadFile("internal/metadata/telemetry.go")
	require.NoError(t, err)
	var inCode []string
	for _, m := range regexp.MustCompile(`"otelcol_(\w+)",\s+metric.WithDescription\("(.*) \[Development\]"\),\s+metric.WithUnit\("(.*)"\)`).FindAllStringSubmatch(string(code), -1) {
		inCode = append(inCode, m[1])
		described, ok := doc.Telemetry.Metrics[m[1]]
		if assert.True(t, ok, "%s stands in the code alone", m[1]) {
			assert.Equal(t, described.Description, strings.ReplaceAll(m[2], `\"`, `"`), m[1])
			assert.Equal(t, described.Unit, m[3], m[1])
		}
	}
	assert.Len(t, inCode, len(doc.Telemetry.Metrics), "metrics of metadata.yaml that the code lacks")

	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for name, metric := range doc.Telemetry.Metrics {
		assert.Contains(t, string(readme), "`otelcol_"+name+"`")
		for _, a := range metric.Attributes {
			assert.Contains(t, doc.Attributes, a)
		}
	}
}
