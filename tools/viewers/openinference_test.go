package viewers_test

import (
	"bytes"
	"encoding/json"
	"github.com/tailspan/tailspan/otlp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// mapped is a span as seen by a viewer.
type mapped struct {
	Name       string
	Attributes map[string]any
}

// spansOf returns the spans of a recorded session, with its messages.
func spansOf(t *testing.T, path string) ptrace.Traces {
	t.Helper()
	settings := telemetry.NewDefaultSettings()
	settings.Capture.Messages = true
	redactor, err := redact.NewRedactor(redact.Settings{})
	require.NoError(t, err)
	stream, err := pipeline.New(pipeline.Settings{
		Events:    pipeline.EventSettings{Provider: "auto", Redactor: redactor, Inputs: true, Outputs: true},
		Registry:  telemetry.NewRegistry(settings),
		Telemetry: telemetry.StreamSettings{ID: path},
	})
	require.NoError(t, err)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	offset := int64(0)
	for line := range bytes.Lines(data) {
		stream.At = telemetry.Line{Offset: offset}
		stream.Line(bytes.TrimSuffix(line, []byte("\n")))
		offset += int64(len(line))
	}
	stream.Flush()
	stream.Close(otlp.CloseReasonNoResult)
	all := ptrace.NewTraces()
	for _, out := range stream.Take() {
		out.Traces.ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
	}
	return all
}

// TestOpenInference: the mapper of Arize Phoenix finds kind, agent, model, tool, tokens (including cached ones) and messages
// on our spans.
func TestOpenInference(t *testing.T) {
	modules := os.Getenv("TAILSPAN_OPENINFERENCE")
	if modules == "" {
		t.Skip("TAILSPAN_OPENINFERENCE names no folder with the npm package @arizeai/openinference-genai; make openinference sets it")
	}
	for _, session := range []struct{ file, agent, tool string }{
		{"claude/parity.jsonl", "claude-code", "Bash"},
		{"qwen/parity.stream.jsonl", "qwen-code", "run_shell_command"},
		{"codex/parity.session.jsonl", "codex", "exec_command"},
		{"gemini/parity.session.jsonl", "gemini-cli", "run_shell_command"},
		{"opencode/parity.session.jsonl", "opencode", "bash"},
	} {
		t.Run(session.file, func(t *testing.T) {
			traces, err := (&ptrace.JSONMarshaler{}).MarshalTraces(spansOf(t, filepath.Join("../../testdata", session.file)))
			require.NoError(t, err)
			node := exec.CommandContext(t.Context(), "node", "openinference.mjs", modules)
			node.Stdin, node.Stderr = bytes.NewReader(traces), os.Stderr
			out, err := node.Output()
			require.NoError(t, err)
			var spans []mapped
			require.NoError(t, json.Unmarshal(out, &spans))
			kinds, found := map[any]int{}, map[string]any{}
			for _, s := range spans {
				kinds[s.Attributes["openinference.span.kind"]]++
				for key, value := range s.Attributes {
					if found[key] == nil {
						found[key] = value
					}
				}
				if s.Attributes["openinference.span.kind"] == "TOOL" && s.Name == "execute_tool "+session.tool {
					found["tool"] = s.Attributes["tool.name"]
				}
			}
			t.Logf("%d spans, kinds %v", len(spans), kinds)
			for _, kind := range []string{"AGENT", "LLM", "TOOL"} {
				assert.NotZero(t, kinds[kind], kind)
			}
			assert.Equal(t, session.tool, found["tool"])
			for _, key := range []string{
				"agent.name", "llm.model_name", "llm.provider", "llm.token_count.prompt", "llm.token_count.completion",
				"llm.token_count.prompt_details.cache_read", "llm.input_messages.0.message.role", "llm.output_messages.0.message.role",
				"llm.output_messages.0.message.contents.0.message_content.text", "input.value", "output.value",
			} {
				assert.NotEmpty(t, found[key], key)
			}
			assert.Equal(t, session.agent, found["agent.name"])
		})
	}
}
