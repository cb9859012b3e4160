package telemetry_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// talkedIn applies a script with captured messages.
func talkedIn(limit int, sc script) *collected {
	s := telemetry.NewDefaultSettings()
	s.Capture.Messages = true
	if limit > 0 {
		s.Limits.ContentBytes = limit
	}
	stream := telemetry.NewRegistry(s).Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	for i, evs := range sc {
		stream.Feed(telemetry.Line{Offset: int64(i)}, evs)
	}
	stream.Close(otlp.CloseReasonShutdown)
	f := &collected{}
	f.take(stream.Take())
	return f
}

func promptOf(sec float64, id, words string) events.DisplayEvent {
	ev := prompt(sec, id)
	ev.Text = words
	return ev
}

// TestMessages: a model call has its input and its answer, a run its prompt and its last answer, in the JSON form of
// the conventions.
func TestMessages(t *testing.T) {
	instructions := promptOf(0, "p0", "Be brief.")
	instructions.Synthetic = true
	call := use(1, "m1", "c1", "Bash", "go test")
	call.Tool.Input = []byte(`{"command":"go test"}`)
	second := use(1.2, "m1", "c2", "Read", "a.go")
	second.Tool.Input = []byte(`{"file_path":`) // cut
	done, late := result(2, "c1"), failed(2.5, "c2", "no such file")
	done.Tool.Output = []byte("FAIL\t\"x\"")
	piece := text(3, "m2", "One test ")
	piece.Delta = true
	rest := text(3.1, "m2", "fails.")
	rest.Delta = true
	thought := text(3.2, "m2", "why?")
	thought.Kind = events.KindReasoning
	f := talkedIn(0, script{
		line(started()), line(instructions), line(promptOf(0.5, "p1", "Test it.\nNow.")), line(text(1, "m1", "I run the tests."), call), line(done),
		line(second), line(late), line(piece), line(rest), line(thought), line(ended("")),
	})
	var chats []map[string]any
	for _, s := range f.spans {
		if strings.HasPrefix(s.Name(), "chat") {
			chats = append(chats, s.Attributes().AsRaw())
		}
	}
	require.Len(t, chats, 2)
	const (
		system = `[{"type":"text","content":"Be brief."}]`
		asked  = `[{"role":"user","parts":[{"type":"text","content":"Test it.\nNow."}]}]`
		last   = `[{"role":"assistant","parts":[{"type":"text","content":"One test fails."},{"type":"reasoning","content":"why?"}],"finish_reason":"stop"}]`
	)
	first, then := chats[0], chats[1]
	assert.JSONEq(t, asked, first[otlp.AttrGenAIInputMessages].(string))
	assert.JSONEq(t, `[{"role":"assistant","parts":[{"type":"text","content":"I run the tests."},
		{"type":"tool_call","id":"c1","name":"Bash","arguments":{"command":"go test"}},
		{"type":"tool_call","id":"c2","name":"Read","arguments":"{\"file_path\":"}],"finish_reason":"tool_call"}]`, first[otlp.AttrGenAIOutputMessages].(string))
	assert.JSONEq(t, `[{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"FAIL\t\"x\""},
		{"type":"tool_call_response","id":"c2","response":"no such file"}]}]`, then[otlp.AttrGenAIInputMessages].(string), "also what came before the last part of the message before")
	assert.JSONEq(t, last, then[otlp.AttrGenAIOutputMessages].(string))
	assert.Equal(t, []any{"tool_call"}, first[otlp.AttrGenAIFinishReasons])
	run := f.span(t, "invoke_agent claude-code").Attributes().AsRaw()
	assert.JSONEq(t, asked, run[otlp.AttrGenAIInputMessages].(string))
	assert.JSONEq(t, last, run[otlp.AttrGenAIOutputMessages].(string))
	assert.Equal(t, []any{"stop"}, run[otlp.AttrGenAIFinishReasons])
	for _, m := range []map[string]any{first, then, run} {
		assert.JSONEq(t, system, m[otlp.AttrGenAISystemInstructions].(string))
		assert.NotContains(t, m, otlp.AttrTruncated)
	}
}

// TestMessagesAreOptIn: by default no span has messages.
func TestMessagesAreOptIn(t *testing.T) {
	f := collect(t, script{line(started()), line(promptOf(0, "p1", "Test it.")), line(text(1, "m1", "Done.")), line(ended(""))}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	for _, s := range f.spans {
		for _, key := range []string{otlp.AttrGenAIInputMessages, otlp.AttrGenAIOutputMessages, otlp.AttrGenAISystemInstructions, otlp.AttrGenAIFinishReasons} {
			assert.NotContains(t, s.Attributes().AsRaw(), key, s.Name())
		}
	}
}

// TestMessagesAreBounded: each attribute is JSON of at most limits::content_size, and marked if it was cut.
func TestMessagesAreBounded(t *testing.T) {
	const limit = 2000
	long := strings.Repeat("ä\x01\"", 5000)
	sc := script{line(started()), line(promptOf(0, "p1", long))}
	for i := range 100 {
		call := use(float64(i)+1, "m1", fmt.Sprint("c", i), "Bash", "x")
		call.Tool.Input = []byte(`{"command":"\xff` + long[:300] + `"}`)
		sc = append(sc, line(text(float64(i)+1, "m1", long), call))
	}
	f := talkedIn(limit, append(sc, line(ended(""))))
	for _, name := range []string{"chat m1", "invoke_agent claude-code"} {
		span := f.span(t, name)
		assert.Equal(t, "true", attr(span, otlp.AttrTruncated))
		for _, key := range []string{otlp.AttrGenAIInputMessages, otlp.AttrGenAIOutputMessages} {
			said := attr(span, key)
			assert.LessOrEqual(t, len(said), limit, key)
			assert.Greater(t, len(said), limit/2, key)
			assert.True(t, json.Valid([]byte(said)), said)
		}
	}
}

// TestMessagesOfManyAgents: the messages of all agents of a stream are bounded, and omissions are counted.
func TestMessagesOfManyAgents(t *testing.T) {
	s := telemetry.NewDefaultSettings()
	s.Capture.Messages, s.Limits.PendingBytes = true, 1000
	stream := telemetry.NewRegistry(s).Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	stream.Feed(telemetry.Line{}, line(started(), promptOf(0, "p1", strings.Repeat("x", 1500)), text(1, "m1", "An answer."), ended("")))
	stream.Feed(telemetry.Line{Offset: 1}, line(started(), promptOf(2, "p2", "Again."), text(3, "m2", "Another."), ended("")))
	stream.Close(otlp.CloseReasonShutdown)
	f := &collected{}
	f.take(stream.Take())
	assert.Equal(t, 1, f.counts.DroppedArguments)
	runs := []string{}
	for _, span := range f.spans {
		if strings.HasPrefix(span.Name(), "invoke_agent") {
			runs = append(runs, attr(span, otlp.AttrGenAIOutputMessages))
		}
	}
	require.Len(t, runs, 2)
	assert.Empty(t, runs[0])
	assert.Contains(t, runs[1], "Another.", "the first run released what was pending")
}
