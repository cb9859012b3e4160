package pipeline_test

import (
	"errors"
	"github.com/tailspan/tailspan/otlp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

const (
	initLine   = `{"type":"system","subtype":"init","session_id":"s1","model":"m","cwd":"/w","tools":[],"uuid":"u0"}`
	textLine   = `{"type":"assistant","session_id":"s1","uuid":"u1","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"text","text":"Hello."}]}}`
	resultLine = `{"type":"result","subtype":"success","is_error":false,"session_id":"s1","uuid":"u2","result":"Hello."}`
	// madeUp looks like a secret but is none.
	madeUp = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
)

// result is the output of a stream.
type result struct {
	spans    []string
	service  string
	pipeline string
	raw      []string
	copies   []string
	records  []string
	of       []plog.LogRecord
	parents  []string
}

func newStream(t *testing.T, change func(*pipeline.Settings)) *pipeline.Pipeline {
	t.Helper()
	set := pipeline.Settings{Events: pipeline.EventSettings{Provider: "auto"}, Program: "program", Registry: telemetry.NewRegistry(telemetry.NewDefaultSettings())}
	set.Telemetry.ID = "s"
	if change != nil {
		change(&set)
	}
	s, err := pipeline.New(set)
	require.NoError(t, err)
	return s
}

// feed feeds the lines of a stream.
func feed(s *pipeline.Pipeline, lines ...string) {
	for _, line := range lines {
		s.At = telemetry.Line{Offset: s.At.Offset + 1, Arrival: time.Unix(1, 0), Live: true}
		s.Line([]byte(line))
	}
}

func take(s *pipeline.Pipeline) (all result) {
	for _, out := range s.Take() {
		for _, rs := range out.Traces.ResourceSpans().All() {
			for _, span := range rs.ScopeSpans().At(0).Spans().All() {
				all.spans = append(all.spans, span.Name())
				all.parents = append(all.parents, span.ParentSpanID().String())
				all.resource(rs)
			}
		}
		for _, rl := range out.Logs.ResourceLogs().All() {
			for _, lr := range rl.ScopeLogs().At(0).LogRecords().All() {
				all.of = append(all.of, lr)
				_, isCopy := lr.Attributes().Get(otlp.AttrRawCopy)
				switch {
				case isCopy:
					all.copies = append(all.copies, lr.Body().Str())
				case lr.EventName() == otlp.EventNameRaw:
					all.raw = append(all.raw, lr.Body().Str())
				default:
					all.records = append(all.records, lr.EventName())
				}
			}
		}
	}
	return all
}

func (all *result) resource(rs ptrace.ResourceSpans) {
	attrs := rs.Resource().Attributes().AsRaw()
	all.service, _ = attrs["service.name"].(string)
	all.pipeline, _ = attrs[otlp.AttrPipelineName].(string)
}

func TestUnknownProvider(t *testing.T) {
	_, err := pipeline.New(pipeline.Settings{Events: pipeline.EventSettings{Provider: "clod"}})
	assert.ErrorContains(t, err, "clod")
}

func TestFirstLineHasTheIdentity(t *testing.T) {
	const inBand = `{"type":"tailspan","attributes":{"cicd.pipeline.name":"nightly","team":"ops"},"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}`
	s := newStream(t, func(set *pipeline.Settings) {
		set.Ambient = otlp.NewIdentity(otlp.Attribute{Key: otlp.AttrPipelineName, Value: "of the environment"})
	})
	feed(s, inBand, initLine, textLine, resultLine)
	s.Close(otlp.CloseReasonShutdown)
	got := take(s)
	assert.Contains(t, got.spans, "invoke_agent claude-code")
	assert.Equal(t, "nightly", got.pipeline)
	assert.Contains(t, got.parents, "b7ad6b7169203331")
	assert.Equal(t, 3, s.Events().Stats().Lines, "it goes no further")

	dropped := 0
	s = newStream(t, func(set *pipeline.Settings) {
		set.InBand, set.OnDropped = config.InBandOff, func(n int) { dropped += n }
	})
	feed(s, inBand, initLine, textLine, resultLine)
	s.Close(otlp.CloseReasonShutdown)
	got = take(s)
	assert.Empty(t, got.pipeline)
	assert.NotContains(t, got.parents, "b7ad6b7169203331")
	assert.Equal(t, 3, dropped, "two attributes and the parent")

	s = newStream(t, func(set *pipeline.Settings) {
		set.Telemetry.Identity = otlp.NewIdentity(otlp.Attribute{Key: otlp.AttrPipelineName, Value: "of the settings"})
	})
	feed(s, inBand, initLine, textLine, resultLine)
	s.Close(otlp.CloseReasonShutdown)
	assert.Equal(t, "of the settings", take(s).pipeline)

	s = newStream(t, nil)
	feed(s, initLine, inBand)
	assert.Equal(t, 2, s.Events().Stats().Lines, "only the first line is ours")
}

func TestFirstLineWithoutSense(t *testing.T) {
	var refused error
	s := newStream(t, func(set *pipeline.Settings) {
		set.OnInvalidParent = func(err error) { refused = errors.Join(refused, err) }
	})
	feed(s, `{"type":"tailspan","traceparent":"nonsense"}`, initLine, textLine, resultLine)
	require.Error(t, refused)
	s.Close(otlp.CloseReasonShutdown)
	assert.Contains(t, take(s).parents, "", "it goes out without a parent")
}

// TestQuietTime checks that lines of no known provider are exported once even if there are too few to decide, and that
// later lines are still parsed under their own agent.
func TestQuietTime(t *testing.T) {
	s := newStream(t, func(set *pipeline.Settings) { set.Events.Redactor = redactor(t) })
	feed(s, "loading with "+madeUp)
	assert.Empty(t, take(s).raw)
	assert.True(t, s.Pending())
	require.True(t, s.Quiet())
	got := take(s)
	require.Len(t, got.raw, 1)
	assert.NotContains(t, got.raw[0], madeUp)
	assert.False(t, s.Quiet())
	assert.False(t, s.Pending())

	feed(s, initLine, textLine, resultLine)
	s.Flush()
	s.Close(otlp.CloseReasonShutdown)
	got = take(s)
	assert.Empty(t, got.raw)
	assert.Contains(t, got.spans, "invoke_agent claude-code")
	assert.Equal(t, "claude-code", got.service)
}

func redactor(t *testing.T) *redact.Redactor {
	t.Helper()
	r, err := redact.NewRedactor(redact.Settings{})
	require.NoError(t, err)
	return r
}

// TestCopies checks that each line is exported unchanged exactly once, whether it passes, is pending, or is parsed.
func TestCopies(t *testing.T) {
	copying := func(set *pipeline.Settings) { set.Copies = true }
	s := newStream(t, copying)
	feed(s, "held", initLine)
	got := take(s)
	assert.Equal(t, []string{"held", initLine}, got.copies)
	assert.Empty(t, got.raw)

	s = newStream(t, copying)
	feed(s, "held")
	s.Quiet()
	feed(s, initLine, textLine)
	got = take(s)
	assert.Equal(t, []string{initLine, textLine}, got.copies)
	assert.Equal(t, []string{"held"}, got.raw)
	assert.Contains(t, got.records, "tailspan.text")

	s = newStream(t, copying)
	feed(s, "one", "two")
	s.Flush()
	got = take(s)
	assert.Equal(t, []string{"one", "two"}, got.raw)
	assert.Empty(t, got.copies)
}

// TestExit ends a stream by the exit of its process, before its end line.
func TestExit(t *testing.T) {
	var opened []string
	var count int
	s := newStream(t, func(set *pipeline.Settings) {
		set.Events.Redactor, set.Telemetry.AwaitExit = redactor(t), true
		set.OnOpen = func(provider string) { opened = append(opened, provider) }
		set.OnEvents = func(evs []events.DisplayEvent) { count += len(evs) }
	})
	feed(s, initLine, textLine)
	assert.True(t, s.Events().Incomplete())
	s.Flush()
	s.Exited(outcome.Exit{Code: 3, Time: time.Unix(5, 0), Stderr: "key " + madeUp})
	got := take(s)
	assert.Equal(t, []string{"claude"}, opened)
	assert.Positive(t, count)
	assert.Contains(t, got.spans, "invoke_agent claude-code")
	assert.Contains(t, got.records, otlp.EventNameProcessExited)
	last := got.of[len(got.of)-1].Attributes().AsRaw()
	assert.NotContains(t, last[otlp.AttrProcessStderr], madeUp)
	assert.Equal(t, "exit code 3", got.of[len(got.of)-1].Body().Str())
}

// TestExitWithoutOutput has a program without output: its service name is its own name.
func TestExitWithoutOutput(t *testing.T) {
	s := newStream(t, nil)
	s.Exited(outcome.Exit{Code: 0, Time: time.Unix(5, 0)})
	outs := s.Take()
	require.Len(t, outs, 1)
	name, _ := outs[0].Logs.ResourceLogs().At(0).Resource().Attributes().Get("service.name")
	assert.Equal(t, "program", name.Str())
}

func TestSuspend(t *testing.T) {
	s := newStream(t, nil)
	_, _, ok := s.State()
	assert.False(t, ok)
	s.Suspend()
	s.Idle()
	feed(s, initLine, textLine)
	s.Idle()
	_, open, ok := s.State()
	assert.True(t, ok)
	assert.True(t, open, "the run is open")
	take(s)
	s.Suspend()
	assert.NotContains(t, take(s).spans, "invoke_agent claude-code")
}

// TestSuspendWithinKey checks that a line of a private key is redacted if the lines before it were replayed.
func TestSuspendWithinKey(t *testing.T) {
	part := strings.Repeat("MadeUp0123456789", 4)
	s := newStream(t, func(set *pipeline.Settings) { set.Events.Redactor, set.Events.Provider = redactor(t), "none" })
	before := []string{"it is:", "-----BEGIN PRIVATE KEY-----", part}
	feed(s, before...)
	first := take(s)
	require.True(t, s.Suspend())
	require.NoError(t, s.Resume())
	feed(s, before...)
	s.EndReplay()
	feed(s, part, "-----END PRIVATE KEY-----", "that is all")
	for _, r := range append(first.of, take(s).of...) {
		assert.NotContains(t, r.Body().AsString(), part[:16])
	}
}
