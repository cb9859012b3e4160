package deploy_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDocumentedMetrics checks that the metrics that docs/collector.md recommends are metrics of the components.
func TestDocumentedMetrics(t *testing.T) {
	document, err := os.ReadFile("../docs/collector.md")
	require.NoError(t, err)
	known := ""
	for _, path := range []string{"../receiver/agentstreamreceiver/metadata.yaml", "../exporter/agentrenderexporter/metadata.yaml"} {
		metadata, err := os.ReadFile(path)
		require.NoError(t, err)
		known += string(metadata)
	}
	rows := regexp.MustCompile("(?m)^\\| `otelcol_[^|]*\\|").FindAllString(string(document), -1)
	require.NotEmpty(t, rows)
	quoted := regexp.MustCompile("`([a-z_]+)`")
	family := regexp.MustCompile("^(receiver_agent_stream|exporter_agent_render)_")
	for _, row := range rows {
		prefix := "" // of the names after the first, which omit it
		for _, match := range quoted.FindAllStringSubmatch(row, -1) {
			name, whole := strings.CutPrefix(match[1], "otelcol_")
			if whole {
				prefix = strings.TrimSuffix(family.FindString(name), "_")
			} else {
				name = prefix + name
			}
			assert.Contains(t, known, "\n    "+name+":\n", "in %s", row)
		}
	}
}
