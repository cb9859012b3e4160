package guard_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/guard"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/ledger"
)

var start = time.Unix(1e9, 0)

func at(d time.Duration) time.Time { return start.Add(d) }

// follow runs the checks that a guard asks for until a time, and returns the alarms with their times.
func follow(g *guard.Guard, until time.Time) (lines []string) {
	for due := g.Due(); !due.IsZero() && !due.After(until); due = g.Due() {
		for _, a := range g.Check(due) {
			line := due.Sub(start).String() + " " + a.Text
			if a.Stop != "" {
				line += " | " + string(a.Stop)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func TestStall(t *testing.T) {
	g := guard.New(guard.Limits{StallAfter: time.Minute}, start)
	assert.Equal(t, at(time.Minute), g.Due())
	assert.Empty(t, g.Check(at(59*time.Second)))
	assert.Equal(t, []string{"1m0s no output for 1m00s"}, follow(g, at(time.Hour)), "once")
	g.Moved(at(10 * time.Minute))
	assert.Equal(t, []string{"11m0s no output for 1m00s"}, follow(g, at(time.Hour)), "once more after a line")
	assert.Empty(t, g.Stopped())
}

func TestStallKill(t *testing.T) {
	g := guard.New(guard.Limits{StallAfter: time.Second, StallKill: true}, start)
	assert.Equal(t, []string{"1s no output for 1s, stopping the agent (--stall-kill) | stall"}, follow(g, at(time.Hour)))
	assert.Equal(t, otlp.StopStall, g.Stopped())
	g.Moved(at(2 * time.Second))
	assert.True(t, g.Due().IsZero(), "it says nothing more")
	assert.Empty(t, g.Check(at(time.Hour)))
}

func TestMaxTime(t *testing.T) {
	g := guard.New(guard.Limits{MaxTime: 10 * time.Minute}, start)
	assert.Equal(t, []string{
		"8m0s running for 8m00s, 80 % of --max-time 10m00s",
		"10m0s running for 10m00s, stopping the agent (--max-time 10m00s) | max_time",
	}, follow(g, at(time.Hour)))
}

func TestUsed(t *testing.T) {
	tokens := func(n int64) *ledger.Sum { return &ledger.Sum{Tokens: events.Tokens{Input: n - 1, Output: 1}} }
	cost := func(usd float64, estimated bool) *ledger.Sum {
		return &ledger.Sum{Tokens: events.Tokens{Input: 1}, CostUSD: usd, HasCost: true, Estimated: estimated}
	}
	for _, c := range []struct {
		name   string
		limits guard.Limits
		used   []*ledger.Sum
		ended  bool
		want   []guard.Alarm
	}{
		{"tokens", guard.Limits{MaxTokens: 1000}, []*ledger.Sum{tokens(799), tokens(800), tokens(900), tokens(1000), tokens(1001), tokens(2000)}, false, []guard.Alarm{
			{Text: "800 tokens used, 80 % of --max-tokens 1000"},
			{Text: "1,001 tokens used, stopping the agent (--max-tokens 1000)", Stop: otlp.StopMaxTokens},
		}},
		{"cost", guard.Limits{MaxCost: 0.5}, []*ledger.Sum{cost(0.39, false), cost(0.4567, false), cost(0.5, false), cost(0.51, false)}, false, []guard.Alarm{
			{Text: "cost is $0.4567, 91 % of --max-cost $0.50"},
			{Text: "cost is $0.51, stopping the agent (--max-cost $0.50)", Stop: otlp.StopMaxCost},
		}},
		{"estimate", guard.Limits{MaxCost: 2}, []*ledger.Sum{cost(3, true)}, false, []guard.Alarm{
			{Text: "cost is ~$3.00, stopping the agent (--max-cost $2.00)", Stop: otlp.StopMaxCost},
		}},
		{"cost without prices", guard.Limits{MaxCost: 2}, []*ledger.Sum{tokens(10)}, false, []guard.Alarm{
			{Text: "the cost is not known, so --max-cost has no effect yet: Claude Code reports its cost only at its end, most other agents never; --prices estimates it meanwhile"},
		}},
		{"cost is not known", guard.Limits{MaxCost: 2, Priced: true}, []*ledger.Sum{{}, tokens(10), tokens(20), cost(1, false)}, false, []guard.Alarm{
			{Text: "the cost is not known, so --max-cost has no effect yet: the agent has reported none, and no list of prices (--prices) has its model"},
		}},
		{"cost at the end", guard.Limits{MaxCost: 2}, []*ledger.Sum{tokens(10), cost(3, false)}, true, []guard.Alarm{
			{Text: "the cost is not known, so --max-cost had no effect: Claude Code reports its cost only at its end, most other agents never; --prices estimates it meanwhile"},
			{Text: "cost is $3.00, --max-cost $2.00 is exceeded"},
		}},
		{"no limits", guard.Limits{}, []*ledger.Sum{tokens(1e9), cost(1e5, false)}, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := guard.New(c.limits, start)
			var got []guard.Alarm
			for _, sum := range c.used {
				got = append(got, g.Used(sum, c.ended)...)
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// TestUsedAtTheEnd: a limit that the result exceeds stops only what follows.
func TestUsedAtTheEnd(t *testing.T) {
	g := guard.New(guard.Limits{MaxTokens: 1000, MaxCost: 1}, start)
	used := &ledger.Sum{Tokens: events.Tokens{Input: 1001}, CostUSD: 2, HasCost: true}
	assert.Equal(t, []guard.Alarm{{Text: "1,001 tokens used, --max-tokens 1000 is exceeded"}}, g.Used(used, true))
	assert.Empty(t, g.Used(used, true), "once")
	assert.Equal(t, otlp.StopMaxTokens, g.Stopped())
	assert.Equal(t, []guard.Alarm{{Text: "1,001 tokens used, stopping the agent (--max-tokens 1000)", Stop: otlp.StopMaxTokens}}, g.Used(used, false))
}

func usage(model string, scope events.UsageScope, u events.Usage) *events.DisplayEvent {
	u.Scope = scope
	return &events.DisplayEvent{Kind: events.KindUsage, Model: model, Usage: &u, SessionID: "s"}
}

func TestSpending(t *testing.T) {
	prices := ledger.Prices{{Model: "big-*", Input: 10, Cached: 1, CacheWrite5m: 12, CacheWrite1h: 20, Output: 50}}
	call := func(in, out int64) *events.DisplayEvent {
		return usage("big-1", events.UsageScopeCall, events.Usage{Tokens: events.Tokens{Input: in, Output: out}})
	}
	t.Run("estimate while it runs, then what the agent reports", func(t *testing.T) {
		s := guard.NewSpending(prices)
		assert.True(t, s.Add(call(1000, 100)))
		placeholder := usage("big-1", events.UsageScopeCall, events.Usage{Tokens: events.Tokens{Input: 1000}, OutputUnknown: true})
		assert.True(t, s.Add(placeholder))
		sum := s.Sum()
		assert.InDelta(t, 0.025, sum.CostUSD, 1e-9)
		assert.True(t, sum.Estimated)
		assert.True(t, s.Add(usage("", events.UsageScopeRun, events.Usage{Tokens: events.Tokens{Input: 2000, Output: 150}, HasCost: true, CostUSD: 0.03})))
		sum = s.Sum()
		assert.InDelta(t, 0.03, sum.CostUSD, 1e-9)
		assert.False(t, sum.Estimated)
		assert.Equal(t, events.Tokens{Input: 2000, Output: 150}, sum.Tokens, "the total is the calls' and not added to them")
		assert.False(t, s.Add(&events.DisplayEvent{Kind: events.KindSessionEnded}))
		s.Add(call(1000, 0))
		sum = s.Sum()
		assert.Equal(t, int64(3000), sum.Tokens.Input, "a second run adds to the first")
		assert.InDelta(t, 0.04, sum.CostUSD, 1e-9)
	})
	t.Run("running totals of a process", func(t *testing.T) {
		s := guard.NewSpending(nil)
		for _, input := range []int64{100, 250} {
			s.Add(usage("m", events.UsageScopeProcess, events.Usage{Tokens: events.Tokens{Input: input}}))
			s.Add(&events.DisplayEvent{Kind: events.KindTurnDone})
		}
		sum := s.Sum()
		assert.Equal(t, int64(250), sum.Tokens.Input)
		assert.False(t, sum.HasCost)
	})
	t.Run("a model without a price", func(t *testing.T) {
		s := guard.NewSpending(prices)
		s.Add(usage("small", events.UsageScopeCall, events.Usage{Tokens: events.Tokens{Input: 1}}))
		assert.False(t, s.Sum().HasCost)
	})
	t.Run("history of another session", func(t *testing.T) {
		s := guard.NewSpending(nil)
		ev := call(9, 9)
		ev.Copied = true
		assert.False(t, s.Add(ev))
	})
}

func TestLoops(t *testing.T) {
	type step struct{ call, result string }
	use := func(s step) []*events.DisplayEvent {
		return []*events.DisplayEvent{
			{Kind: events.KindToolUse, Tool: events.Tool{ID: "1", Name: "Bash", Target: s.call, Input: []byte(s.call)}},
			{Kind: events.KindToolResult, Tool: events.Tool{ID: "1", Summary: s.result}},
		}
	}
	test, edit := step{"go test", "FAIL"}, step{"edit a", "ok"}
	for _, c := range []struct {
		name  string
		steps []step
		want  []int // steps that complete a loop
	}{
		{"the same five times", []step{test, test, test, test, test, test, test}, []int{4}},
		{"two in turn", []step{test, edit, test, edit, test, edit, test, edit, test}, []int{8}},
		{"the result differs", []step{test, {"go test", "2"}, {"go test", "3"}, {"go test", "4"}, {"go test", "5"}, {"go test", "6"}}, nil},
		{"something new in between", []step{test, {"edit 1", ""}, test, {"edit 2", ""}, test, {"edit 3", ""}, test, {"edit 4", ""}, test, {"edit 5", ""}, test}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := guard.NewLoops(guard.DefaultLoopAfter)
			var found []int
			for i, s := range c.steps {
				for _, ev := range use(s) {
					if loop := l.See(ev); loop != nil {
						found = append(found, i)
						assert.Equal(t, "the agent may be in a loop: 5 times the same call with the same result: Bash: go test", loop.Text(nil))
						assert.Equal(t, "the agent may be in a loop: 5 times the same call with the same result: bash", loop.Text(strings.ToLower))
					}
				}
			}
			assert.Equal(t, c.want, found)
		})
	}
	off := guard.NewLoops(0)
	for range 20 {
		for _, ev := range use(test) {
			assert.Nil(t, off.See(ev))
		}
	}
}

// TestDueMakesProgress checks that a check at the time of Due has a result, for limits that are no round numbers.
func TestDueMakesProgress(t *testing.T) {
	for ns := time.Duration(1); ns < 1e12; ns = ns*3 + 1 {
		g := guard.New(guard.Limits{MaxTime: ns}, start)
		var checks int
		for due := g.Due(); !due.IsZero(); due = g.Due() {
			g.Check(due)
			if checks++; checks > 2 {
				t.Fatalf("%d checks for %s", checks, ns)
			}
		}
	}
}
