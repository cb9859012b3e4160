package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// tokensOf is what a span has of its own tokens and of the total.
func tokensOf(s ptrace.Span) [4]string {
	return [4]string{
		attr(s, otlp.AttrGenAIInputTokens), attr(s, otlp.AttrGenAIOutputTokens),
		attr(s, otlp.AttrUsageInput), attr(s, otlp.AttrUsageOutput),
	}
}

// TestTokensAreOnOneSpan checks where the tokens of a run are: input and output of each span, and the totals.
func TestTokensAreOnOneSpan(t *testing.T) {
	in := func(input, output int64) events.Usage {
		return events.Usage{Tokens: events.Tokens{Input: input, Output: output}}
	}
	unknown := func(input int64) events.Usage {
		return events.Usage{Tokens: events.Tokens{Input: input}, Provider: events.Tokens{Input: input, Output: 3}, OutputUnknown: true}
	}
	end := func(input, output int64) events.Usage {
		u := in(input, output)
		u.Scope = events.UsageScopeRun
		return u
	}
	said := func(sec float64, message string) events.DisplayEvent {
		ev := text(sec, message, "a")
		ev.Model = "demo"
		return ev
	}
	of := func(parent string, ev events.DisplayEvent) events.DisplayEvent {
		ev.ParentID = parent
		return ev
	}
	over := events.DisplayEvent{Kind: events.KindSessionEnded, Time: at(9), SessionID: "s1", End: &events.End{Duration: time.Second}}
	for _, tc := range []struct {
		name string
		evs  []events.DisplayEvent
		want map[string][4]string
	}{
		{
			name: "calls that report all",
			evs:  []events.DisplayEvent{said(1, "m1"), spend(1, "m1", "demo", in(10, 4)), said(2, "m2"), spend(2, "m2", "demo", in(20, 5)), spend(3, "", "demo", end(30, 9))},
			want: map[string][4]string{"m1": {"10", "4"}, "m2": {"20", "5"}, "run": {"", "", "30", "9"}},
		},
		{
			name: "a placeholder",
			evs:  []events.DisplayEvent{said(1, "m1"), spend(1, "m1", "demo", unknown(10)), said(2, "m2"), spend(2, "m2", "demo", unknown(20)), spend(3, "", "demo", end(30, 400))},
			want: map[string][4]string{"m1": {"10", ""}, "m2": {"20", ""}, "run": {"", "400", "30", "400"}},
		},
		{
			name: "a placeholder and no end",
			evs:  []events.DisplayEvent{said(1, "m1"), spend(1, "m1", "demo", unknown(10))},
			want: map[string][4]string{"m1": {"10", ""}, "run": {"", "", "10", ""}},
		},
		{
			name: "a call that is not shown",
			evs:  []events.DisplayEvent{said(1, "m1"), spend(1, "m1", "demo", in(10, 4)), spend(3, "", "demo", end(35, 9))},
			want: map[string][4]string{"m1": {"10", "4"}, "run": {"25", "5", "35", "9"}},
		},
		{
			name: "an end that knows less",
			evs:  []events.DisplayEvent{said(1, "m1"), spend(1, "m1", "demo", in(10, 4)), spend(3, "", "demo", end(5, 9))},
			want: map[string][4]string{"m1": {"10", "4"}, "run": {"", "5", "10", "9"}},
		},
		{
			name: "usage before the first block",
			evs:  []events.DisplayEvent{spend(1, "m1", "demo", unknown(10)), said(2, "m1"), spend(3, "m1", "demo", events.Usage{Tokens: events.Tokens{Output: 4}})},
			want: map[string][4]string{"m1": {"10", "4"}, "run": {"", "", "10", "4"}},
		},
		{
			name: "an answer of nothing else",
			evs:  []events.DisplayEvent{said(1, "m1"), spend(1, "m1", "demo", in(10, 4)), spend(2, "m2", "demo", in(20, 0))},
			want: map[string][4]string{"m1": {"10", "4"}, "m2": {"20", "0"}, "run": {"", "", "30", "4"}},
		},
		{
			name: "another model within a message",
			evs:  []events.DisplayEvent{said(1, "m1"), spend(1, "m1", "demo", in(10, 4)), spend(1, "m1", "adviser", in(700, 50))},
			want: map[string][4]string{"m1": {"10", "4"}, "run": {"700", "50", "710", "54"}},
		},
		{
			name: "usage of no call",
			evs:  []events.DisplayEvent{said(1, "m1"), spend(1, "", "demo", in(10, 4))},
			want: map[string][4]string{"m1": {"", ""}, "run": {"10", "4", "10", "4"}},
		},
		{
			name: "a sub-agent",
			evs: []events.DisplayEvent{
				said(1, "m1"), spend(1, "m1", "demo", in(10, 4)), use(1, "m1", "t1", "Agent", "x"),
				of("t1", said(2, "m2")), of("t1", spend(2, "m2", "demo", in(20, 5))), of("t1", spend(3, "", "demo", in(1, 1))), result(4, "t1"),
				spend(5, "", "demo", end(40, 10)),
			},
			want: map[string][4]string{"m1": {"10", "4"}, "m2": {"20", "5"}, "sub": {"1", "1", "21", "6"}, "run": {"9", "", "40", "10"}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := collect(t, script{line(started()), line(append(tc.evs, over)...)}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
			got := map[string][4]string{}
			for _, s := range f.spans {
				switch attr(s, otlp.AttrGenAIOperationName) {
				case otlp.OperationChat:
					got[attr(s, otlp.AttrGenAIResponseID)] = tokensOf(s)
				case otlp.OperationInvokeAgent:
					name := "sub"
					if attr(s, otlp.AttrRunKey) != "" {
						name = "run"
					}
					got[name] = tokensOf(s)
				}
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

// TestLateUsageIsCounted has tokens that are reported after the span of their run was exported.
func TestLateUsageIsCounted(t *testing.T) {
	late := spend(6, "m1", "demo", events.Usage{Tokens: events.Tokens{Input: 5, Output: 1}})
	f := collect(t, script{
		line(started(), text(1, "m1", "a"), events.DisplayEvent{Kind: events.KindSessionEnded, Time: at(5), SessionID: "s1", End: &events.End{}}),
		line(late),
	}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	assert.Equal(t, 1, f.counts.LateUsage)
	assert.Empty(t, attr(f.span(t, "invoke_agent claude-code"), otlp.AttrUsageInput))
}

// TestTotalInASubAgentsStream: no agent writes the total of a run into a sub-agent's own stream, so such a line, as where two files
// were joined, is about another run. Seeds 9301049 and 9400560 of the pipeline fuzzer.
func TestTotalInASubAgentsStream(t *testing.T) {
	for _, scope := range []events.UsageScope{events.UsageScopeRun, events.UsageScopeProcess, events.UsageScopeSession} {
		t.Run(scope.String(), func(t *testing.T) {
			_, child := twoFiles()
			f := collect(t, append(child,
				line(spend(7, "", "demo", events.Usage{Scope: scope, Tokens: events.Tokens{Input: 3732, Output: 3315}})),
				line(of("ag1", text(8, "sub3", "Two rules."))), line(of("ag1", spend(9, "sub3", "demo", events.Usage{Tokens: events.Tokens{Input: 1590, Output: 67}}))),
			), telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
			assert.Equal(t, 1, f.counts.OtherAccount)
			var calls int64
			for _, s := range f.spans {
				if v, ok := s.Attributes().Get(otlp.AttrGenAIInputTokens); ok {
					calls += v.Int()
				}
				assert.NotEqual(t, "3732", attr(s, otlp.AttrUsageInput))
			}
			assert.EqualValues(t, 1590, calls)
		})
	}
}

// TestTotalOfResumedSession: the first total in the stream of a resumed session includes the tokens of earlier processes,
// although the total does not show it. It belongs to no run unless the process has read the session's total before.
func TestTotalOfResumedSession(t *testing.T) {
	total := func(input int64) events.DisplayEvent {
		return events.DisplayEvent{
			Kind: events.KindUsage, SessionID: "s1", Model: "m1",
			Usage: &events.Usage{Scope: events.UsageScopeSession, Tokens: events.Tokens{Input: input}},
		}
	}
	turn := func(sec float64, message string, sum int64) script {
		return script{line(started()), line(text(sec, message, "Done.")), line(total(sum)), line(ended(""))}
	}
	for _, tc := range []struct {
		name             string
		before           int64
		resumed          bool
		want, incomplete string
	}{
		{name: "the first run", want: "500"},
		{name: "resumed", resumed: true, incomplete: "true"},
		{name: "resumed, and the run before was read", before: 300, resumed: true, want: "200"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			registry := newRegistry()
			if tc.before > 0 {
				var earlier collected
				earlier.read(registry.Open(telemetry.StreamSettings{ID: "before", Agent: claude}), 0, turn(1, "msg1", tc.before))
			}
			var f collected
			f.read(registry.Open(telemetry.StreamSettings{ID: "f", Agent: claude, Resumed: tc.resumed}), 0, turn(9, "msg2", 500))
			run := f.span(t, "invoke_agent claude-code")
			assert.Equal(t, tc.want, attr(run, otlp.AttrGenAIInputTokens))
			assert.Equal(t, tc.want, attr(run, otlp.AttrUsageInput))
			assert.Equal(t, tc.incomplete, attr(run, otlp.AttrUsageIncomplete))
		})
	}
}
