//go:build unix

package agentstreamreceiver_test

import (
	"bytes"
	"context"
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
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
	"github.com/tailspan/tailspan/tail"
)

// configOf returns the configuration of commands, without files.
func configOf(t *testing.T, commands ...config.Command) *agentstreamreceiver.Config {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	cfg := configFor()
	cfg.Commands = commands
	return cfg
}

func script(name string) []string {
	return []string{"sh", filepath.Join("..", "..", "testdata", "process", name+".sh")}
}

func TestCommandsNeedTheirGate(t *testing.T) {
	cfg := configOf(t, config.Command{Command: []string{"true"}})
	err := cfg.Validate()
	require.ErrorContains(t, err, "commands are disabled")
	assert.ErrorContains(t, err, "--feature-gates=receiver.agent_stream.commands")
	openGate(t)
	require.NoError(t, cfg.Validate(), "and no include is needed")
}

func TestCommandErrors(t *testing.T) {
	openGate(t)
	for want, command := range map[string]config.Command{
		"commands[0]: command must name a program":                        {},
		"commands[0]: grace_period must not be negative, got -1s":         {Command: []string{"true"}, GracePeriod: -time.Second},
		"commands[0]: provider must be one of":                            {Command: []string{"true"}, Provider: "clod"},
		"commands[0]: env must have variable names without an equal sign": {Command: []string{"true"}, Env: map[string]string{"a=": "x"}},
		"commands[0]: ask for a stream":                                   {Command: []string{"true"}, StreamFlags: true},
	} {
		assert.ErrorContains(t, configOf(t, command).Validate(), want)
	}
}

// exits returns the records of ended processes.
func (r *rig) exits() []map[string]any {
	var all []map[string]any
	for _, ld := range r.logs.AllLogs() {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, lr := range sl.LogRecords().All() {
					if lr.EventName() == otlp.EventNameProcessExited {
						all = append(all, lr.Attributes().AsRaw())
					}
				}
			}
		}
	}
	return all
}

// TestCommand runs an agent to its end: case 077, by the receiver.
func TestCommand(t *testing.T) {
	openGate(t)
	dir := t.TempDir()
	words := []string{"sh", "-c", `pwd -P > "$OUT"; sh "$1"; exit 3`, "sh", absolute(t, script("stderr-flood")[1])}
	r := start(t, configOf(t, config.Command{
		Command: words, Dir: dir, Env: map[string]string{"OUT": filepath.Join(dir, "pwd")},
		Persona: "fixer", Pipeline: config.Pipeline{Name: "nightly", RunID: "7", Task: "fix"}, Resource: map[string]string{"team": "ops"},
	}), nil)
	require.Eventually(t, func() bool { return len(r.exits()) == 1 }, wait, tick)
	exit := r.exits()[0]
	assert.EqualValues(t, 3, exit[otlp.AttrProcessExitCode])
	assert.LessOrEqual(t, len(exit[otlp.AttrProcessStderr].(string)), 8<<10)
	r.stop()
	found := false
	for _, td := range r.traces.AllTraces() {
		for _, rs := range td.ResourceSpans().All() {
			for _, span := range rs.ScopeSpans().At(0).Spans().All() {
				if span.Name() != "invoke_agent fixer" {
					continue
				}
				found = true
				assert.EqualValues(t, 3, span.Attributes().AsRaw()[otlp.AttrProcessExitCode])
				assert.Equal(t, "ops", rs.Resource().Attributes().AsRaw()["team"])
				assert.Equal(t, "nightly", rs.Resource().Attributes().AsRaw()[otlp.AttrPipelineName])
			}
		}
	}
	assert.True(t, found)
	at, err := os.ReadFile(filepath.Join(dir, "pwd"))
	require.NoError(t, err)
	resolved, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	assert.Equal(t, resolved, strings.TrimSpace(string(at)))
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, left, "spools that were left")
	require.Len(t, r.logged.FilterMessage("command ended").All(), 1)
	said := r.logged.FilterMessage("command ended").All()[0].ContextMap()["stderr"].(string)
	assert.NotContains(t, said, "\x1b")
}

// TestCommandIsAskedForAStream: with stream_flags the program runs with the flags that make it write a stream, otherwise unchanged.
func TestCommandIsAskedForAStream(t *testing.T) {
	openGate(t)
	dir := t.TempDir()
	program := filepath.Join(dir, "claude")
	require.NoError(t, os.WriteFile(program, []byte(`echo "$*" > "$OUT"`), 0o600))
	for stream, want := range map[bool]string{
		true:  "--output-format stream-json --verbose --include-partial-messages -p fix it\n",
		false: "-p fix it\n",
	} {
		out := filepath.Join(dir, strconv.FormatBool(stream))
		r := start(t, configOf(t, config.Command{Command: []string{"sh", program, "-p", "fix it"}, StreamFlags: stream, Env: map[string]string{"OUT": out}}), nil)
		require.Eventually(t, func() bool { return len(r.logged.FilterMessage("command ended").All()) == 1 }, wait, tick)
		r.stop()
		said, err := os.ReadFile(out)
		require.NoError(t, err)
		assert.Equal(t, want, string(said), "stream %v", stream)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	return path
}

// TestCommandWithAPipe floods a pipe while the consumer refuses: the command ends all the same, input beyond its spool is
// counted, and its run is marked. The spool is where the settings say, and is removed in the end.
func TestCommandWithAPipe(t *testing.T) {
	openGate(t)
	cfg := configOf(t, config.Command{Command: []string{
		"sh", "-c", `cat "$0"; head -c 300000 /dev/zero | tr '\0' x`, absolute(t, filepath.Join("..", "..", "testdata", "claude", "parity.jsonl")),
	}, Pipe: true})
	cfg.Spool = config.Spool{Directory: filepath.Join(t.TempDir(), "spools"), MaxSize: 15_000}
	v := &valve{LogsSink: &consumertest.LogsSink{}}
	r := start(t, cfg, v)
	require.Eventually(t, func() bool {
		return v.refused.Load() > 0 && len(r.logged.FilterMessageSnippet("dropping command output").All()) == 1
	}, wait, tick)
	require.Len(t, spools(t, cfg), 1)
	v.open.Store(true)
	require.Eventually(t, func() bool { return len(spools(t, cfg)) == 0 }, wait, tick)
	r.stop()
	dropped := r.metric("otelcol_receiver_agent_stream_input_dropped", "reason", "spool_full")
	assert.Greater(t, dropped, int64(300_000-1))
	require.Equal(t, 1, spansOf(r, "invoke_agent claude-code"))
	for _, s := range r.spans() {
		if s.Name() == "invoke_agent claude-code" {
			assert.Equal(t, dropped, s.Attributes().AsRaw()[otlp.AttrProcessDropped])
			assert.Equal(t, "truncated", s.Attributes().AsRaw()[otlp.AttrCloseReason])
		}
	}
}

// TestCommandTruncatesItsOutput: what a command removes from its own output is counted, and reported with advice.
func TestCommandTruncatesItsOutput(t *testing.T) {
	openGate(t)
	cfg := configOf(t, config.Command{Command: []string{
		"sh", "-c", `cat "$0"; echo done > /dev/stdout`, absolute(t, filepath.Join("..", "..", "testdata", "claude", "parity.jsonl")),
	}})
	cfg.Spool.Directory = filepath.Join(t.TempDir(), "spools")
	r := start(t, cfg, &consumertest.LogsSink{})
	require.Eventually(t, func() bool { return len(r.logged.FilterMessage("command truncated its own output").All()) == 1 }, wait, tick)
	r.stop()
	assert.Positive(t, r.metric("otelcol_receiver_agent_stream_input_dropped", "reason", "truncated"))
}

// TestCommandHangs is case 079: the end is exported when it is read, and a shutdown does not wait for an agent that ignores it.
func TestCommandHangs(t *testing.T) {
	openGate(t)
	r := start(t, configOf(t, config.Command{Command: script("hang-after-result"), GracePeriod: 100 * time.Millisecond}), nil)
	require.Eventually(t, func() bool { return r.has("tailspan.session_end") }, wait, tick)
	r.stop()
	require.Len(t, r.exits(), 1)
	assert.Equal(t, "SIGKILL", r.exits()[0][otlp.AttrProcessSignal])
}

// has reports whether there is a record with an event name.
func (r *rig) has(event string) bool {
	for _, ld := range r.logs.AllLogs() {
		for _, rl := range ld.ResourceLogs().All() {
			for _, lr := range rl.ScopeLogs().At(0).LogRecords().All() {
				if lr.EventName() == event {
					return true
				}
			}
		}
	}
	return false
}

// TestCommandsEndWithTheReceiver is case 080: processes that an agent started end with it.
func TestCommandsEndWithTheReceiver(t *testing.T) {
	openGate(t)
	file := filepath.Join(t.TempDir(), "worker.pid")
	r := start(t, configOf(t, config.Command{Command: script("kill-process-group"), Env: map[string]string{"WORKER_PID_FILE": file}, GracePeriod: time.Hour}), nil)
	var worker int
	require.Eventually(t, func() bool {
		data, err := os.ReadFile(file)
		if err != nil {
			return false
		}
		worker, err = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil
	}, wait, tick)
	require.NoError(t, syscall.Kill(worker, 0))
	inTime(t, r.stop)
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", worker))
	assert.True(t, err != nil || bytes.Contains(stat, []byte(") Z ")), "%s", stat)
	assert.True(t, r.has("tailspan.session_end"))
	require.Len(t, r.exits(), 1)
	assert.Equal(t, "SIGTERM", r.exits()[0][otlp.AttrProcessSignal])
}

// TestCommandThatCannotStart checks that a failed start leaves no process behind.
func TestCommandThatCannotStart(t *testing.T) {
	openGate(t)
	cfg := configOf(t, config.Command{Command: script("hang-after-result"), GracePeriod: 50 * time.Millisecond}, config.Command{Command: []string{"tailspan-no-such-program"}})
	require.NoError(t, cfg.Validate())
	factory := agentstreamreceiver.NewFactory()
	logs, err := factory.CreateLogs(t.Context(), receivertest.NewNopSettings(factory.Type()), cfg, consumertest.NewNop())
	require.NoError(t, err)
	err = logs.Start(t.Context(), componenttest.NewNopHost())
	require.ErrorContains(t, err, `commands[1]: start "tailspan-no-such-program"`)
	assert.NotContains(t, err.Error(), "is a list")
	require.NoError(t, logs.Shutdown(context.Background()))
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestCommandAsOneWord is a command written as a shell command line.
func TestCommandAsOneWord(t *testing.T) {
	openGate(t)
	for _, line := range []string{"tailspan-no-such-program -p passphrase", "/nowhere/tailspan-no-such-program -p passphrase"} {
		cfg := configOf(t, config.Command{Command: []string{line}})
		factory := agentstreamreceiver.NewFactory()
		logs, err := factory.CreateLogs(t.Context(), receivertest.NewNopSettings(factory.Type()), cfg, consumertest.NewNop())
		require.NoError(t, err)
		err = logs.Start(t.Context(), componenttest.NewNopHost())
		program, _, _ := strings.Cut(line, " ")
		require.ErrorContains(t, err, "write command as a list, ["+program+", ...]")
		assert.NotContains(t, err.Error(), "passphrase", "what is behind the program may be a secret")
		require.NoError(t, logs.Shutdown(context.Background()))
	}
}

// TestQuietStreamExportsNothingTwice checks that lines of no known format, exported unchanged, are not exported again when their
// stream has become quiet.
func TestQuietStreamExportsNothingTwice(t *testing.T) {
	factory := agentstreamreceiver.NewFactory()
	sink := &consumertest.LogsSink{}
	r, err := agentstreamreceiver.NewInside(receivertest.NewNopSettings(factory.Type()), configFor("x"), nil, sink)
	require.NoError(t, err)
	t.Cleanup(r.End)
	st, err := r.OpenSpooled(tail.Stream{ID: "s"}, "none")
	require.NoError(t, err)
	require.NoError(t, st.Lines(t.Context(), []tail.Line{{Data: []byte("one")}, {Data: []byte("two"), Offset: 4}}))
	st.Quieten()
	require.NoError(t, st.Tick(t.Context()))
	require.NoError(t, st.Tick(t.Context()))
	assert.Equal(t, 2, sink.LogRecordCount())
}

// TestCommandThatEndsAfterItsStream: what a command has open when it closes its output is closed with the exit of the command,
// whether its output is a file or a pipe.
func TestCommandThatEndsAfterItsStream(t *testing.T) {
	openGate(t)
	const lines = `echo '{"type":"thread.started","thread_id":"01a22262-4a75-7f00-bc65-c8161cd997f8"}'; echo '{"type":"turn.started"}'
echo '{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"sleep 25","aggregated_output":"","exit_code":null,"status":"in_progress"}}'
exec >/dev/null; while [ ! -e "$GO" ]; do sleep 0.01; done; kill -TERM $$`
	for _, pipe := range []bool{false, true} {
		t.Run(fmt.Sprint("pipe=", pipe), func(t *testing.T) {
			goOn := filepath.Join(t.TempDir(), "go")
			r := start(t, configOf(t, config.Command{Command: []string{"sh", "-c", lines}, Env: map[string]string{"GO": goOn}, Pipe: pipe}), nil)
			require.Eventually(t, func() bool {
				return r.metric("otelcol_receiver_agent_stream_lines", "provider", "codex") == 3
			}, wait, tick)
			assert.Empty(t, r.spanNames(), "it is at work")
			require.NoError(t, os.WriteFile(goOn, nil, 0o600))
			require.Eventually(t, func() bool { return len(r.exits()) == 1 }, wait, tick)
			r.stop()
			require.Len(t, r.spans(), 2)
			for _, s := range r.spans() {
				assert.Equal(t, "killed", s.Attributes().AsRaw()[otlp.AttrCloseReason], s.Name())
			}
		})
	}
}
