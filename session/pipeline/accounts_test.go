package pipeline_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// TestSecondAccountReadFurther reads a transcript whose sub-agents stand behind their run, and a copy of it that breaks off, in two
// streams: the copy is read at any point of the whole one. Everything is exported once. The copy must not keep the sub-agents whose first
// lines it has, although the first account of the run has not come to them yet (found by the pipeline fuzzer, seed 7706886).
func TestSecondAccountReadFurther(t *testing.T) {
	data, err := os.ReadFile("../../testdata/opencode/subagent.session.jsonl")
	require.NoError(t, err)
	whole := bytes.SplitAfter(bytes.TrimSpace(data), []byte("\n"))
	play := func(at, length int) (texts, tools map[string]int) {
		texts, tools = map[string]int{}, map[string]int{}
		registry := telemetry.NewRegistry(telemetry.NewDefaultSettings())
		var outputs []telemetry.Output
		open := func(id string) *pipeline.Pipeline {
			return newStream(t, func(set *pipeline.Settings) { set.Registry, set.Telemetry.ID = registry, id })
		}
		read := func(p *pipeline.Pipeline, lines [][]byte) {
			for _, line := range lines {
				p.At.Offset++
				p.Line(line)
			}
			outputs = append(outputs, p.Take()...)
		}
		first, second := open("whole"), open("copy")
		read(first, whole[:at])
		read(second, whole[:length])
		read(first, whole[at:])
		for _, p := range []*pipeline.Pipeline{second, first} {
			p.Idle()
			p.Close("no_result")
			outputs = append(outputs, p.Take()...)
		}
		outputs = append(outputs, registry.Close())
		var traces []ptrace.Traces
		for i := range outputs {
			for _, rs := range outputs[i].Traces.ResourceSpans().All() {
				for _, span := range rs.ScopeSpans().At(0).Spans().All() {
					if id, ok := span.Attributes().Get("gen_ai.tool.call.id"); ok {
						tools[id.Str()]++
					}
				}
			}
			for _, rl := range outputs[i].Logs.ResourceLogs().All() {
				for _, lr := range rl.ScopeLogs().At(0).LogRecords().All() {
					if lr.EventName() == "tailspan.text" {
						texts[lr.Body().Str()]++
					}
				}
			}
			traces = append(traces, outputs[i].Traces)
		}
		assert.Empty(t, otlpjson.Check(traces...), "copy of %d lines, read after %d", length, at)
		return texts, tools
	}
	wantTexts, wantTools := play(len(whole), 0)
	require.Len(t, wantTools, 6)
	for at := range len(whole) {
		for _, length := range []int{14, 30, 36, 38, 40, len(whole)} {
			texts, tools := play(at, length)
			assert.Equal(t, wantTexts, texts, "copy of %d lines, read after %d", length, at)
			assert.Equal(t, wantTools, tools, "copy of %d lines, read after %d", length, at)
		}
	}
}
