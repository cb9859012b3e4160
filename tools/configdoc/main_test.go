package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestUpToDate checks that the committed files are up to date; make generate writes them.
func TestUpToDate(t *testing.T) {
	files, err := generate()
	require.NoError(t, err)
	require.Len(t, files, 3)
	for path, want := range files {
		got, err := os.ReadFile(filepath.Join("..", "..", path))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "%s: run make generate", path)
	}
}

// TestSchema checks that each setting has a description, and that defaults, enumerations and nested settings are included.
func TestSchema(t *testing.T) {
	for _, of := range components() {
		settings, err := settingsOf(of.config, &comments{})
		require.NoError(t, err)
		for _, s := range settings {
			assert.NotEmpty(t, s.description, "%s: %s", of.name, s.key)
		}
	}
	files, err := generate()
	require.NoError(t, err)
	var schema struct {
		Properties map[string]struct {
			Default    any            `yaml:"default"`
			Enum       []string       `yaml:"enum"`
			Properties map[string]any `yaml:"properties"`
		} `yaml:"properties"`
	}
	require.NoError(t, yaml.Unmarshal(files["receiver/agentstreamreceiver/config.schema.yaml"], &schema))
	assert.Equal(t, "end", schema.Properties["start_at"].Default)
	assert.Equal(t, []string{"beginning", "end"}, schema.Properties["start_at"].Enum)
	assert.Equal(t, "16MiB", schema.Properties["max_line_size"].Default)
	assert.Contains(t, schema.Properties["retry_on_failure"].Properties, "max_elapsed_time")
}
