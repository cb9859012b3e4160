package pipeline_test

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// What a silence is reported of.
const (
	nothing  = ""
	aPrompt  = "prompt" // nothing identifies its run, so there is no trace yet
	aRun     = "run"
	stallGap = 5 * time.Minute
)

// TestStalls has each form of each provider fall silent after each of its first lines, at least up to the one that identifies the run. Each
// silence is reported once, and otherwise changes nothing of the export.
func TestStalls(t *testing.T) {
	for _, tt := range []struct {
		name, files string   // the versions of a document are several files
		want        []string // for each of the first lines with an event
	}{
		{"claude stream", "claude/parity.jsonl", []string{aPrompt, aRun}},
		{"claude stream, partial messages", "claude/partial-messages.jsonl", []string{aPrompt, aPrompt, aRun}},
		{"claude stream, retries", "claude/retry.jsonl", []string{aPrompt, aPrompt, aPrompt, aPrompt, aRun}},
		{"claude stream, hooks before the start", "claude/hooks.jsonl", []string{aPrompt, aRun}},
		{"claude stream, input as a stream", "claude/streaming-input.jsonl", []string{aPrompt, aPrompt, aRun}},
		{"claude stream 1.0.3", "claude/parity-1.0.3.jsonl", []string{aPrompt, aRun}},
		{"claude transcript", "claude/interactive.session.jsonl", []string{aPrompt, aRun}},
		{"claude transcript 1.0.128", "claude/interactive-1.0.128.session.jsonl", []string{aPrompt, aRun}},
		{
			"claude transcript 2.1.30, where any text may be the last one", "claude/families/interactive-2.1.30/main.session.jsonl",
			[]string{aPrompt, aRun, nothing, aRun, aRun, aRun, aRun, aRun, aRun, nothing, aPrompt},
		},
		{"codex stream", "codex/parity.jsonl", []string{aPrompt, aPrompt, aRun}},
		{"codex stream 0.29", "codex/parity-0.29.jsonl", []string{aPrompt, aPrompt, aPrompt, aPrompt, nothing, aRun}},
		{"codex stream 0.42", "codex/parity-0.42-experimental.jsonl", []string{aPrompt, aPrompt, nothing, aRun}},
		{"codex rollout", "codex/parity.session.jsonl", []string{nothing, nothing, nothing, aPrompt, aRun}},
		{"codex rollout 0.29", "codex/parity-0.29.session.jsonl", []string{nothing, nothing, aPrompt, aPrompt, nothing, aRun, aRun, nothing, aRun}},
		{"codex rollout 0.125", "codex/parity-0.125.session.jsonl", []string{nothing, nothing, nothing, aPrompt, aPrompt, aRun}},
		{"codex rollout of a sub-agent", "codex/subagents-v1-child.session.jsonl", []string{nothing, nothing, nothing, nothing, nothing}},
		{"gemini stream", "gemini/parity.jsonl", []string{aPrompt, aPrompt, aRun}},
		{"gemini stream of the ADK", "gemini/parity-adk.jsonl", []string{aPrompt, aPrompt, aRun}},
		{"gemini transcript", "gemini/parity.session.jsonl", []string{nothing, aPrompt, aRun}},
		{"gemini transcript nobody used", "gemini/resume-stub.session.jsonl", []string{nothing}},
		{"gemini document, whose answer shows the end", "gemini/case-rewritten-1.session.json gemini/case-rewritten-2.session.json", []string{aPrompt, nothing}},
		{"qwen stream", "qwen/parity.stream.jsonl", []string{aPrompt, aPrompt, aRun}},
		{"qwen transcript", "qwen/parity.session.jsonl", []string{aPrompt, aPrompt, aRun}},
		{"opencode stream, which begins with the answer", "opencode/parity.jsonl", []string{aRun}},
		{"opencode database", "opencode/parity.session.jsonl", []string{nothing, aPrompt, aRun}},
		{"opencode event log", "opencode/parity.log.jsonl", []string{nothing, aPrompt, aRun}},
		{"opencode server, retries", "opencode/retry.server.jsonl", []string{nothing, aPrompt, aPrompt, aPrompt, aPrompt, aRun}},
		{"openai answers, which are whole", "openai/parity.bodies.jsonl", []string{nothing, nothing}},
		{"openai requests", "openai/parity.requests.jsonl", []string{aPrompt, aPrompt, aPrompt, aPrompt, aPrompt}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := linesOf(t, strings.Fields(tt.files)...)
			followed := playQuiet(t, lines, silences{to: len(tt.want)}, stallGap)
			assert.Equal(t, tt.want, followed.reports)
			assert.Equal(t, playQuiet(t, lines, silences{to: len(tt.want)}, 0).export, followed.export)
			assert.Equal(t, playQuiet(t, lines, silences{to: len(tt.want)}, stallGap).uids, followed.uids, "whoever reports them")

			first := slices.IndexFunc(tt.want, func(what string) bool { return what != nothing })
			if first < 0 {
				return
			}
			found := playQuiet(t, lines, silences{from: first, to: len(tt.want)}, stallGap)
			assert.Equal(t, tt.want[first:], found.reports)
			assert.Equal(t, playQuiet(t, lines, silences{from: first, to: len(tt.want)}, 0).export, found.export)
			assert.Equal(t, followed.uids, found.uids)
		})
	}
}

// TestLinesWithoutEvents: an agent that writes is not silent, even if no line has an event. Once it falls silent it is reported, and again
// after each further line.
func TestLinesWithoutEvents(t *testing.T) {
	for _, name := range []string{"claude/reasoning.jsonl", "claude/partial-messages.jsonl"} {
		t.Run(name, func(t *testing.T) {
			lines := linesOf(t, name)
			assert.Empty(t, playQuiet(t, lines, silences{pace: stallGap / 3}, stallGap).uids)
			stalls := playQuiet(t, lines[:5], silences{pace: 2 * stallGap}, stallGap).uids
			assert.Len(t, stalls, 5)
			assert.Len(t, slices.Compact(stalls), 5)
		})
	}
}

// structuredOutput is the end of a transcript of Claude Code 2.1.332 with --json-schema, without the keys that are not read.
const structuredOutput = `{"type":"user","message":{"role":"user","content":"Give me JSON"},"uuid":"u1","timestamp":"2026-11-27T21:11:16.999Z","promptSource":"sdk","sessionId":"s1","version":"2.1.332"}
{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{"type":"tool_use","id":"toolu_1","name":"StructuredOutput","input":{"item":"teapot","count":3}}],"stop_reason":"tool_use"},"uuid":"u2","timestamp":"2026-11-27T21:11:19.874Z","sessionId":"s1","version":"2.1.332"}
{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"Structured output provided successfully"}]},"uuid":"u3","timestamp":"2026-11-27T21:11:19.889Z","toolUseResult":"Structured output provided successfully","toolEndsTurn":true,"sessionId":"s1","version":"2.1.332"}`

// TestCallThatEndsTheTurn: nothing follows the result of such a call, while any other result is given to the model.
func TestCallThatEndsTheTurn(t *testing.T) {
	for _, tt := range []struct {
		name, ends string
		want       []string
	}{
		{"ends the turn", `"toolEndsTurn":true`, []string{aPrompt, aRun, nothing}},
		{"does not", `"toolEndsTurn":false`, []string{aPrompt, aRun, aRun}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := bytes.Split([]byte(strings.Replace(structuredOutput, `"toolEndsTurn":true`, tt.ends, 1)), []byte("\n"))
			q := playQuiet(t, lines, silences{to: len(lines)}, stallGap)
			assert.Equal(t, tt.want, q.reports)
			assert.Equal(t, tt.want[2] == nothing, strings.Contains(strings.Join(q.export, "\n"), "tailspan.run.outcome:ok"))
		})
	}
}

// linesOf returns the lines of a recording, or the versions of a document.
func linesOf(t *testing.T, names ...string) (lines [][]byte) {
	t.Helper()
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", name))
		require.NoError(t, err)
		if strings.HasSuffix(name, ".json") {
			lines = append(lines, data)
			continue
		}
		lines = append(lines, bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))...)
	}
	return lines
}

// quietly is the output of a stream with silences.
type quietly struct {
	reports []string // what was reported in each silence
	uids    []string // of these records
	export  []string // everything else
}

// silences are after the lines with events from one on and before another. What precedes the first silence was written before the file
// was found, unless that is the first line. Each line is followed by a pause of pace.
type silences struct {
	from, to int
	pace     time.Duration
}

// playQuiet reads lines with silences.
func playQuiet(t *testing.T, lines [][]byte, at silences, stallAfter time.Duration) (q quietly) {
	t.Helper()
	now := time.Date(2026, 11, 27, 8, 0, 0, 0, time.UTC)
	settings := telemetry.NewDefaultSettings()
	settings.StallAfter, settings.ProgressInterval, settings.Now = stallAfter, 0, func() time.Time { return now }
	registry := telemetry.NewRegistry(settings)
	set := pipeline.Settings{Events: pipeline.EventSettings{Provider: "auto"}, Registry: registry}
	set.Events.Redactor = redactor(t)
	set.Telemetry.ID, set.Telemetry.FileTime = "file", now
	set.Telemetry.Identity = otlp.NewIdentity(otlp.Attribute{Key: otlp.AttrPipelineName, Value: "nightly"},
		otlp.Attribute{Key: otlp.AttrPipelineRunID, Value: "7"}, otlp.Attribute{Key: otlp.AttrTaskName, Value: "fix"})
	seen, session := 0, ""
	set.OnEvents = func(evs []events.DisplayEvent) {
		seen++
		session = cmp.Or(session, evs[0].SessionID)
	}
	p, err := pipeline.New(set)
	require.NoError(t, err)
	take := func(out telemetry.Output) (reports []string) {
		for _, rl := range out.Logs.ResourceLogs().All() {
			rl.ScopeLogs().At(0).LogRecords().RemoveIf(func(lr plog.LogRecord) bool {
				if lr.EventName() != otlp.EventNameStalled {
					return false
				}
				raw := lr.Attributes().AsRaw()
				q.uids = append(q.uids, raw[otlp.AttrLogRecordUID].(string))
				assert.Equal(t, 1, out.Counts.StalledRuns)
				task, _ := rl.Resource().Attributes().Get(otlp.AttrTaskName)
				assert.Equal(t, "fix", task.Str())
				conversation, _ := raw[otlp.AttrGenAIConversationID].(string)
				assert.Equal(t, session, conversation)
				assert.NotEmpty(t, raw[otlp.AttrGenAIAgentName])
				assert.GreaterOrEqual(t, raw[otlp.AttrSilent], stallAfter.Seconds())
				assert.GreaterOrEqual(t, raw[otlp.AttrElapsed], raw[otlp.AttrSilent])
				what := aRun
				if lr.TraceID().IsEmpty() && lr.SpanID().IsEmpty() {
					what = aPrompt
				}
				reports = append(reports, what)
				return true
			})
		}
		q.export = append(q.export, described(&out)...)
		return reports
	}
	offset := int64(0)
	for _, line := range lines {
		before := seen
		p.At = telemetry.Line{Offset: offset, Arrival: now, Read: now, Live: at.from == 0 || seen > at.from}
		offset += int64(len(line)) + 1
		p.Line(line)
		for _, out := range p.Take() {
			take(out)
		}
		if at.pace > 0 {
			p.Idle()
			for range 10 {
				now = now.Add(at.pace / 10)
				take(registry.Take())
			}
		}
		if seen == before || seen <= at.from || seen > at.to {
			continue
		}
		p.Idle()
		var reports []string
		for range 60 {
			now = now.Add(10 * time.Second)
			reports = append(reports, take(registry.Take())...)
			p.Idle() // as after a line without an event
		}
		q.reports = append(q.reports, strings.Join(reports, ", "))
	}
	p.Flush()
	p.Idle()
	p.Close(otlp.CloseReasonShutdown)
	for _, out := range append(p.Take(), registry.Close()) {
		take(out)
	}
	return q
}
