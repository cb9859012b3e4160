//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/internal/terminaltest"
	"github.com/tailspan/tailspan/otlp"
)

// patience is how long what must come may take, on a machine that has much else to do.
const patience = 2 * time.Minute

// runSpan is the name of the span of a run of Claude Code.
const runSpan = "invoke_agent claude-code"

// output is a writer that a test may wait on.
type output struct{ terminaltest.Buffer }

// has waits until s was written.
func (o *output) has(t *testing.T, s string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(o.String(), s) }, patience, 2*time.Millisecond, "%q", s)
}

// begun is a `tailspan run` at work in this process.
type begun struct {
	stdout, stderr output
	code           chan int
}

// begin starts `tailspan run` in an environment without the variables that it reads.
func begin(t *testing.T, args ...string) *begun {
	t.Helper()
	plainEnvironment(t)
	return beginPlain(args...)
}

// beginPlain starts it in the environment as it is.
func beginPlain(args ...string) *begun {
	b := &begun{code: make(chan int, 1)}
	go func() { b.code <- run(append([]string{"run"}, args...), nil, &b.stdout, &b.stderr) }()
	return b
}

func plainEnvironment(t *testing.T) {
	t.Helper()
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "OTEL_") || name == "TRACEPARENT" || name == "GITHUB_ACTIONS" || name == "GITLAB_CI" {
			t.Setenv(name, "")
		}
	}
	t.Setenv("TMPDIR", t.TempDir())
}

// end waits for it and gives what it wrote.
func (b *begun) end(t *testing.T) (code int, stdout, stderr string) {
	t.Helper()
	select {
	case code = <-b.code:
		return code, b.stdout.String(), b.stderr.String()
	case <-time.After(patience):
		t.Fatalf("still running; stderr: %s", b.stderr.String())
		return 0, "", ""
	}
}

func script(name string) string { return filepath.Join("..", "..", "testdata", "process", name+".sh") }

// noSpool holds that the folder for temporary files is empty.
func noSpool(t *testing.T) {
	t.Helper()
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, left, "spools that were left")
}

// TestRunStderrFlood is case 077: a child that floods standard error and fails after it told success.
func TestRunStderrFlood(t *testing.T) {
	sink := newOTLPSink(t)
	b := begin(t, "--otlp", sink.URL, "--mode", "verbose", "--summary=false", "--", "sh", script("stderr-flood"))
	code, stdout, stderr := b.end(t)
	assert.Equal(t, 3, code)
	assert.Equal(t, "Out.\n", stdout)
	stderr, ours := strings.CutSuffix(stderr, "tailspan: error: exit code 3\n")
	assert.True(t, ours, "the verdict comes last")
	assert.Len(t, stderr, 3_000_000+len("\x1b[31mred\x00\n")+len("debug line number ")*40_000+10+90*2+900*3+9000*4+30_000*5+40_000, "passed on as it is")

	span, _ := sink.span(t, runSpan)
	attrs := span.Attributes().AsRaw()
	assert.EqualValues(t, 3, attrs[otlp.AttrProcessExitCode])
	assert.Equal(t, "result", attrs[otlp.AttrCloseReason])
	assert.Equal(t, "process_exit", attrs[otlp.AttrErrorType])
	assert.Equal(t, ptrace.StatusCodeError, span.Status().Code())
	assert.Equal(t, "exit code 3", span.Status().Message())
	assert.EqualValues(t, 3, attrs[otlp.AttrUsageInput])

	ends := sink.named("tailspan.session_end")
	require.Len(t, ends, 1)
	assert.Equal(t, false, ends[0].Attributes().AsRaw()[otlp.AttrEndError])
	exits := sink.named(otlp.EventNameProcessExited)
	require.Len(t, exits, 1)
	assert.Equal(t, span.SpanID(), exits[0].SpanID())
	kept := exits[0].Attributes().AsRaw()[otlp.AttrProcessStderr].(string)
	assert.LessOrEqual(t, len(kept), 8<<10)
	assert.True(t, strings.HasSuffix(kept, "debug line number 39999"))
	noSpool(t)
}

// TestRunHangsAfterResult is case 079: a child that stays after its result and ignores SIGTERM.
func TestRunHangsAfterResult(t *testing.T) {
	sink := newOTLPSink(t)
	b := begin(t, "--otlp", sink.URL, "--grace", "200ms", "--", "sh", script("hang-after-result"))
	require.Eventually(t, func() bool { return len(sink.named("tailspan.session_end")) == 1 }, patience, 5*time.Millisecond, "the end is told when it is read")
	b.stdout.has(t, "Out.\n")
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	code, _, _ := b.end(t)
	assert.Equal(t, 128+9, code)
	span, _ := sink.span(t, runSpan)
	attrs := span.Attributes().AsRaw()
	assert.Equal(t, "SIGKILL", attrs[otlp.AttrProcessSignal])
	assert.Equal(t, "killed", attrs[otlp.AttrCloseReason])
	assert.Equal(t, "killed", attrs[otlp.AttrRunOutcome], "although its result was good")
	assert.Equal(t, ptrace.StatusCodeError, span.Status().Code())
	noSpool(t)
}

// TestRunKillsTheGroup is case 080: what the child started ends with it, and the run's span says how.
func TestRunKillsTheGroup(t *testing.T) {
	sink := newOTLPSink(t)
	pidFile := filepath.Join(t.TempDir(), "worker.pid")
	t.Setenv("WORKER_PID_FILE", pidFile)
	b := begin(t, "--otlp", sink.URL, "--mode", "quiet", "--", "sh", script("kill-process-group"))
	var worker int
	require.Eventually(t, func() bool {
		data, err := os.ReadFile(pidFile)
		if err != nil {
			return false
		}
		worker, err = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil
	}, patience, 2*time.Millisecond)
	require.NoError(t, syscall.Kill(worker, 0))
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	code, stdout, _ := b.end(t)
	assert.Equal(t, 128+15, code)
	assert.Equal(t, "Run failed: ended by SIGTERM before its result\n", stdout)
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", worker))
	assert.True(t, err != nil || bytes.Contains(stat, []byte(") Z ")), "%s", stat)

	span, _ := sink.span(t, runSpan)
	attrs := span.Attributes().AsRaw()
	assert.Equal(t, "killed", attrs[otlp.AttrCloseReason])
	assert.Equal(t, "killed", attrs[otlp.AttrErrorType])
	assert.Equal(t, "SIGTERM", attrs[otlp.AttrProcessSignal])
	ends := sink.named("tailspan.session_end")
	require.Len(t, ends, 1)
	assert.Equal(t, true, ends[0].Attributes().AsRaw()[otlp.AttrEndError])
	noSpool(t)
}

// TestRunReaderGoesAway is case 082: nobody reads what we write any more. The child goes on, and so does the export.
func TestRunReaderGoesAway(t *testing.T) {
	plainEnvironment(t)
	sink := newOTLPSink(t)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer w.Close()
	var stderr output
	code := make(chan int)
	go func() {
		code <- run([]string{"run", "--otlp", sink.URL, "--export-timeout", "5m", "--", "sh", script("reader-goes-away")}, nil, w, &stderr)
	}()
	one := make([]byte, len("line 0\n"))
	_, err = io.ReadFull(r, one)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	assert.Zero(t, <-code)
	assert.Empty(t, stderr.String(), "no word about it")
	texts := sink.named("tailspan.text")
	require.Equal(t, 100_000, len(texts)) //nolint:testifylint // Len would print all of them
	for i, lr := range texts {
		require.Equal(t, "line "+strconv.Itoa(i), lr.Body().Str(), "nothing lost, in order")
	}
}

// TestRunBlockedConsumers is the other half of case 082: neither a reader that does not read nor an endpoint that does not
// answer slows the child down, and after that nothing is lost.
func TestRunBlockedConsumers(t *testing.T) {
	plainEnvironment(t)
	sink := newOTLPSink(t)
	open := make(chan struct{})
	sink.answer = func(http.ResponseWriter, *http.Request) bool { <-open; return false }
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	done := filepath.Join(t.TempDir(), "done")
	var stderr output
	code := make(chan int)
	go func() {
		code <- run([]string{"run", "--otlp", sink.URL, "--export-timeout", "5m", "--", "sh", "-c", `sh "$1" | head -n 20001 && : > "$2"`, "sh", script("reader-goes-away"), done}, nil, w, &stderr)
	}()
	require.Eventually(t, func() bool { _, err := os.Stat(done); return err == nil }, patience, 5*time.Millisecond, "the child ends although nobody takes anything")
	close(open)
	read := make(chan string)
	go func() { all, _ := io.ReadAll(r); read <- string(all) }()
	assert.Zero(t, <-code, stderr.String())
	require.NoError(t, w.Close())
	var want strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	assert.True(t, want.String() == <-read, "what was rendered") //nolint:testifylint // Equal would print all of it
	assert.Equal(t, 20_000, len(sink.named("tailspan.text")))    //nolint:testifylint // Len would print all of them
	noSpool(t)
}

// TestRunEndpointIsDown holds that an endpoint that accepts no connection changes neither log nor exit code, delays the end by
// no more than one try, and that what was not sent is kept without secrets and delivered by send, with the ids that
// sending the recorded session gives.
func TestRunEndpointIsDown(t *testing.T) {
	sink := newOTLPSink(t)
	sink.Close()
	secret := "ghp_" + strings.Repeat("K7demo", 6)
	session := filepath.Join(t.TempDir(), "session.jsonl")
	recorded, err := os.ReadFile(fixtures + "parity.jsonl")
	require.NoError(t, err)
	recorded = bytes.Replace(recorded, []byte("All tests pass now."), []byte("All tests pass now, "+secret+"."), 1)
	require.NoError(t, os.WriteFile(session, recorded, 0o600))
	b := begin(t, "--otlp", sink.URL, "--export-timeout", "1h", "--", "sh", "-c", `cat "$1"; exit 5`, "sh", session)
	code, stdout, stderr := b.end(t)
	assert.Equal(t, 5, code)
	assert.Contains(t, stdout, "All tests pass now")
	assert.Equal(t, 1, strings.Count(stderr, "sending traces"), stderr)
	assert.Contains(t, stderr, "connection refused")
	spools, err := filepath.Glob(filepath.Join(os.TempDir(), "*.spool"))
	require.NoError(t, err)
	assert.Empty(t, spools, "the output as it was is not kept")
	kept, err := filepath.Glob(filepath.Join(os.TempDir(), "tailspan-unsent-*"))
	require.NoError(t, err)
	require.Len(t, kept, 1)
	assert.Contains(t, stderr, kept[0])
	info, err := os.Stat(kept[0])
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	data, err := os.ReadFile(kept[0])
	require.NoError(t, err)
	assert.NotContains(t, string(data), secret)

	delivered := newOTLPSink(t)
	code, _, stderr = tailspan("", "send", "--otlp", delivered.URL, kept[0])
	require.Zero(t, code, stderr)
	span, _ := delivered.span(t, runSpan)
	assert.EqualValues(t, 5, span.Attributes().AsRaw()[otlp.AttrProcessExitCode])
	assert.NotEmpty(t, delivered.metrics, "the run's metrics are delivered too")

	again := newOTLPSink(t)
	code, _, stderr = tailspan("", "send", "--otlp", again.URL, filepath.Dir(session))
	require.Zero(t, code, stderr)
	same, _ := again.span(t, runSpan)
	assert.Equal(t, span.TraceID(), same.TraceID())
	assert.Equal(t, span.SpanID(), same.SpanID())
}

// TestSendErrors: wrong calls exit with 2, data that no endpoint takes with 1.
func TestSendErrors(t *testing.T) {
	plainEnvironment(t)
	down := newOTLPSink(t)
	down.Close()
	refusing := newOTLPSink(t)
	refusing.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusBadRequest)
		return true
	}
	broken := filepath.Join(t.TempDir(), "kept.jsonl")
	require.NoError(t, os.WriteFile(broken, []byte(`{"resourceSpans":[{]`), 0o600))
	for _, tc := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no file", []string{"--otlp", down.URL}, cli.ExitUsage, "send needs a file"},
		{"no endpoint", []string{fixtures + "parity.jsonl"}, cli.ExitUsage, "send needs an endpoint"},
		{"missing file", []string{"--otlp", down.URL, "missing.jsonl"}, cli.ExitUsage, "no such file"},
		{"nothing matches", []string{"--otlp", down.URL, "*.missing"}, cli.ExitUsage, "no file matches"},
		{"down", []string{"--otlp", down.URL, "--timeout", "300ms", fixtures + "parity.jsonl"}, cli.ExitFailure, "not everything was sent"},
		{"refused", []string{"--otlp", refusing.URL, fixtures + "parity.jsonl"}, cli.ExitFailure, "were refused"},
		{"broken", []string{"--otlp", refusing.URL, broken}, cli.ExitFailure, "line 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, stdout, stderr := tailspan("", append([]string{"send"}, tc.args...)...)
			assert.Equal(t, tc.code, code, stderr)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, tc.want)
		})
	}
}

// TestSendReportsAllErrors: what was wrong with one file is reported too when the endpoint then accepts nothing of the next.
func TestSendReportsAllErrors(t *testing.T) {
	plainEnvironment(t)
	down := newOTLPSink(t)
	down.Close()
	dir := t.TempDir()
	session, err := os.ReadFile(fixtures + "parity.jsonl")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte(`{"resourceSpans":[{]`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.jsonl"), session, 0o600))
	code, _, stderr := tailspan("", "send", "--otlp", down.URL, "--timeout", "300ms", filepath.Join(dir, "*.jsonl"))
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, stderr, "a.jsonl\": line 1")
	assert.Contains(t, stderr, "not everything was sent")
}

// TestSendFamily: sub-agents in files of their own hang under their calls, whichever file is read first, and lines of no known
// format stay where they are.
func TestSendFamily(t *testing.T) {
	folder := filepath.Join("..", "..", "testdata", "claude", "families")
	families, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	require.NotEmpty(t, families)
	work := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(work, "journal.jsonl"), []byte("{\"prompt\":\"private words\"}\n"), 0o600))
	sink := newOTLPSink(t)
	code, _, stderr := tailspan("", "send", "--otlp", sink.URL, folder, work)
	require.Zero(t, code, stderr)
	assert.Empty(t, otlpjson.Check(sink.traces...))
	assert.Contains(t, stderr, "skipped 1 line of no known format")
	assert.Empty(t, sink.named("tailspan.raw"))
}

// TestRunEndpointRecovers refuses the first requests.
func TestRunEndpointRecovers(t *testing.T) {
	sink := newOTLPSink(t)
	refuse := 3
	sink.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		if refuse--; refuse < 0 {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	b := begin(t, "--otlp", sink.URL, "--", "cat", fixtures+"parity.jsonl")
	code, _, stderr := b.end(t)
	assert.Zero(t, code)
	assert.Equal(t, 2, strings.Count(stderr, "tailspan:"), stderr)
	assert.Regexp(t, `sending (traces|logs) works again`, stderr)
	span, _ := sink.span(t, runSpan)
	assert.EqualValues(t, 0, span.Attributes().AsRaw()[otlp.AttrProcessExitCode])
	ids := map[string]bool{}
	for _, lr := range sink.records {
		uid := lr.Attributes().AsRaw()[otlp.AttrLogRecordUID].(string)
		assert.False(t, ids[uid], "twice")
		ids[uid] = true
	}
}

// TestRunIdentity holds where pipeline, step, persona and the outer span come from.
func TestRunIdentity(t *testing.T) {
	sink := newOTLPSink(t)
	plainEnvironment(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", sink.URL+"/")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=made%20up")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "team=ops,cicd.pipeline.name=other")
	t.Setenv("TRACEPARENT", "00-0102030405060708090a0b0c0d0e0f10-0102030405060708-01")
	var stdout, stderr output
	code := run([]string{"run", "--pipeline", "nightly", "--run-id", "7", "--step", "fix", "--persona", "fixer", "--", "cat", fixtures + "parity.jsonl"}, nil, &stdout, &stderr)
	require.Zero(t, code, stderr.String())
	span, resource := sink.span(t, "invoke_agent fixer")
	assert.Equal(t, "0102030405060708090a0b0c0d0e0f10", span.TraceID().String())
	assert.Equal(t, "0102030405060708", span.ParentSpanID().String())
	for key, want := range map[string]string{
		otlp.AttrPipelineName: "nightly", otlp.AttrPipelineRunID: "7", otlp.AttrTaskName: "fix",
		"team": "ops", otlp.AttrServiceName: "claude-code",
	} {
		assert.Equal(t, want, resource[key], key)
	}
	for _, r := range sink.seen {
		assert.Equal(t, "made up", r.Header.Get("X-Team"))
		assert.Equal(t, "application/x-protobuf", r.Header.Get("Content-Type"))
		assert.True(t, strings.HasPrefix(r.Header.Get("User-Agent"), "tailspan/"))
	}
}

// TestRunWithABrokenEnvironment holds that what others set in the environment does not keep an agent from running.
func TestRunWithABrokenEnvironment(t *testing.T) {
	plainEnvironment(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317")
	t.Setenv("TRACEPARENT", "no")
	var stdout, stderr output
	assert.Equal(t, 4, run([]string{"run", "--", "sh", "-c", "echo words; exit 4"}, nil, &stdout, &stderr))
	assert.Equal(t, "words\n", stdout.String())
	assert.Contains(t, stderr.String(), "nothing is sent: OTEL_EXPORTER_OTLP_ENDPOINT must be a URL")
}

// TestRunRedacts holds that secrets leave neither in the log nor in what is sent, nor by standard error's end.
func TestRunRedacts(t *testing.T) {
	const made = "gh" + "p_0123456789abcdefghijklmnopqrstuvwxyz"
	sink := newOTLPSink(t)
	line := `{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"it is ` + made + `"}]},"session_id":"s1"}`
	b := begin(t, "--otlp", sink.URL, "--", "sh", "-c", `echo "$1"; echo "no `+made+`" >&2; exit 1`, "sh", line)
	code, stdout, _ := b.end(t)
	assert.Equal(t, 1, code)
	assert.Equal(t, "it is [redacted:github]\n", stdout)
	exits := sink.named(otlp.EventNameProcessExited)
	require.Len(t, exits, 1)
	assert.Equal(t, "no [redacted:github]", exits[0].Attributes().AsRaw()[otlp.AttrProcessStderr])
	for _, lr := range sink.named("tailspan.text") {
		assert.NotContains(t, lr.Body().Str(), made)
	}
}

// TestRunOutputs holds what goes where: the file of --raw, the modes, documents, and programs of no known format.
func TestRunOutputs(t *testing.T) {
	parity, err := os.ReadFile(fixtures + "parity.jsonl")
	require.NoError(t, err)
	raw := filepath.Join(t.TempDir(), "raw.jsonl")
	b := begin(t, "--raw", raw, "--mode", "json", "--pipe", "--", "cat", fixtures+"parity.jsonl")
	code, stdout, stderr := b.end(t)
	require.Zero(t, code, stderr)
	assert.Equal(t, string(parity), stdout)
	kept, err := os.ReadFile(raw)
	require.NoError(t, err)
	assert.Equal(t, parity, kept)

	_, want, _ := tailspan("", "render", "--mode", "verbose", fixtures+"parity.jsonl")
	_, stdout, _ = begin(t, "--mode", "verbose", "--", "cat", fixtures+"parity.jsonl").end(t)
	assert.Equal(t, want, stdout)

	_, stdout, stderr = begin(t, "--mode", "verbose", "--style", "activity", "--", "cat", fixtures+"parity.jsonl").end(t)
	assert.Contains(t, stdout, "All tests pass now.")
	assert.NotContains(t, stdout, "Bash go test")
	assert.Contains(t, stderr, "finished", "the lines beside the text")

	_, stdout, _ = begin(t, "--", "cat", "../../testdata/gemini/case-rewritten-3.session.json").end(t)
	assert.Equal(t, "Going.\nGone.\n", stdout, "a document")
}

// TestRunSendsDocuments holds that a document is sent as what it tells, not as lines.
func TestRunSendsDocuments(t *testing.T) {
	sink := newOTLPSink(t)
	code, _, stderr := begin(t, "--otlp", sink.URL, "--", "cat", "../../testdata/gemini/case-rewritten-3.session.json").end(t)
	require.Zero(t, code, stderr)
	var texts []string
	for _, lr := range sink.named("tailspan.text") {
		texts = append(texts, lr.Body().Str())
	}
	assert.Equal(t, []string{"Going.", "Gone."}, texts)
	assert.Empty(t, sink.named(otlp.EventNameRaw))
}

// TestRunFullSpool holds that a run whose output was dropped is marked.
func TestRunFullSpool(t *testing.T) {
	sink := newOTLPSink(t)
	code, _, stderr := begin(t, "--otlp", sink.URL, "--max-spool", "5000", "--", "sh", script("reader-goes-away")).end(t)
	assert.Zero(t, code)
	assert.Contains(t, stderr, "spool is full: 5000 bytes")
	assert.Regexp(t, `dropped \d{7,8} bytes of the command's output`, stderr)
	span, _ := sink.span(t, runSpan)
	attrs := span.Attributes().AsRaw()
	assert.Equal(t, "truncated", attrs[otlp.AttrCloseReason])
	assert.Greater(t, attrs[otlp.AttrProcessDropped], int64(1_000_000))
}

// TestRunOfNothing holds that a program that says nothing leaves a word of how it ended.
func TestRunOfNothing(t *testing.T) {
	sink := newOTLPSink(t)
	code, stdout, _ := begin(t, "--otlp", sink.URL, "--", "sh", "-c", "echo no key >&2; exit 2").end(t)
	assert.Equal(t, 2, code)
	assert.Empty(t, stdout)
	exits := sink.named(otlp.EventNameProcessExited)
	require.Len(t, exits, 1)
	assert.Equal(t, "exit code 2", exits[0].Body().Str())
	assert.Equal(t, "no key", exits[0].Attributes().AsRaw()[otlp.AttrProcessStderr])
	span, _ := sink.span(t, "sh")
	assert.Equal(t, ptrace.StatusCodeError, span.Status().Code())
	assert.EqualValues(t, 2, span.Attributes().AsRaw()[otlp.AttrProcessExitCode])
	assert.Equal(t, span.SpanID(), exits[0].SpanID())
}

// TestRunOfText has a program that writes no stream: one hint says so, and its step and its process have their spans.
func TestRunOfText(t *testing.T) {
	sink := newOTLPSink(t)
	plainEnvironment(t)
	b := beginPlain("--otlp", sink.URL, "--pipeline", "nightly", "--run-id", "7", "--step", "fix", "--", "sh", "-c", "echo Fixed.; echo All of it.")
	code, stdout, stderr := b.end(t)
	assert.Zero(t, code)
	assert.Equal(t, "Fixed.\nAll of it.\n", stdout)
	assert.Equal(t, "tailspan: the command's output is not recognised and shown as it is; if it is an agent's, --provider names whose\n", stderr)
	span, _ := sink.span(t, "sh")
	step, _ := sink.span(t, "fix")
	assert.Equal(t, step.SpanID(), span.ParentSpanID())
	assert.Equal(t, step.TraceID(), span.TraceID())
	assert.Equal(t, ptrace.StatusCodeUnset, span.Status().Code())
	assert.Positive(t, span.EndTimestamp()-span.StartTimestamp(), "it took some time")
	assert.Equal(t, "success", step.Attributes().AsRaw()["cicd.pipeline.task.run.result"])
	assert.Empty(t, otlpjson.Check(sink.traces...))

	agent := filepath.Join(t.TempDir(), "claude")
	require.NoError(t, os.WriteFile(agent, []byte("#!/bin/sh\necho Fixed.\n"), 0o700)) //nolint:gosec // a program
	_, _, stderr = begin(t, "--", agent, "-p", "x").end(t)
	assert.Equal(t, 1, strings.Count(stderr, "tailspan: "), stderr)
	assert.Contains(t, stderr, "run --stream has it write its stream")
	_, _, stderr = begin(t, "--provider", "none", "--", "echo", "Fixed.").end(t)
	assert.Empty(t, stderr)
	_, _, stderr = begin(t, "--provider", "claude", "--", "echo", "plain text").end(t)
	assert.Contains(t, stderr, "tailspan: 1 line not understood (malformed), of 1\ntailspan: no line is one of claude; --provider auto finds out whose they are\n")
	_, _, stderr = begin(t, "--max-cost", "1", "--", "echo", "Fixed.").end(t)
	assert.Contains(t, stderr, "--provider names whose; its tokens, cost and refused calls are not known, so --max-tokens, --max-cost and denied of --fail-on have no effect\n")
}

func TestRunUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"run needs a command":                                                         {"run"},
		"--max-cost must be positive and finite, got 0":                               {"run", "--max-cost", "0", "--", "true"},
		"--max-cost must be positive and finite, got +Inf":                            {"run", "--max-cost", "inf", "--", "true"},
		"--max-tokens must be positive and finite, got 0":                             {"run", "--max-tokens", "0", "--", "true"},
		"--max-time must be positive and finite, got -1s":                             {"run", "--max-time", "-1s", "--", "true"},
		"--stall-after must be positive and finite, got 0s":                           {"run", "--stall-after", "0", "--", "true"},
		`--fail-on must name a verdict (error, incomplete, denied, empty), got ""`:    {"run", "--fail-on", "", "--", "true"},
		"a value is missing behind --step":                                            {"run", "--step", "--", "cat", "f"},
		"run needs a command: ":                                                       {"run", "--", ""},
		`--raw and --events name the same file "both"`:                                {"run", "--raw", "./both", "--events", "both", "--", "true"},
		`--events and --summary-file name the same file "x/../both"`:                  {"run", "--events", "both", "--summary-file", "x/../both", "--", "true"},
		`--trace-url must be a URL of http or https, got "javascript:{trace_id}"`:     {"run", "--summary-file", "s", "--trace-url", "javascript:{trace_id}", "--", "true"},
		"grace must be positive, got 0s":                                              {"run", "--grace", "0s", "--", "true"},
		`--max-spool must be positive, got "-1"`:                                      {"run", "--max-spool", "-1", "--", "true"},
		`--max-spool must be positive, got "0"`:                                       {"run", "--max-spool", "0", "--", "true"},
		`--max-spool must be a number of bytes or have a unit as in 2MiB, got "much"`: {"run", "--max-spool", "much", "--", "true"},
		"--grace must be a duration such as 30s or 5m, got \"soon\"":                  {"run", "--grace", "soon", "--", "true"},
		"--events - would show the texts that --show names leaves out":                {"run", "--events", "-", "--show", "names", "--", "true"},
		"export-timeout must not be negative, got -1s":                                {"run", "--export-timeout", "-1s", "--", "true"},
		`--max-line-size must be positive, got "0"`:                                   {"run", "--max-line-size", "0", "--", "true"},
		`--provider must be one of claude, codex, `:                                   {"run", "--provider", "cloud", "--", "true"},
		"no program whose flags for streaming":                                        {"run", "--stream", "--", "true"},
		"otlp must be a URL of http or https, such as http://localhost:4318":          {"run", "--otlp", "collector:4317", "--", "true"},
		"mode must be one of":                                                         {"run", "--mode", "loud", "--", "true"},
	} {
		code, stdout, stderr := tailspan("", args...)
		assert.Equal(t, cli.ExitUsage, code, args)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, want)
	}
	code, stdout, _ := tailspan("", "run", "--help")
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, stdout, "usage: tailspan run [flags] -- COMMAND")

	code, _, stderr := tailspan("", "run", "--", "tailspan-no-such-program")
	assert.Equal(t, cli.ExitNotFound, code)
	assert.Contains(t, stderr, `start "tailspan-no-such-program"`)
	file := filepath.Join(t.TempDir(), "no-program")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	code, _, _ = tailspan("", "run", "--", file)
	assert.Equal(t, cli.ExitNotExecutable, code)
}
