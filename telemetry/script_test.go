package telemetry_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/telemetry"
)

var epoch = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// at returns a time some seconds into a session.
func at(seconds float64) time.Time { return epoch.Add(time.Duration(seconds * float64(time.Second))) }

// script is a session as a list of lines, each with its events.
type script [][]events.DisplayEvent

func line(evs ...events.DisplayEvent) []events.DisplayEvent { return evs }

func started() events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindSessionStarted, SessionID: "s1", ItemID: "i-start", Model: "m1", Session: &events.Session{Version: "9.9"}}
}

func text(sec float64, message, words string) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindText, Time: at(sec), SessionID: "s1", MessageID: message, Model: "m1", ItemID: "i-" + message + words, Text: words}
}

func use(sec float64, message, id, name, target string) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindToolUse, Time: at(sec), SessionID: "s1", MessageID: message, Model: "m1", ItemID: fmt.Sprint("i-", id, sec), Tool: events.Tool{ID: id, Name: name, Target: target}}
}

func result(sec float64, id string) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindToolResult, Time: at(sec), SessionID: "s1", ItemID: fmt.Sprint("r-", id, sec), Tool: events.Tool{ID: id, Summary: "done"}}
}

func failed(sec float64, id, why string) events.DisplayEvent {
	ev := result(sec, id)
	ev.Tool.Error, ev.Tool.Err = true, why
	return ev
}

func ended(err string) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindSessionEnded, SessionID: "s1", ItemID: "i-end", End: &events.End{Error: err != "", Err: err, Code: "success", Turns: 2}}
}

func prompt(sec float64, id string) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindPrompt, Time: at(sec), SessionID: "s1", ItemID: id, Text: "Do " + id}
}

func under(parent string, ev events.DisplayEvent) events.DisplayEvent {
	ev.ParentID = parent
	return ev
}

func progress(id string, state events.ToolState) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindToolProgress, SessionID: "s1", ItemID: "p-" + id + state.String(), Tool: events.Tool{ID: id, State: state}}
}

// collected is the output of a script.
type collected struct {
	ends    []plog.LogRecord // of runs that no line ended
	spans   []ptrace.Span
	records []plog.LogRecord
	traces  []ptrace.Traces
	counts  emit.Counts
}

func (f *collected) take(out telemetry.Output) {
	f.traces = append(f.traces, out.Traces)
	total, more := reflect.ValueOf(&f.counts).Elem(), reflect.ValueOf(out.Counts)
	for i := range total.NumField() {
		total.Field(i).SetInt(total.Field(i).Int() + more.Field(i).Int())
	}
	for _, rs := range out.Traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				f.spans = append(f.spans, span)
			}
		}
	}
	for _, rl := range out.Logs.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				if lr.EventName() == otlp.EventNameRunEnd {
					f.ends = append(f.ends, lr) // a record without an event
					continue
				}
				f.records = append(f.records, lr)
			}
		}
	}
}

func (f *collected) span(t *testing.T, name string) ptrace.Span {
	t.Helper()
	for _, s := range f.spans {
		if s.Name() == name {
			return s
		}
	}
	require.Failf(t, "no such span", "%s among %s", name, f.names())
	return ptrace.Span{}
}

func (f *collected) names() string {
	var names []string
	for _, s := range f.spans {
		names = append(names, s.Name())
	}
	return strings.Join(names, ", ")
}

func attr(s ptrace.Span, key string) string {
	v, ok := s.Attributes().Get(key)
	if !ok {
		return ""
	}
	return v.AsString()
}

func seconds(s ptrace.Span) (from, to float64) {
	return s.StartTimestamp().AsTime().Sub(epoch).Seconds(), s.EndTimestamp().AsTime().Sub(epoch).Seconds()
}

var claude = program.Agent{Provider: "claude", ServiceName: "claude-code", System: "anthropic"}

func newRegistry() *telemetry.Registry {
	s := telemetry.NewDefaultSettings()
	s.Now = func() time.Time { return at(1000) }
	return telemetry.NewRegistry(s)
}

// collect feeds a script to a separate stream and closes it.
func collect(t *testing.T, sc script, set telemetry.StreamSettings, reason otlp.CloseReason) *collected {
	t.Helper()
	if set.Agent.Provider == "" {
		set.Agent = claude
	}
	if set.ID == "" {
		set.ID = "file"
	}
	registry := newRegistry()
	stream := registry.Open(set)
	var f collected
	for i, evs := range sc {
		stream.Feed(telemetry.Line{Offset: int64(i * 100)}, clone(evs))
		f.take(stream.Take())
	}
	stream.Idle()
	stream.Close(reason)
	f.take(stream.Take())
	f.take(registry.Close())
	checkTree(t, &f)
	return &f
}

// clone protects a script from changes by a stream.
func clone(evs []events.DisplayEvent) []events.DisplayEvent {
	return append([]events.DisplayEvent(nil), evs...)
}

// checkTree checks what must be true of every export: parents exist, IDs are unique, ends are not before starts, and
// children are inside their parents except for background work.
func checkTree(t *testing.T, f *collected) {
	t.Helper()
	byID := map[string]ptrace.Span{}
	for _, s := range f.spans {
		key := s.TraceID().String() + s.SpanID().String()
		_, twice := byID[key]
		assert.False(t, twice, "span %s twice", s.Name())
		byID[key] = s
	}
	for _, s := range f.spans {
		assert.LessOrEqual(t, s.StartTimestamp(), s.EndTimestamp(), s.Name())
		if s.ParentSpanID().IsEmpty() {
			continue
		}
		parent, ok := byID[s.TraceID().String()+s.ParentSpanID().String()]
		if !assert.True(t, ok, "parent of %s", s.Name()) || attr(s, otlp.AttrBackground) == "true" {
			continue
		}
		assert.GreaterOrEqual(t, s.StartTimestamp(), parent.StartTimestamp(), "%s in %s", s.Name(), parent.Name())
		assert.LessOrEqual(t, s.EndTimestamp(), parent.EndTimestamp(), "%s in %s", s.Name(), parent.Name())
	}
}

func parallelTools() script {
	return script{
		line(started()),
		line(text(1, "msg1", "Let me look.")),
		line(use(2, "msg1", "t1", "Read", "/a/b.go")),
		line(use(2.5, "msg1", "t2", "Bash", "false")),
		line(result(4, "t1")),
		line(failed(3, "t2", "Exit code 1")),
		line(text(6, "msg2", "Done.")),
		line(ended("")),
	}
}

// keyID returns the format's ID in the key of a run, without the hash.
func keyID(s ptrace.Span) string {
	id, _, _ := strings.Cut(attr(s, otlp.AttrRunKey), "~")
	return id
}
