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

	"github.com/tailspan/tailspan/tools/internal/mockmodel"
)

// ending is how a run ends; a | in either field separates alternatives. A run that continues another one has a link to it.
type ending struct {
	outcome, cause string
	continues      bool
}

// expectation is what the exports of a scenario must show, in addition to what the model served.
type expectation struct {
	runs   []ending
	failed int // calls with status Error
	denied int // the failed calls that were not allowed
	agents int // sub-agents
	exit   []int
	// lasts is the duration of each shell command; 0 is not checked.
	lasts time.Duration
	lost  int // calls of tools that are not shown
	// workflow: the calls are those of the CLI's workflow, whose kinds and targets are known.
	workflow bool
	not      hidden
}

// hidden lists what an export does not show.
type hidden struct {
	eachCall bool // the tokens of each model call
	sum      bool // the tokens of all
	agents   bool // any work of a sub-agent
	words    bool // what a sub-agent says
	summary  bool // the call that compacts a conversation
	start    bool // when the first run began
	end      bool // when the last run ended
}

// scenario is one scripted workflow.
type scenario struct {
	name, title string
	script      func(c cli) mockmodel.Script
	play        func(s *stage)
	waits       bool // it mostly waits and leaves the CPU to others
	want        expectation
}

var (
	ok         = ending{outcome: "ok"}
	longCall   = "touch started; sleep 60"
	shortCall  = "sleep 1; echo hello"
	failedCall = "sleep 1; echo no >&2; exit 3"
)

var scenarios = []scenario{
	{
		name: "ok", title: "text and a tool", script: callThenSay(shortCall), play: runOnce,
		want: expectation{runs: []ending{ok}, exit: []int{0}, lasts: time.Second},
	},
	{
		name: "workflow", title: "read, search, edit and run", script: working,
		play: func(s *stage) {
			path := filepath.Join(s.work, notes)
			require.NoError(s.t, os.WriteFile(path, []byte("alpha\n"+sought+"\n"), 0o600))
			runOnce(s)
			b, err := os.ReadFile(path)
			require.NoError(s.t, err)
			assert.Equal(s.t, "alpha\n"+written+"\n", string(b), "the file after the edit")
		},
		want: expectation{runs: []ending{ok}, exit: []int{0}, workflow: true},
	},
	{
		name: "failing-tool", title: "a tool that fails", script: callThenSay(failedCall), play: runOnce,
		want: expectation{runs: []ending{ok}, failed: 1, exit: []int{0}, lasts: time.Second},
	},
	{
		name: "parallel-tools", title: "two tools at once", script: callThenSay(shortCall, shortCall+"; echo again"), play: runOnce,
		want: expectation{runs: []ending{ok}, exit: []int{0}},
	},
	{
		name: "denied", title: "a call that is not allowed", script: callThenSay("rm -rf nothing"),
		play: func(s *stage) {
			words := s.cli.args
			if s.cli.denying != nil {
				words = s.cli.denying
			}
			s.run(words(prompt), nil)
		},
		want: expectation{runs: []ending{ok}, failed: 1, denied: 1, exit: []int{0}},
	},
	{
		name: "refused-401", title: "status 401", script: refuse(401, "authentication_error"), play: runOnce,
		want: expectation{runs: []ending{{outcome: "error", cause: "authentication_failed"}}},
	},
	{
		name: "refused-429", title: "status 429, until it gives up", script: refuse(429, "rate_limit_error"), play: runOnce, waits: true,
		want: expectation{runs: []ending{{outcome: "error", cause: "rate_limit"}}},
	},
	{
		name: "refused-500", title: "status 500, until it gives up", script: refuse(500, "api_error"), play: runOnce, waits: true,
		want: expectation{runs: []ending{{outcome: "error", cause: "server_error"}}},
	},
	{
		name: "refused-529", title: "status 529, until it gives up", script: refuse(529, "overloaded_error"), play: runOnce, waits: true,
		want: expectation{runs: []ending{{outcome: "error", cause: "overloaded"}}},
	},
	{
		name: "retried", title: "a refusal, retried", script: refuseOnce(shortCall), play: runOnce,
		want: expectation{runs: []ending{ok}, exit: []int{0}, lasts: time.Second},
	},
	{
		name: "sub-agent", title: "a sub-agent", script: delegating(false), play: runOnce,
		want: expectation{runs: []ending{ok}, agents: 1, exit: []int{0}, lasts: time.Second},
	},
	{
		name: "asked-again", title: "a sub-agent, asked again", script: delegating(true), play: runOnce,
		want: expectation{runs: []ending{ok}, agents: 2, exit: []int{0}, lasts: time.Second},
	},
	{
		name: "ctrl-c", title: "Ctrl-C during a tool", script: callThenSay(longCall),
		play: inTheMiddle(func(s *stage, p *os.Process) { require.NoError(s.t, p.Signal(syscall.SIGINT)) }),
		want: expectation{runs: []ending{{outcome: "interrupted"}}, failed: 1, lasts: time.Second},
	},
	{
		name: "sigkill", title: "SIGKILL during a tool", script: callThenSay(longCall),
		play: inTheMiddle(func(s *stage, p *os.Process) {
			require.NoError(s.t, syscall.Kill(-agentProcess(s.t, p.Pid), syscall.SIGKILL)) // the launcher and the CLI that it started
		}),
		want: expectation{runs: []ending{{outcome: "killed", cause: "killed"}}, failed: 1, exit: []int{137}, lasts: time.Second},
	},
	{
		name: "two-prompts", title: "two prompts to one process, with a pause", script: callThenSay(shortCall), play: twoPrompts,
		want: expectation{runs: []ending{ok, ok}, exit: []int{0}, lasts: time.Second},
	},
	{
		name: "resume", title: "a second process continues, after a pause", script: callThenSay(shortCall),
		play: func(s *stage) {
			s.run(s.cli.args(prompt), nil)
			s.pause()
			s.run(s.cli.again(second), nil)
		},
		want: expectation{runs: []ending{ok, ok}, exit: []int{0}, lasts: time.Second},
	},
	{
		name: "compaction", title: "the conversation is compacted and continues", script: compacting,
		play: func(s *stage) {
			s.run(s.cli.args(prompt), nil)
			if s.cli.compact.prompt != "" {
				s.pauseForLong() // within the grace period it belongs to the previous run
				s.run(s.cli.again(s.cli.compact.prompt), nil)
			}
			s.run(s.cli.again(second), nil)
		},
		want: expectation{runs: []ending{ok, ok}, exit: []int{0}},
	},
}

const prompt, second = "Run the check, please.", "Once more, please."

func runOnce(s *stage) { s.run(s.cli.args(prompt), nil) }

// inTheMiddle plays one run and acts on it while its command is running.
func inTheMiddle(do func(s *stage, p *os.Process)) func(s *stage) {
	return func(s *stage) {
		s.run(s.cli.args(prompt), func(p *os.Process) {
			require.Eventually(s.t, func() bool { return exists(filepath.Join(s.work, "started")) }, time.Minute, 20*time.Millisecond, "the command started")
			s.wait(time.Second)
			do(s, p)
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// twoPrompts sends a process its second prompt some time after it has answered the first.
func twoPrompts(s *stage) {
	r, w, err := os.Pipe()
	require.NoError(s.t, err)
	defer r.Close()
	s.stdin = r
	s.run(s.cli.inputs, func(*os.Process) {
		defer w.Close()
		_, err := w.WriteString(s.cli.input(prompt))
		require.NoError(s.t, err)
		s.awaitAnswers(2)
		s.pause()
		_, err = w.WriteString(s.cli.input(second))
		require.NoError(s.t, err)
		s.awaitAnswers(4)
	})
}

// agentProcess returns the child of tailspan run, which is the leader of its process group.
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
