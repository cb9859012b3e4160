//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/otlp"
)

// looping is a shell script that acts like an agent which repeats a tool call. Each call is a model call with 1,000
// input tokens. A file contains the number of calls.
func looping(t *testing.T, calls int) (script []string, made func() int) {
	t.Helper()
	count := filepath.Join(t.TempDir(), "calls")
	return []string{"sh", "-c", `
echo '` + startLine + `'
i=0
while [ $i -lt ` + strconv.Itoa(calls) + ` ]; do
	i=$((i+1)); echo $i > "$0.new"; mv "$0.new" "$0"
	echo '{"type":"assistant","session_id":"s1","uuid":"a'$i'","message":{"id":"m'$i'","role":"assistant","model":"claude-x","usage":{"input_tokens":1000,"output_tokens":1},"content":[{"type":"tool_use","id":"t'$i'","name":"Bash","input":{"command":"go test"}}]}}'
	sleep 0.3
	echo '{"type":"user","session_id":"s1","uuid":"b'$i'","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t'$i'","is_error":true,"content":"FAIL"}]}}'
done
echo '` + okLine + `'`, count}, func() int {
			content, err := os.ReadFile(count)
			require.NoError(t, err)
			n, err := strconv.Atoi(strings.TrimSpace(string(content)))
			require.NoError(t, err)
			return n
		}
}

// TestLimits: a limit warns at 80 %, ends the agent within one model call, and is on the span of the run.
func TestLimits(t *testing.T) {
	prices := filepath.Join(t.TempDir(), "prices.yaml")
	require.NoError(t, os.WriteFile(prices, []byte("- {model: claude-*, input: 10, output: 50}\n"), 0o600))
	for _, c := range []struct {
		name      string
		flags     []string
		reason    otlp.StopReason
		lines     []string
		lastCalls [2]int // the smallest and the largest possible number of calls
	}{
		{"cost", []string{"--max-cost", "0.05", "--prices", prices}, otlp.StopMaxCost, []string{
			"tailspan: cost is ~$0.04, 80 % of --max-cost $0.05\n", "tailspan: cost is ~$0.06, stopping the agent (--max-cost $0.05)\n",
			"tailspan: error: stopped: it cost too much in Bash: go test\n"}, [2]int{6, 7}},
		{"tokens", []string{"--max-tokens", "3500"}, otlp.StopMaxTokens, []string{
			"tailspan: 3,000 tokens used, 86 % of --max-tokens 3500\n", "tailspan: 4,000 tokens used, stopping the agent (--max-tokens 3500)\n",
			"tailspan: error: stopped: it used too many tokens in Bash: go test\n"}, [2]int{4, 5}},
		{"time", []string{"--max-time", "900ms"}, otlp.StopMaxTime, []string{
			" % of --max-time 900ms\n", "stopping the agent (--max-time 900ms)\n", "tailspan: error: stopped: it took too long"}, [2]int{1, 6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sink := newOTLPSink(t)
			script, made := looping(t, 1000)
			args := append([]string{"--otlp", sink.URL, "--loop-after", "0"}, append(c.flags, append([]string{"--"}, script...)...)...)
			code, _, stderr := begin(t, args...).end(t)
			assert.Equal(t, 143, code)
			for _, line := range c.lines {
				assert.Contains(t, stderr, line)
			}
			assert.GreaterOrEqual(t, made(), c.lastCalls[0])
			assert.LessOrEqual(t, made(), c.lastCalls[1])
			span, _ := sink.span(t, runSpan)
			attrs := span.Attributes().AsRaw()
			assert.Equal(t, string(c.reason), attrs[otlp.AttrProcessStopReason])
			assert.Equal(t, "killed", attrs[otlp.AttrRunOutcome])
		})
	}
}

// TestLimitOfATidyAgent: an agent that returns 0 when it is stopped by a limit has not done its work.
func TestLimitOfATidyAgent(t *testing.T) {
	code, _, stderr := begin(t, "--max-time", "50ms", "--", "sh", "-c", `trap "exit 0" TERM; echo '`+startLine+`'; while :; do sleep 0.01; done`).end(t)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "tailspan: error: stopped: it took too long\n")
}

// TestLimitOfTheLastLine: a limit that the last lines exceed makes the run fail, whether or not the agent ended by
// itself before it could be stopped.
func TestLimitOfTheLastLine(t *testing.T) {
	sink := newOTLPSink(t)
	script := (&ending{lines: []string{startLine, wordsLine, okLine}}).script(t)
	script[2] = `trap "" TERM; ` + script[2]
	code, _, stderr := begin(t, append([]string{"--otlp", sink.URL, "--max-tokens", "5", "--"}, script...)...).end(t)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "tailspan: error: exceeded --max-tokens: it used too many tokens\n")
	span, _ := sink.span(t, runSpan)
	assert.Equal(t, "max_tokens", span.Attributes().AsRaw()[otlp.AttrProcessStopReason])
}

// TestCostAtTheEnd: a limit that is found to be exceeded when the agent has given its result stops nothing, also if the program goes
// on for a while.
func TestCostAtTheEnd(t *testing.T) {
	held := filepath.Join(t.TempDir(), "held")
	require.NoError(t, syscall.Mkfifo(held, 0o600))
	b := begin(t, "--max-cost", "0.04", "--", "sh", "-c", `cat "$0"; read -r word < "$1"`, fixtures+"parity.jsonl", held)
	b.stderr.has(t, "is exceeded\n")
	writer, err := os.OpenFile(held, os.O_RDWR, 0) // it does not wait for a reader
	require.NoError(t, err)
	defer writer.Close()
	_, err = writer.WriteString("end\n")
	require.NoError(t, err)
	code, _, stderr := b.end(t)
	assert.Equal(t, cli.ExitFailure, code, "it ended by itself")
	assert.Contains(t, stderr, "tailspan: cost is $0.0451, --max-cost $0.04 is exceeded\n")
	assert.Contains(t, stderr, "tailspan: error: exceeded --max-cost: it cost too much\n")
	assert.NotContains(t, stderr, "stopping the agent")
}

// TestUnknownCost: a cost limit that cannot be enforced is reported.
func TestUnknownCost(t *testing.T) {
	script, made := looping(t, 3)
	code, _, stderr := begin(t, append([]string{"--max-cost", "0.01", "--"}, script...)...).end(t)
	assert.Zero(t, code)
	assert.Equal(t, 3, made())
	assert.Equal(t, 1, strings.Count(stderr, "the cost is not known, so --max-cost has no effect yet"), stderr)
}

// TestStallKill: a silent program is reported within 1.2 s and ended within the grace period together with its
// children, even if it ignores the signal. On a busy machine there are three attempts.
func TestStallKill(t *testing.T) {
	for name, script := range map[string]string{"ends": "sleep 100", "does not want to end": `trap "" TERM; sleep 100 & while :; do wait; done`} {
		t.Run(name, func(t *testing.T) {
			var warned, ended time.Duration
			for range 3 {
				start := time.Now()
				b := begin(t, "--stall-after", "1s", "--stall-kill", "--grace", "500ms", "--", "sh", "-c", script)
				b.stderr.has(t, "tailspan: no output for 1s, stopping the agent (--stall-kill)\n")
				warned = time.Since(start)
				code, _, stderr := b.end(t)
				ended = time.Since(start) - warned
				assert.Contains(t, []int{137, 143}, code)
				assert.Contains(t, stderr, "tailspan: error: stopped: no output for too long\n")
				if warned < 1200*time.Millisecond && ended < 700*time.Millisecond {
					return
				}
			}
			t.Errorf("warned after %s, ended %s later", warned, ended)
		})
	}
}

// TestStallWarns: without --stall-kill the program continues and is reported once.
func TestStallWarns(t *testing.T) {
	code, _, stderr := begin(t, "--provider", "none", "--stall-after", "50ms", "--", "sh", "-c", "sleep 0.4").end(t)
	assert.Zero(t, code)
	assert.Equal(t, "tailspan: no output for 50ms\ntailspan: empty: did nothing\n", stderr)
}

// TestLoopNotice: the same call with the same result is reported once.
func TestLoopNotice(t *testing.T) {
	script, _ := looping(t, 7)
	_, _, stderr := begin(t, append([]string{"--"}, script...)...).end(t)
	assert.Equal(t, "tailspan: the agent may be in a loop: 5 times the same call with the same result: Bash: go test\n", stderr)
}
