//go:build unix

package agentrenderexporter

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/metadata"
)

// readerVariable makes this test program one that renders to its standard output until it is stopped.
const readerVariable = "TAILSPAN_TEST_READER"

// TestReaderGoesAway: the signal that kills a process that writes to a closed pipe ends neither the collector nor the
// pipeline. It is a separate process, because the signal is only sent for the standard outputs.
func TestReaderGoesAway(t *testing.T) {
	if os.Getenv(readerVariable) != "" {
		renderToNobody(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestReaderGoesAway$")
	cmd.Env = append(os.Environ(), readerVariable+"=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	next, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	assert.NoError(t, err)
	assert.Equal(t, "One.\n", line)
	require.NoError(t, out.Close())
	_, err = fmt.Fprintln(next)
	require.NoError(t, err)
	_ = cmd.Wait() // the result of the test program fails too
	assert.Equal(t, "went on", stderr.String(), "%v", cmd.ProcessState)
}

// renderToNobody writes a batch to standard output, and some others once nobody reads it any more.
func renderToNobody(t *testing.T) {
	tel := componenttest.NewTelemetry()
	core, logs := observer.New(zap.ErrorLevel)
	set := exportertest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = tel.NewTelemetrySettings()
	set.Logger = zap.New(core)
	out, err := opener(&Config{}, pathPattern{}, zap.NewNop())(outputStdout)
	require.NoError(t, err)
	exp := startedWith(t, set, out, nil)
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(text("a", "One."))))
	_, err = bufio.NewReader(os.Stdin).ReadString('\n')
	require.NoError(t, err)
	for _, words := range []string{"Two.", "Three.", "Four."} {
		require.NoError(t, exp.ConsumeLogs(t.Context(), records(text("a", words), text("b", words))), "a failure would be tried again for good")
	}
	require.EqualValues(t, 6, counted(t, tel, "otelcol_exporter_agent_render_ignored_records")[reasonNoReader])
	require.Equal(t, 1, logs.Len(), "it is logged once")
	require.NoError(t, exp.Shutdown(context.Background()))
	_, _ = io.WriteString(os.Stderr, "went on")
}
