package stacktest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/deploy/stack/servers"
)

const root = "../../.."

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// agentRounds is how often each sample pipeline runs: an alert on a rate wants three runs.
const agentRounds = 3

// settingsOf returns the programs that the Makefile names.
func settingsOf(t *testing.T) servers.Settings {
	t.Helper()
	programs := os.Getenv("TAILSPAN_STACK")
	if programs == "" {
		t.Skip("the servers are needed: make stack-test")
	}
	s := servers.Settings{Programs: map[string]string{}, Root: root, Out: t.TempDir()}
	set := flag.NewFlagSet("TAILSPAN_STACK", flag.ContinueOnError)
	for _, name := range []string{servers.Collector, servers.Jaeger, servers.VictoriaLogs, servers.VictoriaMetrics, servers.VMAlert, servers.Prometheus} {
		set.Func(name, "", func(path string) error {
			s.Programs[name] = path
			return nil
		})
	}
	require.NoError(t, set.Parse(strings.Fields(programs)))
	return s
}

// TestStack replays everything, executes every query and compares the sums.
func TestStack(t *testing.T) {
	settings := settingsOf(t)
	all := append(readRecordings(t), readFixtures(t)...)
	folder := filepath.Join(t.TempDir(), "recordings")
	now := time.Now()
	for _, r := range all {
		group := "closed"
		if r.Receiver["idle_close"] != nil {
			group = "idle"
		}
		r.write(t, filepath.Join(folder, group), now)
	}
	overlay, err := filepath.Abs("testdata/recordings.yaml")
	require.NoError(t, err)
	settings.CollectorArguments = []string{"--config", overlay}
	settings.Environment = []string{"RECORDINGS=" + folder, "STALL_AFTER=5s", "IDLE_CLOSE=25s", "METRICS_INTERVAL=7s"}

	begin := time.Now()
	stack, err := servers.Start(t.Context(), settings)
	require.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			keep(t, settings.Out)
		}
		require.NoError(t, stack.Stop())
	})
	t.Logf("up after %.1f s", time.Since(begin).Seconds())
	require.Less(t, time.Since(begin), time.Minute, "the promise of make stack")

	playAgents(t, stack)
	c := client{
		metrics: "http://" + stack.Address(servers.VictoriaMetrics), logs: "http://" + stack.Address(servers.VictoriaLogs), traces: "http://" + stack.Address(servers.Jaeger),
	}
	if stack.Has(servers.Prometheus) {
		c.prometheus = "http://" + stack.Address(servers.Prometheus)
	}
	waitUntil(t, 2*time.Minute, "every line is accepted", func(ctx context.Context) error { return quiet(ctx, c) })

	out := &report{}
	t.Run("panels", func(t *testing.T) { checkPanels(t, c, out) })
	t.Run("rules", func(t *testing.T) { checkRules(t, c, "http://"+stack.Address(servers.VMAlert), out) })
	t.Run("questions", func(t *testing.T) { checkQuestions(t, c, out) })

	t.Run("ended", func(t *testing.T) { checkEnded(t, c, all) })

	require.NoError(t, stack.StopOne(servers.Collector)) // closes open runs and exports the last metrics
	t.Run("traces", func(t *testing.T) { checkTraces(t, c) })
	t.Run("sums", func(t *testing.T) { checkSums(t, c, all, out) })
	if !t.Failed() {
		out.write(t)
	}
}

// playAgents runs the sample agents to their end.
func playAgents(t *testing.T, stack *servers.Stack) {
	t.Helper()
	agent := exec.CommandContext(t.Context(), os.Getenv("TAILSPAN_AGENT"), "-list", "tools/agent/sessions.txt", "-sessions", stack.Sessions(),
		"-tailspan", os.Getenv("TAILSPAN_COMMAND"), "-otlp", "http://"+stack.Address("otlp_http"), "-every", "10s", "-rounds", fmt.Sprint(agentRounds))
	agent.Dir = root
	out, err := agent.CombinedOutput()
	require.NoError(t, err, string(out))
	t.Logf("sample agents:\n%s", out)
}

// quiet returns nil once every sample run has ended and no byte is pending.
func quiet(ctx context.Context, c client) error {
	lag, err := instant(ctx, c.metrics, "sum(otelcol_receiver_agent_stream_lag)")
	if err != nil {
		return err
	}
	if len(lag) != 1 || lag[0].value != 0 {
		return fmt.Errorf("lag is %v", lag)
	}
	open, err := instant(ctx, c.metrics, `sum(tailspan_runs_total{cicd_pipeline_name="deploy",tailspan_run_outcome="incomplete"})`)
	if err != nil {
		return err
	}
	if len(open) != 1 || open[0].value != agentRounds {
		return fmt.Errorf("runs of deploy without an end are %v", open)
	}
	stalled, err := instant(ctx, c.metrics, `ALERTS{alertname="AgentRunsStall",alertstate="firing"}`)
	if err == nil && len(stalled) == 0 {
		err = fmt.Errorf("no alert on stalled runs yet")
	}
	return err
}

// waitUntil calls is each second until it returns nil. The test fails if that takes longer than limit.
func waitUntil(t *testing.T, limit time.Duration, what string, is func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	var last error
	for {
		err := is(ctx)
		if err == nil {
			return
		}
		if ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			require.NoError(t, errors.Join(ctx.Err(), last), "wait until %s", what)
		case <-ticker.C:
		}
	}
}

// keep saves the logs of the servers, to investigate a failure.
func keep(t *testing.T, out string) {
	to := filepath.Join(root, "build", "stack-test")
	if err := os.RemoveAll(to); err != nil {
		t.Log(err)
	}
	if err := os.CopyFS(to, os.DirFS(filepath.Join(out, "log"))); err != nil {
		t.Log(err)
		return
	}
	t.Logf("the logs of the servers are in %s", to)
}
