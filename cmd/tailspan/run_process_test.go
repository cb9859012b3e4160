//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
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

	"github.com/tailspan/tailspan/otlp"
)

// TestRunStderrFlood is case 077: a child that floods standard error and fails after it reported success.
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
	require.Eventually(t, func() bool { return len(sink.named("tailspan.session_end")) == 1 }, patience, 5*time.Millisecond, "the end is exported when it is read")
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

// TestRunKillsTheGroup is case 080: the child's own children end with it, and the run's span shows how.
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

// TestRunReaderGoesAway is case 082: the reader of our output is gone. The child continues, and so does the export.
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

// TestRunBlockedConsumers is the other half of case 082: neither a blocked reader nor an endpoint that does not answer
// slows the child down, and nothing is lost afterwards.
func TestRunBlockedConsumers(t *testing.T) {
	plainEnvironment(t)
	sink := newOTLPSink(t)
	open := make(chan struct{})
	sink.answers(func(http.ResponseWriter, *http.Request) bool { <-open; return false })
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
