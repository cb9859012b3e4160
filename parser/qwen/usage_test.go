package qwen_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/qwen"
)

// rawLine holds the tokens of a line of either form.
type rawLine struct {
	Type    string `json:"type"`
	Message struct {
		Usage rawUsage `json:"usage"`
	} `json:"message"`
	Usage    rawUsage `json:"usage"`
	Metadata struct {
		Input  int64 `json:"promptTokenCount"`
		Output int64 `json:"candidatesTokenCount"`
		Cached int64 `json:"cachedContentTokenCount"`
	} `json:"usageMetadata"`
	Payload struct {
		Event struct {
			Name   string `json:"event.name"`
			ID     string `json:"response_id"`
			Input  int64  `json:"input_token_count"`
			Output int64  `json:"output_token_count"`
			Cached int64  `json:"cached_content_token_count"`
		} `json:"uiEvent"`
	} `json:"systemPayload"`
}

type rawUsage struct {
	Input  int64 `json:"input_tokens"`
	Output int64 `json:"output_tokens"`
	Cached int64 `json:"cache_read_input_tokens"`
}

func (u rawUsage) tokens() events.Tokens {
	return events.Tokens{Input: u.Input, Output: u.Output, CacheRead: u.Cached}
}

// TestUsageSums adds up the tokens of each fixture in a second way, with encoding/json, and compares the sum with
// that of the events: the last result's total, or the calls of a stream; for a transcript the telemetry, or the
// messages.
func TestUsageSums(t *testing.T) {
	for _, file := range parsertest.Recorded(t, qwen.Name, qwen.Name) {
		var total events.UsageTotal
		var result, calls, telemetry, messages events.Tokens
		seen := map[string]bool{}
		p := newSource()
		for _, line := range parsertest.Lines(t, file) {
			for _, e := range p.ParseEvents(line) {
				if e.Kind == events.KindUsage {
					total.Add(e.Model, e.Usage)
				}
			}
			var l rawLine
			require.NoError(t, json.Unmarshal(line, &l))
			calls.Add(l.Message.Usage.tokens())
			messages.Add(events.Tokens{Input: l.Metadata.Input, Output: l.Metadata.Output, CacheRead: l.Metadata.Cached})
			if l.Type == "result" {
				result = l.Usage.tokens()
			}
			if e := l.Payload.Event; e.Name == "qwen-code.api_response" && !seen[e.ID] {
				seen[e.ID] = true
				telemetry.Add(events.Tokens{Input: e.Input, Output: e.Output, CacheRead: e.Cached})
			}
		}
		want := messages
		for _, reported := range []events.Tokens{calls, telemetry, result} {
			if reported != (events.Tokens{}) {
				want = reported
			}
		}
		got := total.Sum().Provider
		got.Reasoning = 0
		assert.Equal(t, want, got, file)
	}
}

// TestStreamAndTranscriptAgree checks that both files of a run have the same tokens, unless the run was killed.
func TestStreamAndTranscriptAgree(t *testing.T) {
	sum := func(file string) events.Tokens {
		var total events.UsageTotal
		p := newSource()
		for _, line := range parsertest.Lines(t, file) {
			for _, e := range p.ParseEvents(line) {
				if e.Kind == events.KindUsage {
					total.Add(e.Model, e.Usage)
				}
			}
		}
		tokens := total.Sum().Tokens
		tokens.Reasoning = 0
		return tokens
	}
	for _, run := range []string{"parity", "subagent", "failures", "parallel", "resume-1", "resume-2", "fatal-401"} {
		assert.Equal(t, sum("../../testdata/qwen/"+run+".stream.jsonl"), sum("../../testdata/qwen/"+run+".session.jsonl"), run)
	}
}

// TestOneResponseIsOneMessage has the lines of a stream's responses, of which the last has the usage; those of a sub-agent
// have none and end with its results.
func TestOneResponseIsOneMessage(t *testing.T) {
	p := newSource()
	assistant := func(id, parent, block, usage string) string {
		return `{"type":"assistant","session_id":"s","uuid":"` + id + `","parent_tool_use_id":` + parent + `,"message":{"id":"` + id + `","model":"x","content":[` + block + `],"usage":` + usage + `}}`
	}
	const (
		nothing = `{"input_tokens":0,"output_tokens":0}`
		some    = `{"input_tokens":10,"output_tokens":2}`
		text    = `{"type":"text","text":"Hi."}`
	)
	call := func(id string) string { return `{"type":"tool_use","id":"` + id + `","name":"shell","input":{}}` }
	result := func(uuid, parent, id string) string {
		return `{"type":"user","session_id":"s","uuid":"` + uuid + `","parent_tool_use_id":` + parent + `,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `","content":"x"}]}}`
	}
	var got []string
	for _, line := range []string{
		assistant("a", "null", text, nothing), assistant("b", "null", call("c1"), some),
		assistant("c", `"c1"`, text, nothing), assistant("d", `"c1"`, call("c2"), nothing), result("r1", `"c1"`, "c2"), assistant("e", `"c1"`, text, nothing),
		result("r2", "null", "c1"), assistant("f", "null", text, some),
	} {
		for _, e := range p.ParseEvents([]byte(line)) {
			if e.Kind != events.KindToolResult {
				got = append(got, e.Kind.String()+" "+e.MessageID)
			}
		}
	}
	assert.Equal(t, []string{"text a", "tool_use a", "usage a", "text c", "tool_use c", "text e", "text f", "usage f"}, got)
}
