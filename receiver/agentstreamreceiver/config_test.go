package agentstreamreceiver_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/featuregate"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/metadata"
)

func loadConfig(t *testing.T, id component.ID) *agentstreamreceiver.Config {
	t.Helper()
	all, err := confmaptest.LoadConf(filepath.Join("testdata", "config.yaml"))
	require.NoError(t, err)
	sub, err := all.Sub(id.String())
	require.NoError(t, err)
	cfg := agentstreamreceiver.NewFactory().CreateDefaultConfig().(*agentstreamreceiver.Config)
	require.NoError(t, sub.Unmarshal(cfg))
	return cfg
}

func TestConfigStruct(t *testing.T) {
	require.NoError(t, componenttest.CheckConfigStruct(agentstreamreceiver.NewFactory().CreateDefaultConfig()))
}

func TestLoadConfig(t *testing.T) {
	minimal := agentstreamreceiver.NewFactory().CreateDefaultConfig().(*agentstreamreceiver.Config)
	minimal.Stream.Include = []string{"/runs/**/*.jsonl"}
	database := agentstreamreceiver.NewFactory().CreateDefaultConfig().(*agentstreamreceiver.Config)
	database.Stream.Databases = []string{"~/.local/share/opencode/opencode.db"}
	positions := component.MustNewIDWithName("file_storage", "positions")
	all := &agentstreamreceiver.Config{
		Storage: &positions,
		Pipes: []config.Pipe{
			{Path: "/run/a.fifo", Provider: "codex", Persona: "reviewer", Pipeline: config.Pipeline{Name: "triage"}, Resource: map[string]string{"a": "b"}},
			{Path: "-"},
		},
		Spool: config.Spool{Directory: "/var/lib/spool", MaxSize: 1_000_000},
		Stream: config.Stream{
			Include: []string{"~/a/*.jsonl", "/b/**/*.jsonl"}, Exclude: []string{"**/old-*.jsonl"}, StartAt: "beginning", Provider: "claude", RawLines: true, IncludeFilePath: true, Unrecognized: "drop", Container: "none",
			Databases:    []string{"~/c/opencode-dev.db"},
			PollInterval: 5 * time.Second, ForceFlushPeriod: time.Second, IdleClose: 30 * time.Minute, ExcludeOlderThan: 24 * time.Hour,
			MaxLineSize: 1 << 20, MaxDocumentSize: 2_000_000, MaxConcurrentFiles: 2,
		},
		Identity: config.Identity{
			InBand:   config.InBandAll,
			Pipeline: config.OwnPipeline{Pipeline: config.Pipeline{Name: "nightly", RunID: "17", Task: "fix", TaskRunID: "17-2"}, ServiceName: "ci"}, Persona: "fixer",
			Resource: map[string]string{"deployment.environment.name": "ci"}, Attributes: map[string]string{"team": "blue"},
			Environment: true, TraceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
			PathPattern: "runs/{cicd.pipeline.name}/{cicd.pipeline.run.id}/{cicd.pipeline.task.name}.jsonl",
		},
		Telemetry: config.Telemetry{
			Semconv: "genai-0.1", Trace: "session", EndGrace: 5 * time.Second, StallAfter: time.Minute, ParentWait: 20 * time.Second, ForkWindow: time.Hour, Prices: "testdata/prices.yaml", PipelineIdle: time.Minute, Metrics: config.Metrics{Interval: 15 * time.Second, Temporality: "delta"},
			ProgressInterval: time.Second, ExpectedDuration: 3 * time.Minute,
			Capture: config.Capture{Prompts: true, Reasoning: true, ToolInput: true, ToolOutput: true, Messages: true},
			Limits:  config.Limits{TargetLength: 10, ContentSize: 11, PendingEvents: 12, PendingSize: 1 << 20, Models: 14, OpenCalls: 13, IDCacheSize: 14, SeriesPerMetric: 17, ToolNames: 18, DedupCacheSize: 16, Pipelines: 15},
		},
		Redaction: config.Redaction{
			Names: []string{"acme seal"}, Allow: []string{"^example"},
			Rules: []config.RedactionRule{{Name: "acme", Pattern: "acme-[0-9]+", Keyword: "acme-"}},
		},
		Delivery: config.Delivery{MaxBatchSize: 1 << 20, OnPermanentError: "retry"},
		Retry:    configretry.BackOffConfig{Enabled: true, InitialInterval: time.Second, MaxInterval: 2 * time.Second, MaxElapsedTime: 10 * time.Minute, Multiplier: 2, RandomizationFactor: 0.5},
	}
	for _, tt := range []struct {
		id   component.ID
		want *agentstreamreceiver.Config
	}{
		{component.NewID(metadata.Type), minimal},
		{component.NewIDWithName(metadata.Type, "database"), database},
		{component.NewIDWithName(metadata.Type, "all"), all},
	} {
		t.Run(tt.id.String(), func(t *testing.T) {
			cfg := loadConfig(t, tt.id)
			assert.NoError(t, confmap.Validate(cfg))
			assert.Equal(t, tt.want, cfg)
		})
	}
}

// TestEverySettingIsLoaded checks that testdata/config.yaml sets each setting to something other than its default: otherwise
// TestLoadConfig passes although a key is not read. Commands need a feature gate and have separate tests; the keys of
// retry_on_failure are the collector's.
func TestEverySettingIsLoaded(t *testing.T) {
	initial := agentstreamreceiver.NewFactory().CreateDefaultConfig().(*agentstreamreceiver.Config)
	loaded := loadConfig(t, component.NewIDWithName(metadata.Type, "all"))
	initial.Commands, initial.Retry = []config.Command{{}}, configretry.BackOffConfig{}
	assert.Empty(t, unchanged("Config", reflect.ValueOf(*initial), reflect.ValueOf(*loaded)), "not set in testdata/config.yaml")
}

// unchanged returns the fields that are equal in two structs, at any depth.
func unchanged(name string, a, b reflect.Value) (names []string) {
	if a.Kind() != reflect.Struct {
		if reflect.DeepEqual(a.Interface(), b.Interface()) {
			names = append(names, name)
		}
		return names
	}
	for i := range a.NumField() {
		names = append(names, unchanged(name+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))...)
	}
	return names
}

// TestConfigErrorsShowNoSecret checks that no error shows the value of a setting that may contain a secret.
func TestConfigErrorsShowNoSecret(t *testing.T) {
	openGate(t)
	const secret = "zz-demo-" + "0123456789"
	for name, settings := range map[string]map[string]any{
		"list for a map":      {"attributes": []any{"api_key=" + secret}},
		"map for a text":      {"attributes": map[string]any{"api_key": map[string]any{"nested": []any{secret}}}},
		"text for a map":      {"commands": []any{map[string]any{"command": []any{"true"}, "env": "API_TOKEN=" + secret}}},
		"name with a value":   {"commands": []any{map[string]any{"command": []any{"true"}, "env": map[string]any{"API_TOKEN=" + secret: ""}}}},
		"flags of no program": {"commands": []any{map[string]any{"command": []any{"tool --api-key " + secret}, "stream_flags": true}}},
		"text for a list":     {"commands": secret},
		"text for a pipe":     {"pipes": []any{secret}},
		"text for a duration": {"poll_interval": secret},
		"text for a number":   {"max_line_size": secret},
		"text for a pipeline": {"pipeline": secret},
		"list for a persona":  {"persona": []any{secret}},
		"traceparent":         {"traceparent": secret},
		"traceparent, parts":  {"traceparent": "00-" + secret + "-" + secret + "-01"},
		"allow":               {"redaction": map[string]any{"allow": []any{"(" + secret}}},
		"rule":                {"redaction": map[string]any{"rules": []any{map[string]any{"name": "a", "pattern": "(" + secret}}}},
		"name of a rule":      {"redaction": map[string]any{"rules": []any{map[string]any{"name": secret + " X", "pattern": "a"}}}},
		"name":                {"redaction": map[string]any{"names": []any{strings.Repeat(secret, 10)}}},
		"map for rules":       {"redaction": map[string]any{"rules": map[string]any{"a": secret}}},
	} {
		t.Run(name, func(t *testing.T) {
			settings["include"] = []any{"/runs/*"}
			cfg := agentstreamreceiver.NewFactory().CreateDefaultConfig()
			err := confmap.NewFromStringMap(settings).Unmarshal(cfg)
			if err == nil {
				err = confmap.Validate(cfg)
			}
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "0123456789")
		})
	}
}

func TestConfigErrors(t *testing.T) {
	for _, tt := range []struct {
		name  string
		wants []string // each names the key, and the value unless it is secret
	}{
		{"nothing", []string{"include is required"}},
		{"bad_glob", []string{`include`, `"/runs/[a"`}},
		{"bad_exclude", []string{`exclude`, `"{a"`}},
		{"bad_database", []string{`databases`, `"[a"`}},
		{"bad_provider", []string{`provider must be one of `, `got "clod"`}},
		{"bad_pattern", []string{`path_pattern "runs/{cicd.pipeline.name"`, "without a }"}},
		{"bad_start", []string{`start_at must be "beginning" or "end", got "middle"`}},
		{"bad_unrecognized", []string{`container must be "auto" or "none", got "podman"`, `unrecognized must be "pass" or "drop", got "keep"`}},
		{"bad_semconv", []string{`semconv must be`, `got "v2"`}},
		{"bad_trace", []string{`trace must be "run" or "session", got "forest"`, "traceparent: parse traceparent: want 00-"}},
		{"bad_redaction", []string{"redaction: parse", "missing closing )"}},
		{"bad_numbers", []string{"max_line_size must be positive, got -1", "max_document_size must be positive, got 0", "poll_interval must be positive, got 0s", "limits::open_calls must be positive, got 0", "retry_on_failure::max_interval must not be below", "retry_on_failure::multiplier must be at least 1, got 0.5"}},
		{"bad_retry", []string{"retry_on_failure::initial_interval must be positive, got 0s"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := confmap.Validate(loadConfig(t, component.NewIDWithName(metadata.Type, tt.name)))
			for _, want := range tt.wants {
				assert.ErrorContains(t, err, want)
				assert.Equal(t, 1, strings.Count(err.Error(), want), "%q is reported once", want)
			}
		})
	}
}

// commandsGate is the feature gate of commands.
const commandsGate = "receiver.agent_stream.commands"

// openGate opens the feature gate for a test.
func openGate(t *testing.T) {
	t.Helper()
	require.NoError(t, featuregate.GlobalRegistry().Set(commandsGate, true))
	t.Cleanup(func() { assert.NoError(t, featuregate.GlobalRegistry().Set(commandsGate, false)) })
}
