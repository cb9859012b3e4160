package deploy_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// types are the component types that the collector of the manifest knows, by section, with what the builder imports for
// them. `otelcol-tailspan components` lists them.
var types = map[string]map[string]string{
	"receivers": {
		"agent_stream": module + "/receiver/agentstreamreceiver",
		"otlp":         "go.opentelemetry.io/collector/receiver/otlpreceiver",
	},
	"processors": {
		"batch":          "go.opentelemetry.io/collector/processor/batchprocessor",
		"memory_limiter": "go.opentelemetry.io/collector/processor/memorylimiterprocessor",
	},
	"exporters": {
		"agent_render": module + "/exporter/agentrenderexporter",
		"debug":        "go.opentelemetry.io/collector/exporter/debugexporter",
		"file":         "github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter",
		"nop":          "go.opentelemetry.io/collector/exporter/nopexporter",
		"otlp_grpc":    "go.opentelemetry.io/collector/exporter/otlpexporter",
		"otlp_http":    "go.opentelemetry.io/collector/exporter/otlphttpexporter",
	},
	"extensions": {
		"file_storage": "github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage",
		"health_check": "github.com/open-telemetry/opentelemetry-collector-contrib/extension/healthcheckextension",
	},
}

func TestManifestHasTheKnownTypes(t *testing.T) {
	m := readManifest(t)
	for section, entries := range map[string][]component{
		"receivers": m.Receivers, "processors": m.Processors, "exporters": m.Exporters, "extensions": m.Extensions,
	} {
		var got []string
		for _, c := range entries {
			got = append(got, c.path())
		}
		assert.ElementsMatch(t, slices.Collect(maps.Values(types[section])), got, section)
	}
}

// collectorConfig is the shape of a collector's configuration.
type collectorConfig struct {
	Receivers  map[string]any `yaml:"receivers"`
	Processors map[string]any `yaml:"processors"`
	Exporters  map[string]any `yaml:"exporters"`
	Extensions map[string]any `yaml:"extensions"`
	Service    struct {
		Extensions []string       `yaml:"extensions"`
		Telemetry  map[string]any `yaml:"telemetry"`
		Pipelines  map[string]struct {
			Receivers  []string `yaml:"receivers"`
			Processors []string `yaml:"processors"`
			Exporters  []string `yaml:"exporters"`
		} `yaml:"pipelines"`
	} `yaml:"service"`
}

// problems returns what a collector of the manifest would reject in c, as far as names go. What the settings may be is
// checked by the collector itself (make validate).
func (c *collectorConfig) problems() (found []string) {
	used := map[string][]string{"extensions": c.Service.Extensions}
	for _, p := range c.Service.Pipelines {
		used["receivers"] = append(used["receivers"], p.Receivers...)
		used["processors"] = append(used["processors"], p.Processors...)
		used["exporters"] = append(used["exporters"], p.Exporters...)
	}
	for section, defined := range map[string]map[string]any{
		"receivers": c.Receivers, "processors": c.Processors, "exporters": c.Exporters, "extensions": c.Extensions,
	} {
		for id := range defined {
			kind, _, _ := strings.Cut(id, "/")
			if _, ok := types[section][kind]; !ok {
				found = append(found, fmt.Sprintf("%s: the collector has no %q", section, kind))
			}
			if !slices.Contains(used[section], id) {
				found = append(found, fmt.Sprintf("%s: %q is in no pipeline", section, id))
			}
		}
		for _, id := range used[section] {
			if _, ok := defined[id]; !ok {
				found = append(found, fmt.Sprintf("%s: %q is not defined", section, id))
			}
		}
	}
	if len(c.Service.Pipelines) == 0 {
		found = append(found, "no pipelines")
	}
	slices.Sort(found)
	return found
}

func TestConfigs(t *testing.T) {
	paths, err := filepath.Glob("config/*.yaml")
	require.NoError(t, err)
	examples, err := filepath.Glob("../examples/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, examples)
	paths = append(paths, examples...)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			c := &collectorConfig{}
			readYAML(t, path, c)
			assert.Empty(t, c.problems())
		})
	}
	t.Run("demo with Jaeger", func(t *testing.T) {
		c := &collectorConfig{}
		readYAML(t, "config/demo.yaml", c)
		readYAML(t, "../tools/demo/jaeger-export.yaml", c) // as the collector does: maps are merged, lists replaced
		assert.Empty(t, c.problems())
	})
}

// TestDocumentedConfigs holds the configurations that the documents show to the same.
func TestDocumentedConfigs(t *testing.T) {
	block := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")
	documents, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	shown := 0
	for _, path := range append(documents, "../README.md") {
		for i, found := range block.FindAllStringSubmatch(readText(t, path), -1) {
			if !strings.Contains(found[1], "pipelines:") {
				continue // a part of a configuration, or no configuration
			}
			shown++
			t.Run(fmt.Sprintf("%s block %d", filepath.Base(path), i+1), func(t *testing.T) {
				c := &collectorConfig{}
				decoder := yaml.NewDecoder(strings.NewReader(found[1]))
				decoder.KnownFields(true)
				require.NoError(t, decoder.Decode(c))
				assert.Empty(t, c.problems())
			})
		}
	}
	assert.NotZero(t, shown, "configurations in the documents")
}

func TestProblems(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{name: "nothing", in: "{}", want: []string{"no pipelines"}},
		{
			name: "names",
			in: `
receivers: {filelog: , otlp: }
exporters: {debug/a: }
service: {extensions: [health_check], pipelines: {logs: {receivers: [otlp], exporters: [debug, debug/a]}}}`,
			want: []string{
				`exporters: "debug" is not defined`,
				`extensions: "health_check" is not defined`,
				`receivers: "filelog" is in no pipeline`,
				`receivers: the collector has no "filelog"`,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &collectorConfig{}
			require.NoError(t, yaml.Unmarshal([]byte(tt.in), c))
			assert.Equal(t, tt.want, c.problems())
		})
	}
}

// TestWorkstationReadsSubAgents: the globs of the workstation match each place where an agent keeps sessions, and those of sub-agents. A run
// waits for a sub-agent that it cannot find, and lacks its tokens.
func TestWorkstationReadsSubAgents(t *testing.T) {
	data, err := os.ReadFile("../examples/workstation.yaml")
	require.NoError(t, err)
	var c struct {
		Receivers struct {
			Stream struct {
				Include []string `yaml:"include"`
			} `yaml:"agent_stream"`
		} `yaml:"receivers"`
	}
	require.NoError(t, yaml.Unmarshal(data, &c))
	expression := strings.NewReplacer(".", `\.`, "**/", "(?:.*/)?", "*", "[^/]*", "{", "(?:", "}", ")", ",", "|")
	for _, path := range []string{
		"~/.claude/projects/-home-dev-shop/s1.jsonl",
		"~/.claude/projects/-home-dev-shop/s1/subagents/agent-a1.jsonl",
		"~/.claude/projects/-home-dev-shop/s1/subagents/workflows/w1/agent-a1.jsonl",
		"~/.codex/sessions/2026/11/28/rollout-2026-11-28T13-35-51-s1.jsonl",
		"~/.gemini/tmp/shop/chats/session-2026-11-28T13-43-e96c4839.jsonl",
		"~/.gemini/tmp/shop/chats/session-2025-10-01T10-00-e96c4839.json",
		"~/.gemini/tmp/shop/chats/s1/a1.jsonl",
		"~/.qwen/projects/-home-dev-shop/chats/s1.jsonl",
		"~/.qwen/projects/-home-dev-shop/subagents/s1/agent-general-purpose-call_1.jsonl",
	} {
		matches := slices.ContainsFunc(c.Receivers.Stream.Include, func(glob string) bool {
			return regexp.MustCompile("^" + expression.Replace(glob) + "$").MatchString(path)
		})
		assert.True(t, matches, path)
	}
}
