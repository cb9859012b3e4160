package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/tools/internal/mockmodel"
)

// slack is the maximum deviation of a time.
const slack = 500 * time.Millisecond

// account is one of the two ways from a CLI to spans.
type account string

const (
	byRun       account = "run"       // the stream, by tailspan run
	byCollector account = "collector" // the transcript, by the collector
)

// limit is what a format does not show. It applies to one account and to some scenarios (none means all).
type limit struct {
	account   account
	scenarios []string
	note      string // for docs/conformance.md
	adjust    func(*expectation)
}

// Adjustments of several formats.
func noCalls(e *expectation)  { e.not.eachCall = true }
func noTokens(e *expectation) { e.not.eachCall, e.not.sum = true, true }

// endless adjusts the expectation for a run whose transcript just stops.
func endless(e *expectation) {
	e.runs, e.lasts, e.failed = []ending{{outcome: "incomplete"}}, 0, 1
}

// noResult adjusts the expectation for a call that the user stopped and whose result is not written.
func noResult(e *expectation) { e.failed = 0 }

const (
	unanswered = "the stopped call has no result in the stream: it is interrupted, not failed"
	stops      = "the transcript stops: `incomplete`, and the call has no end"
)

// expected returns what an account must show of a scenario.
func (c *cli) expected(sc *scenario, a account) expectation {
	want := sc.want
	for _, l := range c.limitsOf(sc, a) {
		l.adjust(&want)
	}
	return want
}

func (c *cli) limitsOf(sc *scenario, a account) (list []limit) {
	for _, l := range c.limits {
		if l.account == a && (len(l.scenarios) == 0 || slices.Contains(l.scenarios, sc.name)) {
			list = append(list, l)
		}
	}
	return list
}

// compare compares an export with the expectation and with what the model served.
func (s *stage) compare(t *testing.T, want *expectation, got *sink) {
	t.Helper()
	traces := got.all()
	assert.Empty(t, otlpjson.Check(traces...))
	runs := runsOf(traces)
	if n := len(runs); n > 0 && n == len(want.runs)-1 && want.runs[n].continues {
		want.runs = want.runs[:n] // it continued before the run was over
	}
	if !assert.Len(t, runs, len(want.runs), "runs") {
		return
	}
	calls := s.shown(want)
	tools, failed, denied, agents := 0, 0, 0, 0
	var kinds []string
	for i, r := range runs {
		compareEnding(t, want.runs[i], r)
		agents += len(r.below("invoke_agent")) - 1
		for _, tool := range r.below("execute_tool") {
			tools++
			failed += count(tool.Status().Code() == 2)
			denied += count(tool.text("error.type") == "permission_denied")
			s.compareLength(t, want, tool)
			kinds = append(kinds, tool.text("tailspan.tool.kind")+" "+tool.text("tailspan.tool.target"))
		}
	}
	if want.workflow {
		var calls []string
		for _, c := range s.cli.workflow() {
			calls = append(calls, c.kind+" "+c.target)
		}
		assert.ElementsMatch(t, calls, kinds, "kinds and targets of tools")
	}
	asked := 0
	for _, c := range calls {
		asked += len(c.Turn.Calls)
	}
	assert.Equal(t, asked-want.lost, tools, "tool calls")
	assert.Equal(t, want.failed, failed, "failed tool calls")
	assert.Equal(t, want.denied, denied, "denied tool calls")
	assert.Equal(t, want.agents, agents, "sub-agents")
	s.compareTokens(t, want, runs)
	s.compareTimes(t, want, calls, runs)
}

// shown returns the calls of the model of which an account shows anything.
func (s *stage) shown(want *expectation) []mockmodel.Served {
	return slices.DeleteFunc(s.calls(), func(c mockmodel.Served) bool {
		return want.not.agents && delegated(&c.Request) || want.not.summary && s.cli.summarises(&c.Request)
	})
}

// served returns the tokens of these calls, without refused ones.
func (s *stage) served(want *expectation) (list []counts) {
	for _, c := range s.shown(want) {
		if c.Turn.Status == 0 {
			list = append(list, counts{c.Turn.Tokens.Input, c.Turn.Tokens.Output, c.Turn.Tokens.CacheRead})
		}
	}
	return list
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func compareEnding(t *testing.T, want ending, r *spanView) {
	t.Helper()
	about := []any{"run: status %q, error.type %q, close reason %q", r.Status().Message(), r.text("error.type"), r.text("tailspan.close.reason")}
	assert.Contains(t, strings.Split(want.outcome, "|"), r.text("tailspan.run.outcome"), about...)
	assert.Equal(t, want.continues, r.Links().Len() > 0, "run goes on with another one")
	assert.Contains(t, strings.Split(want.cause, "|"), r.text("error.type"), about...)
}

// compareLength checks the minimum duration of a shell command.
func (s *stage) compareLength(t *testing.T, want *expectation, tool *spanView) {
	t.Helper()
	if want.lasts == 0 || tool.text("gen_ai.tool.name") != s.cli.shell("").Name {
		return
	}
	assert.GreaterOrEqual(t, tool.end().Sub(tool.start()), want.lasts-slack, "length of %s", tool.Name())
}

// counts are the tokens of a model call.
type counts struct{ input, output, cached int }

func (c *counts) String() string { return fmt.Sprintf("%d+%d/%d", c.input, c.cached, c.output) }

func (c *counts) add(other counts) {
	c.input, c.output, c.cached = c.input+other.input, c.output+other.output, c.cached+other.cached
}

// compareTokens compares model calls and their tokens with what was served.
func (s *stage) compareTokens(t *testing.T, want *expectation, runs []*spanView) {
	t.Helper()
	served, chats := []string{}, []string{}
	var total, sum counts
	for _, n := range s.served(want) {
		served = append(served, n.String())
		total.add(n)
	}
	for _, r := range runs {
		for _, chat := range r.below("chat") {
			if chat.Status().Code() != 2 {
				n := counts{chat.number("gen_ai.usage.input_tokens"), chat.number("gen_ai.usage.output_tokens"), chat.number("gen_ai.usage.cache_read.input_tokens")}
				chats = append(chats, n.String())
			}
		}
		sum.add(counts{r.sum("gen_ai.usage.input_tokens"), r.sum("gen_ai.usage.output_tokens"), 0})
	}
	total.cached = 0
	if !want.not.eachCall {
		slices.Sort(served)
		slices.Sort(chats)
		assert.Equal(t, strings.Join(served, " "), strings.Join(chats, " "), "input, output and cached tokens of each model call")
	}
	if !want.not.sum {
		assert.Equal(t, total, sum, "input and output tokens")
	}
}

// compareTimes compares the runs with the times at which the processes ran and the model was called.
func (s *stage) compareTimes(t *testing.T, want *expectation, calls []mockmodel.Served, runs []*spanView) {
	t.Helper()
	if len(calls) == 0 || len(runs) == 0 {
		return
	}
	first, last := runs[0], runs[len(runs)-1]
	t.Logf("starts %v before the first call, ends %v after the last", calls[0].At.Sub(first.start()), last.end().Sub(calls[len(calls)-1].Done))
	assert.False(t, !want.not.start && first.start().After(calls[0].At.Add(slack)), "the first run starts at %v, its first call was at %v", first.start(), calls[0].At)
	assert.False(t, first.start().Before(s.processes[0].start.Add(-slack)), "the first run starts at %v, its process at %v", first.start(), s.processes[0].start)
	assert.False(t, !want.not.end && last.end().Before(calls[len(calls)-1].Done.Add(-slack)), "the last run ends at %v, its last answer did at %v", last.end(), calls[len(calls)-1].Done)
	end := s.processes[len(s.processes)-1].end
	assert.False(t, last.end().After(end.Add(slack)), "the last run ends at %v, its process at %v", last.end(), end)
}
