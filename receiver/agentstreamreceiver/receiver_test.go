package agentstreamreceiver_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// wait is how long a condition may take on a busy machine.
const wait, tick = 30 * time.Second, 5 * time.Millisecond

// rig is a running receiver with sinks.
type rig struct {
	t      *testing.T
	traces *consumertest.TracesSink
	logs   *consumertest.LogsSink
	logged *observer.ObservedLogs
	tel    *componenttest.Telemetry
	stop   func()
	// stopAnyhow stops a receiver that may return an error about what it could not export.
	stopAnyhow func()
}

// start runs a receiver with cfg into sinks; nextLogs replaces the log sink if it is not nil.
func start(t *testing.T, cfg *agentstreamreceiver.Config, nextLogs consumer.Logs) *rig {
	t.Helper()
	return startOn(t, nil, cfg, nextLogs)
}

// startOn runs a receiver on a host; nil is one without extensions.
func startOn(t *testing.T, host component.Host, cfg *agentstreamreceiver.Config, nextLogs consumer.Logs) *rig {
	t.Helper()
	return startWith(t, host, cfg, nil, nextLogs)
}

// startWith is startOn with another sink of traces too, if it is not nil.
func startWith(t *testing.T, host component.Host, cfg *agentstreamreceiver.Config, nextTraces consumer.Traces, nextLogs consumer.Logs) *rig {
	t.Helper()
	require.NoError(t, cfg.Validate())
	r := &rig{t: t, traces: &consumertest.TracesSink{}, logs: &consumertest.LogsSink{}, tel: componenttest.NewTelemetry()}
	if nextLogs == nil {
		nextLogs = r.logs
	}
	if nextTraces == nil {
		nextTraces = r.traces
	}
	core, logged := observer.New(zapcore.DebugLevel)
	r.logged = logged
	factory := agentstreamreceiver.NewFactory()
	set := receivertest.NewNopSettings(factory.Type())
	set.ID = component.NewID(factory.Type()) // the same after a restart
	set.TelemetrySettings = r.tel.NewTelemetrySettings()
	set.Logger = zap.New(core)
	traces, err := factory.CreateTraces(t.Context(), set, cfg, nextTraces)
	require.NoError(t, err)
	logs, err := factory.CreateLogs(t.Context(), set, cfg, nextLogs)
	require.NoError(t, err)
	if host == nil {
		host = componenttest.NewNopHost()
	}
	require.NoError(t, traces.Start(t.Context(), host))
	require.NoError(t, logs.Start(t.Context(), host))
	var once sync.Once
	r.stop = func() {
		once.Do(func() {
			assert.NoError(t, traces.Shutdown(context.Background()))
			assert.NoError(t, logs.Shutdown(context.Background()))
		})
	}
	r.stopAnyhow = func() {
		once.Do(func() { _ = errors.Join(traces.Shutdown(context.Background()), logs.Shutdown(context.Background())) })
	}
	t.Cleanup(func() {
		r.stop()
		assert.NoError(t, r.tel.Shutdown(context.Background()))
	})
	return r
}

func configFor(include ...string) *agentstreamreceiver.Config {
	cfg := agentstreamreceiver.NewFactory().CreateDefaultConfig().(*agentstreamreceiver.Config)
	cfg.Stream.Include = include
	cfg.Stream.StartAt = "beginning"
	cfg.Retry.InitialInterval, cfg.Retry.MaxInterval = time.Millisecond, 10*time.Millisecond
	return cfg
}

func (r *rig) spans() []ptrace.Span {
	var list []ptrace.Span
	for _, td := range r.traces.AllTraces() {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					list = append(list, span)
				}
			}
		}
	}
	return list
}

func (r *rig) spanNames() []string {
	var names []string
	for _, s := range r.spans() {
		names = append(names, s.Name())
	}
	return names
}

func (r *rig) records() []plog.LogRecord {
	var list []plog.LogRecord
	for _, ld := range r.logs.AllLogs() {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, lr := range sl.LogRecords().All() {
					list = append(list, lr)
				}
			}
		}
	}
	return list
}

func (r *rig) texts() []string {
	var list []string
	for _, lr := range r.records() {
		if lr.EventName() == "tailspan.text" {
			list = append(list, lr.Body().Str())
		}
	}
	return list
}

// metric returns the sum over the data points that have the attribute value, or over all if key is empty.
func (r *rig) metric(name, key, value string) int64 {
	r.t.Helper()
	got, err := r.tel.GetMetric(name)
	if err != nil {
		return 0
	}
	var sum int64
	points := []metricdata.DataPoint[int64]{}
	switch data := got.Data.(type) {
	case metricdata.Sum[int64]:
		points = data.DataPoints
	case metricdata.Gauge[int64]:
		points = data.DataPoints
	}
	for _, p := range points {
		if key == "" {
			sum += p.Value
		} else if v, ok := p.Attributes.Value(attribute.Key(key)); ok && v.AsString() == value {
			sum += p.Value
		}
	}
	return sum
}

// sum returns the sum of a counter over all its data points.
func (r *rig) sum(name string) int64 {
	got, err := r.tel.GetMetric(name)
	if err != nil {
		return 0
	}
	var sum int64
	for _, p := range got.Data.(metricdata.Sum[int64]).DataPoints {
		sum += p.Value
	}
	return sum
}

func assistant(id, words string) string {
	return `{"type":"assistant","message":{"id":"msg_` + id + `","role":"assistant","model":"m","content":[{"type":"text","text":"` + words + `"}]},"session_id":"s","uuid":"u-` + id + `","timestamp":"2026-11-27T20:00:00.000Z"}` + "\n"
}

func appendTo(t *testing.T, path, data string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString(data)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func TestSampleSession(t *testing.T) {
	r := start(t, configFor(filepath.Join("..", "..", "testdata", "claude", "subagent.jsonl")), nil)
	require.Eventually(t, func() bool {
		return len(r.spans()) > 0 && r.spanNames()[len(r.spans())-1] == "invoke_agent claude-code"
	}, wait, tick)
	roots := 0
	byID := map[string]ptrace.Span{}
	for _, s := range r.spans() {
		byID[s.SpanID().String()] = s
	}
	subAgentTools := 0
	for _, s := range r.spans() {
		if s.ParentSpanID().IsEmpty() {
			roots++
			continue
		}
		parent, ok := byID[s.ParentSpanID().String()]
		require.True(t, ok, "parent of %s", s.Name())
		if strings.HasPrefix(s.Name(), "execute_tool") && strings.HasPrefix(parent.Name(), "invoke_agent") && parent.Name() != "invoke_agent claude-code" {
			call := byID[parent.ParentSpanID().String()]
			assert.Equal(t, "execute_tool Agent", call.Name())
			subAgentTools++
		}
	}
	assert.Equal(t, 1, roots)
	assert.Positive(t, subAgentTools)
	v, ok := r.traces.AllTraces()[0].ResourceSpans().At(0).Resource().Attributes().Get(otlp.AttrServiceVersion)
	require.True(t, ok)
	assert.Equal(t, "2.1.332", v.Str())
}

func TestPathPatternPutsPipelineAboveTheAgent(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "runs", "nightly", "17", "fix.jsonl")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	session, err := os.ReadFile(filepath.Join("..", "..", "testdata", "claude", "parity.jsonl"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, session, 0o600))
	cfg := configFor(filepath.Join(dir, "runs", "**", "*.jsonl"))
	cfg.Identity.PathPattern = "runs/{cicd.pipeline.name}/{cicd.pipeline.run.id}/{cicd.pipeline.task.name}.jsonl"
	cfg.Telemetry.PipelineIdle = 50 * time.Millisecond
	r := start(t, cfg, nil)
	byName := func() map[string]ptrace.Span {
		m := map[string]ptrace.Span{}
		for _, s := range r.spans() {
			m[s.Name()] = s
		}
		return m
	}
	require.Eventually(t, func() bool {
		m := byName()
		return m["nightly"] != (ptrace.Span{}) && m["fix"] != (ptrace.Span{}) && m["invoke_agent claude-code"] != (ptrace.Span{})
	}, wait, tick, "the pipeline's span is exported when it is quiet")
	spans := byName()
	assert.Equal(t, spans["fix"].SpanID(), spans["invoke_agent claude-code"].ParentSpanID())
	assert.Equal(t, spans["nightly"].SpanID(), spans["fix"].ParentSpanID())
	for _, ld := range r.logs.AllLogs() {
		for key, want := range map[string]string{"cicd.pipeline.name": "nightly", "cicd.pipeline.run.id": "17", "cicd.pipeline.task.name": "fix"} {
			v, ok := ld.ResourceLogs().At(0).Resource().Attributes().Get(key)
			require.True(t, ok, key)
			assert.Equal(t, want, v.Str())
		}
	}
}

// TestFileOnTheResource: spans and records name the file that they come from; those of pipelines and steps, and metrics, do not.
func TestFileOnTheResource(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fix.jsonl")
	appendTo(t, path, assistant("1", "One."))
	for _, tt := range []struct {
		name          string
		change        func(*agentstreamreceiver.Config)
		fileName, abs any
	}{
		{"by default", func(*agentstreamreceiver.Config) {}, "fix.jsonl", nil},
		{"with the path", func(c *agentstreamreceiver.Config) { c.Stream.IncludeFilePath = true }, "fix.jsonl", path},
		{"with neither", func(c *agentstreamreceiver.Config) { c.Stream.IncludeFileName = false }, nil, nil},
		{"the user's", func(c *agentstreamreceiver.Config) {
			c.Identity.Resource = map[string]string{otlp.AttrLogFileName: "x"}
		}, "x", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := configFor(path)
			cfg.Identity.Pipeline.Name, cfg.Identity.Pipeline.RunID, cfg.Identity.Pipeline.Task = "nightly", "17", "fix"
			tt.change(cfg)
			r := start(t, cfg, nil)
			require.Eventually(t, func() bool { return len(r.texts()) == 1 }, wait, tick)
			r.stop()
			found := map[string]map[string]any{}
			for _, td := range r.traces.AllTraces() {
				for _, rs := range td.ResourceSpans().All() {
					found[rs.ScopeSpans().At(0).Spans().At(0).Name()] = rs.Resource().Attributes().AsRaw()
				}
			}
			found["record"] = r.logs.AllLogs()[0].ResourceLogs().At(0).Resource().Attributes().AsRaw()
			for _, of := range []string{"chat m", "record"} {
				require.Contains(t, found, of)
				assert.Equal(t, tt.fileName, found[of][otlp.AttrLogFileName], of)
				assert.Equal(t, tt.abs, found[of][otlp.AttrLogFilePath], of)
			}
			for _, of := range []string{"nightly", "fix"} {
				require.Contains(t, found, of)
				assert.NotContains(t, found[of], otlp.AttrLogFileName, of)
				assert.NotContains(t, found[of], otlp.AttrLogFilePath, of)
			}
		})
	}
}

func TestMalformedLinesAreCountedAndNothingAroundThemIsLost(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	appendTo(t, path, assistant("1", "One.")+"npm warn old\n"+`{"type":"assistant","mess`+"\n"+assistant("2", "Two.")+`{"type":"hologram"}`+"\n"+assistant("3", "Three."))
	r := start(t, configFor(path), nil)
	require.Eventually(t, func() bool { return len(r.texts()) == 3 }, wait, tick)
	assert.Equal(t, []string{"One.", "Two.", "Three."}, r.texts())
	assert.EqualValues(t, 2, r.metric("otelcol_receiver_agent_stream_lines_not_parsed", "reason", "malformed"))
	assert.EqualValues(t, 1, r.metric("otelcol_receiver_agent_stream_unknown_types", "type", "hologram"))
	assert.EqualValues(t, 6, r.metric("otelcol_receiver_agent_stream_lines", "provider", "claude"))
	debug := r.logged.FilterMessageSnippet("skipping unparsed line").All()
	assert.Len(t, debug, 2, "one line for a file and reason")
}

func TestUnknownStreamPassesThrough(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "build.log")
	appendTo(t, path, "make: nothing to do\n\xff\n{\"a\":1}\na\x00b\n")
	cfg := configFor(path)
	cfg.Stream.Provider = "none"
	r := start(t, cfg, nil)
	require.Eventually(t, func() bool { return len(r.records()) == 4 }, wait, tick)
	uids := map[string]bool{}
	for _, lr := range r.records() {
		assert.Equal(t, otlp.EventNameRaw, lr.EventName())
		uid, _ := lr.Attributes().Get(otlp.AttrLogRecordUID)
		uids[uid.Str()] = true
	}
	assert.Len(t, uids, 4)
	for i, want := range []string{"make: nothing to do", "\xff", `{"a":1}`, "a\x00b"} {
		line, ok := otlp.RawLine(r.records()[i])
		assert.True(t, ok)
		assert.Equal(t, want, string(line))
	}
	assert.Equal(t, pcommon.ValueTypeBytes, r.records()[3].Body().Type(), "not every backend takes a NUL in a text")
	assert.EqualValues(t, 4, r.metric("otelcol_receiver_agent_stream_lines_not_parsed", "reason", "passed"))
	assert.Empty(t, r.spans())
}

func TestAppendedLineComesAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	appendTo(t, path, assistant("1", "One."))
	cfg := configFor(path)
	cfg.Stream.PollInterval = time.Hour // only file system events can make the test pass
	r := start(t, cfg, nil)
	require.Eventually(t, func() bool { return len(r.texts()) == 1 }, wait, tick)
	appendTo(t, path, assistant("2", "Two."))
	require.Eventually(t, func() bool { return len(r.texts()) == 2 }, wait, tick)
}

func TestMissingFileIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "later", "s.jsonl")
	cfg := configFor(path)
	cfg.Stream.PollInterval = 20 * time.Millisecond
	r := start(t, cfg, nil)
	require.Eventually(t, func() bool {
		return r.logged.FilterLevelExact(zapcore.InfoLevel).Len() >= 1
	}, wait, tick, "one info line says that nothing is there yet")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	appendTo(t, path, assistant("1", "Here."))
	require.Eventually(t, func() bool { return len(r.texts()) == 1 }, wait, tick)
}

// refuser refuses the first n batches and then accepts.
type refuser struct {
	consumertest.LogsSink
	mu      sync.Mutex
	refuse  int
	refusal error
}

func (c *refuser) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuse > 0 {
		c.refuse--
		return c.refusal
	}
	return c.LogsSink.ConsumeLogs(ctx, ld)
}

func TestRefusingConsumerLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	appendTo(t, path, assistant("1", "One.")+assistant("2", "Two."))
	next := &refuser{refuse: 5, refusal: errors.New("queue is full")}
	r := start(t, configFor(path), next)
	require.Eventually(t, func() bool { return next.LogRecordCount() == 2 }, wait, tick)
	assert.EqualValues(t, 5, r.metric("otelcol_receiver_agent_stream_retries", "signal", "logs"))
	assert.Len(t, r.logged.FilterMessageSnippet("consumer refused batch, will retry").All(), 1, "logged once, not at each try")
}

func TestPermanentRefusalIsCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	appendTo(t, path, assistant("1", "One.")+assistant("2", "Two."))
	next := &refuser{refuse: 1, refusal: consumererror.NewPermanent(errors.New("too large"))}
	r := start(t, configFor(path), next)
	require.Eventually(t, func() bool { return r.metric("otelcol_receiver_agent_stream_dropped", "signal", "logs") == 2 }, wait, tick)
	assert.EqualValues(t, 2, r.metric("otelcol_receiver_agent_stream_dropped", "reason", "refused"))
	appendTo(t, path, assistant("3", "Three."))
	require.Eventually(t, func() bool { return next.LogRecordCount() == 1 }, wait, tick)
}

func TestShutdownClosesWhatIsOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	appendTo(t, path, assistant("1", "One."))
	r := start(t, configFor(path), nil)
	require.Eventually(t, func() bool { return len(r.texts()) == 1 }, wait, tick)
	r.stop()
	require.Equal(t, []string{"chat m", "invoke_agent claude-code"}, r.spanNames())
	reason, _ := r.spans()[1].Attributes().Get(otlp.AttrCloseReason)
	assert.Equal(t, "shutdown", reason.Str())
}

// TestSameIDsOnASecondRun: reading again yields the same spans and records, not new ones.
func TestSameIDsOnASecondRun(t *testing.T) {
	ids := func() []string {
		r := start(t, configFor(filepath.Join("..", "..", "testdata", "claude", "parallel.jsonl")), nil)
		require.Eventually(t, func() bool {
			names := r.spanNames()
			return len(names) > 0 && names[len(names)-1] == "invoke_agent claude-code"
		}, wait, tick)
		r.stop()
		var list []string
		for _, s := range r.spans() {
			list = append(list, s.TraceID().String()+s.SpanID().String()+s.ParentSpanID().String())
		}
		for _, lr := range r.records() {
			uid, _ := lr.Attributes().Get(otlp.AttrLogRecordUID)
			list = append(list, uid.Str())
		}
		return list
	}
	first := ids()
	assert.Equal(t, first, ids())
	seen := map[string]bool{}
	for _, id := range first {
		assert.False(t, seen[id], "id %s twice", id)
		seen[id] = true
	}
}

// TestGapOfAFinishedSession: in a file read afterwards, a gap as long as idle_close between the times of its lines closes what
// is open, as the clock would have; a longer idle_close leaves it open.
func TestGapOfAFinishedSession(t *testing.T) {
	const said = `{"type":"assistant","sessionId":"s1","uuid":"u%d","timestamp":"2026-11-01T%s:00.000Z","message":{"id":"msg_%d","role":"assistant","model":"m","content":[%s]}}` + "\n"
	data := fmt.Sprintf(said, 1, "10:00", 1, `{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"sleep"}}`) +
		fmt.Sprintf(said, 2, "12:00", 2, `{"type":"text","text":"Back again."}`)
	path := filepath.Join(t.TempDir(), "s1.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(data), 0o600))
	for idleClose, want := range map[time.Duration][]string{
		time.Hour:     {"execute_tool Bash timeout", "invoke_agent claude-code timeout"},
		3 * time.Hour: nil,
	} {
		cfg := configFor(path)
		cfg.Stream.IdleClose = idleClose
		r := start(t, cfg, nil)
		require.Eventually(t, func() bool { return r.logs.LogRecordCount() >= 2 }, wait, tick)
		var got []string
		for _, s := range r.spans() {
			if reason, _ := s.Attributes().Get(otlp.AttrCloseReason); reason.Str() == "timeout" {
				got = append(got, s.Name()+" "+reason.Str())
			}
		}
		assert.Equal(t, want, got, "idle_close %v", idleClose)
		r.stop()
	}
}
