package live

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/mockmodel"
	"github.com/tailspan/tailspan/internal/otlpjson"
)

// expectation is what both exports of a scenario must show, run by run.
type expectation struct {
	outcomes []string // of each run; "a|b" allows two
	tools    int      // calls of all runs
	failed   int      // calls with status Error
	agents   int      // sub-agents
	exit     []int    // codes that are allowed; nil: not judged
}

// scenario is one scripted workflow.
type scenario struct {
	name   string
	can    func(c cli) bool // nil: every CLI
	script func(c cli) mockmodel.Script
	play   func(s *stage) int // gives the exit code of the last run
	want   expectation
	// transcript differs from want where a transcript cannot show it.
	transcript func(c cli, want expectation) expectation
}

func tokens(n int) mockmodel.Tokens {
	return mockmodel.Tokens{Input: 1000 + 100*n, Output: 20 + n, CacheRead: 400 + 10*n}
}

// aside answers what a CLI asks without tools: titles and summaries.
func aside(next mockmodel.Script) mockmodel.Script {
	n := 0
	return func(q *mockmodel.Request) mockmodel.Turn {
		if len(q.Tools) == 0 {
			return mockmodel.Turn{Text: "A short title", Tokens: mockmodel.Tokens{Input: 7, Output: 3}}
		}
		n++
		turn := next(q)
		if turn.Tokens == (mockmodel.Tokens{}) {
			turn.Tokens = tokens(n)
		}
		return turn
	}
}

// callThenSay asks for one shell command, and then says its last word.
func callThenSay(command string) func(c cli) mockmodel.Script {
	return func(c cli) mockmodel.Script {
		return aside(func(q *mockmodel.Request) mockmodel.Turn {
			if len(q.Results) == 0 {
				return mockmodel.Turn{Text: "I run it.", Calls: []mockmodel.Call{c.shell(command)}}
			}
			return mockmodel.Turn{Text: "It is done."}
		})
	}
}

func refuse(status int, cause string) func(cli) mockmodel.Script {
	return func(cli) mockmodel.Script {
		return func(*mockmodel.Request) mockmodel.Turn { return mockmodel.Turn{Status: status, Cause: cause} }
	}
}

func runOnce(s *stage) int { return s.run(s.cli.args("Run the check, please."), nil) }

// inTheMiddle plays one run and does something to it while its command is at work.
func inTheMiddle(do func(s *stage, p *os.Process)) func(s *stage) int {
	return func(s *stage) int {
		return s.run(s.cli.args("Run the check, please."), func(p *os.Process) {
			s.awaitServed(1)
			require.Eventually(s.t, func() bool { return exists(s.work + "/started") }, time.Minute, 20*time.Millisecond, "the command started")
			do(s, p)
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// agentProcess is the child of tailspan run.
func agentProcess(t *testing.T, parent int) int {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent)) // a child belongs to the thread that started it
	require.NoError(t, err)
	var children []string
	for _, list := range lists {
		b, err := os.ReadFile(list)
		require.NoError(t, err)
		children = append(children, strings.Fields(string(b))...)
	}
	require.Len(t, children, 1, "children of tailspan run")
	pid, err := strconv.Atoi(children[0])
	require.NoError(t, err)
	return pid
}

const longCommand = "touch started; sleep 60"

var scenarios = []scenario{
	{name: "ok", script: callThenSay("echo hello"), play: runOnce, want: expectation{outcomes: []string{"ok"}, tools: 1, exit: []int{0}}},
	{name: "failing-tool", script: callThenSay("echo no >&2; exit 3"), play: runOnce, want: expectation{outcomes: []string{"ok"}, tools: 1, failed: 1, exit: []int{0}}},
	{name: "refused-401", script: refuse(401, "authentication_error"), play: runOnce, want: expectation{outcomes: []string{"error"}}},
	{name: "refused-500", script: refuse(500, "api_error"), play: runOnce, want: expectation{outcomes: []string{"error"}}},
	{
		name: "ctrl-c", script: callThenSay(longCommand), want: expectation{outcomes: []string{"interrupted"}, tools: 1},
		play: inTheMiddle(func(s *stage, p *os.Process) { require.NoError(s.t, p.Signal(syscall.SIGINT)) }),
	},
	{
		name: "sigkill", script: callThenSay(longCommand), want: expectation{outcomes: []string{"killed"}, tools: 1, failed: 1, exit: []int{137}},
		play: inTheMiddle(func(s *stage, p *os.Process) {
			require.NoError(s.t, syscall.Kill(agentProcess(s.t, p.Pid), syscall.SIGKILL))
		}),
		transcript: func(_ cli, want expectation) expectation {
			want.outcomes = []string{"incomplete|killed"}
			return want
		},
	},
	{
		name: "two-prompts", script: callThenSay("echo hello"), want: expectation{outcomes: []string{"ok", "ok"}, tools: 2, exit: []int{0}},
		play: func(s *stage) int {
			s.run(s.cli.args("Run the check, please."), nil)
			for range 20 {
				require.NoError(s.t, waitShort(s.t))
			}
			return s.run(s.cli.again("Once more, please."), nil)
		},
	},
	{
		name: "sub-agent", can: func(c cli) bool { return c.delegate != nil }, want: expectation{outcomes: []string{"ok"}, tools: 2, agents: 1, exit: []int{0}}, play: runOnce,
		script: func(c cli) mockmodel.Script { return aside(delegating(c, false)) },
	},
	{
		name: "asked-again", can: func(c cli) bool { return c.ask != nil }, want: expectation{outcomes: []string{"ok"}, tools: 3, agents: 2, exit: []int{0}}, play: runOnce,
		script: func(c cli) mockmodel.Script { return aside(delegating(c, true)) },
	},
}

// innerCalls is how many tools a sub-agent of the workflow calls.
const innerCalls = 1

const task, further = "Inspect the folder and report.", "Inspect it once more."

// delegating gives a task to a sub-agent, which runs a command, and maybe a second one.
func delegating(c cli, again bool) mockmodel.Script {
	steps := 0 // of the main agent: a sub-agent in the background may bring it further prompts
	return func(q *mockmodel.Request) mockmodel.Turn {
		if strings.Contains(q.Said, task) {
			switch {
			case strings.Contains(q.Said, further):
				return mockmodel.Turn{Text: "Nothing new."}
			case len(q.Results) == 0:
				return mockmodel.Turn{Text: "I look.", Calls: []mockmodel.Call{c.shell("echo inner")}}
			default:
				return mockmodel.Turn{Text: "It is a folder."}
			}
		}
		steps++
		switch {
		case steps == 1:
			return mockmodel.Turn{Text: "I delegate.", Calls: []mockmodel.Call{c.delegate(task)}}
		case steps == 2 && again:
			return mockmodel.Turn{Text: "I ask again.", Calls: []mockmodel.Call{c.ask(strings.Join(q.Results, "\n"), further)}}
		default:
			return mockmodel.Turn{Text: "It is done."}
		}
	}
}

// TestLive plays every scenario to every CLI, below `tailspan run` and beside a collector that follows the transcripts.
func TestLive(t *testing.T) {
	needed(t, "TAILSPAN_CLIS")
	for _, c := range clis {
		for _, sc := range scenarios {
			if sc.can != nil && !sc.can(c) {
				continue
			}
			t.Run(c.provider+"/"+sc.name, func(t *testing.T) {
				s := newStage(t, c, sc.script(c))
				exit := sc.play(s)
				s.settle(len(sc.want.outcomes))
				if sc.want.exit != nil {
					assert.Contains(t, sc.want.exit, exit, "exit code")
				}
				want := sc.want
				t.Run("stream", func(t *testing.T) { s.compare(t, want, s.stream, true) })
				if sc.transcript != nil {
					want = sc.transcript(c, want)
				}
				t.Run("transcript", func(t *testing.T) { s.compare(t, want, s.transcript, false) })
			})
		}
	}
}

// compare holds an export against the expectation and against what the model served.
func (s *stage) compare(t *testing.T, want expectation, got *sink, stream bool) {
	t.Helper()
	traces := got.all()
	assert.Empty(t, otlpjson.Check(traces...))
	runs := runsOf(traces)
	if !assert.Len(t, runs, len(want.outcomes), "runs") {
		return
	}
	tools, failed, agents, chats, input, output := 0, 0, 0, 0, 0, 0
	for i, r := range runs {
		assert.Contains(t, strings.Split(want.outcomes[i], "|"), r.text("tailspan.run.outcome"), "outcome of run %d (status %q, error.type %q, close reason %q)", i+1, r.Status().Message(), r.text("error.type"), r.text("tailspan.close.reason"))
		for _, tool := range r.below("execute_tool") {
			tools++
			if tool.Status().Code() == 2 {
				failed++
			}
		}
		agents += len(r.below("invoke_agent")) - 1
		chats += len(r.below("chat"))
		input, output = input+r.sum("gen_ai.usage.input_tokens"), output+r.sum("gen_ai.usage.output_tokens")
	}
	if stream && s.cli.hides && want.agents > 0 {
		want.tools, want.agents = want.tools-innerCalls, 0
	}
	assert.Equal(t, want.tools, tools, "tool calls")
	assert.Equal(t, want.failed, failed, "failed tool calls")
	assert.Equal(t, want.agents, agents, "sub-agents")
	s.compareTokens(t, stream, agents, []int{chats, input, output})
	s.compareTimes(t, runs)
}

// compareTokens holds model calls, input and output tokens against what was served.
func (s *stage) compareTokens(t *testing.T, stream bool, agents int, got []int) {
	t.Helper()
	want := []int{0, 0, 0}
	for _, served := range s.calls() {
		if served.Turn.Status != 0 || stream && s.cli.hides && strings.Contains(served.Request.Said, task) {
			continue
		}
		want[0]++
		want[1], want[2] = want[1]+served.Turn.Tokens.Input, want[2]+served.Turn.Tokens.Output
	}
	switch {
	case stream && s.cli.provider == "codex":
		want[0] = 0 // the stream reports no model calls
	case stream && !s.cli.hides:
		want[0] -= agents // the last word of a sub-agent is in the result of its call only
	}
	assert.Equal(t, want, got, "model calls, input and output tokens")
}

// compareTimes holds the runs against when the model was asked.
func (s *stage) compareTimes(t *testing.T, runs []*spanView) {
	t.Helper()
	calls := s.calls()
	if len(calls) == 0 || len(runs) == 0 {
		return
	}
	const slack = 500 * time.Millisecond
	first, last := runs[0], runs[len(runs)-1]
	assert.False(t, first.start().After(calls[0].At.Add(slack)), "the first run starts at %v, its first call was at %v", first.start(), calls[0].At)
	assert.False(t, last.end().Before(calls[len(calls)-1].At.Add(-slack)), "the last run ends at %v, its last call was at %v", last.end(), calls[len(calls)-1].At)
}
