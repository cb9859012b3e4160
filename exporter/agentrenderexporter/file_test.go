package agentrenderexporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/metadata"
)

func TestRotation(t *testing.T) {
	folder := t.TempDir()
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.Output = filepath.Join(folder, "sub", "{cicd.pipeline.task.name}.log")
	cfg.Rotation.Enabled, cfg.Rotation.MaxMegabytes = true, 1
	exp, err := NewFactory().CreateLogs(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	require.NoError(t, exp.Start(t.Context(), componenttest.NewNopHost()))
	var want strings.Builder
	for batch := range 5 {
		var items []item
		for i := range 60 {
			line := fmt.Sprintf("batch %d line %d %s", batch, i, strings.Repeat("x", 10_000))
			want.WriteString(line + "\n")
			items = append(items, text("s", line))
		}
		require.NoError(t, exp.ConsumeLogs(t.Context(), of("p", "build", records(items...))))
	}
	long := strings.Repeat("y", 2*megabyte)
	require.NoError(t, exp.ConsumeLogs(t.Context(), of("p", "build", records(text("s", long)))))
	want.WriteString(long + "\n")
	require.NoError(t, exp.Shutdown(t.Context()))

	entries, err := os.ReadDir(filepath.Join(folder, "sub"))
	require.NoError(t, err)
	require.Greater(t, len(entries), 3)
	var got strings.Builder
	last := ""
	for _, e := range entries { // backups sort by time, before the present file
		data, err := os.ReadFile(filepath.Join(folder, "sub", e.Name()))
		require.NoError(t, err)
		assert.LessOrEqual(t, len(data), megabyte, e.Name())
		if e.Name() == "build.log" {
			last = string(data)
			continue
		}
		if bytes.HasPrefix(data, []byte("batch")) && !bytes.Contains(data, []byte("yy")) {
			assert.True(t, bytes.HasSuffix(data, []byte("\n")), "%s ends inside a line", e.Name())
		}
		got.Write(data)
	}
	got.WriteString(last)
	assert.Equal(t, want.Len(), got.Len())
	assert.True(t, want.String() == got.String(), "every byte is there, in order") //nolint:testifylint // Equal would print all of them
}

func TestRotationReportsABadPathAtTheStart(t *testing.T) {
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.Output, cfg.Rotation.Enabled = t.TempDir(), true
	exp, err := NewFactory().CreateLogs(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	assert.ErrorContains(t, exp.Start(t.Context(), componenttest.NewNopHost()), "open output ")
}

// failsToClose is an output whose Close fails.
type failsToClose struct{ io.Writer }

var errClose = errors.New("quota exceeded")

func (failsToClose) Close() error { return errClose }

func TestFailedCloseIsReported(t *testing.T) {
	exp := startedWith(t, exportertest.NewNopSettings(metadata.Type), failsToClose{io.Discard}, nil)
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(text("s", "words"))))
	assert.ErrorIs(t, exp.Shutdown(t.Context()), errClose)
}

// TestFileIsFollowedToItsPath checks that a log continues under its path if others remove the file or its folder, or rotate
// the file, with and without rotation.
func TestFileIsFollowedToItsPath(t *testing.T) {
	for _, rotation := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "logs")
		path := filepath.Join(dir, "a.log")
		write := onFile(t, path, rotation)
		write("one\n")
		require.NoError(t, os.RemoveAll(dir))
		write("two\n")
		assert.Equal(t, "two\n", contentOf(t, path), "rotation %t: the folder was removed", rotation)
		require.NoError(t, os.Rename(path, path+".1"))
		write("three\n")
		assert.Equal(t, "three\n", contentOf(t, path), "rotation %t: the file was put aside", rotation)
		assert.Equal(t, "two\n", contentOf(t, path+".1"), "rotation %t", rotation)
		require.NoError(t, os.Truncate(path, 0))
		write("four\n")
		assert.Equal(t, "four\n", contentOf(t, path), "rotation %t: the file was emptied", rotation)
	}
}

// TestTwoExportersOfOneFile checks that two exporters can share a file, and that both follow if one of them rotates it.
func TestTwoExportersOfOneFile(t *testing.T) {
	for _, rotation := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.log")
		a, b := onFile(t, path, rotation), onFile(t, path, rotation)
		long := strings.Repeat("x", 99) + "\n"
		for i := range 40 {
			a(fmt.Sprintf("a%02d\n%s", i, strings.Repeat(long, 500)))
			b(fmt.Sprintf("b%02d\n%s", i, strings.Repeat(long, 500)))
		}
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		assert.Equal(t, rotation, len(files) > 2, "%v", files)
		seen := map[string]int{}
		for _, file := range files {
			for line := range strings.Lines(contentOf(t, file)) {
				if len(line) == 4 {
					seen[line[:3]]++
				} else {
					require.Equal(t, long, line)
					seen["long"]++
				}
			}
		}
		assert.Len(t, seen, 81, "rotation %t", rotation)
		assert.Equal(t, 40000, seen["long"], "rotation %t", rotation)
	}
}

// TestFullDisk checks that a full disk is an error for every batch, and that the log is complete once there is room.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	path := filepath.Join(t.TempDir(), "a.log")
	require.NoError(t, os.Symlink("/dev/full", path))
	exp := fileExporter(t, path, false)
	batch := records(text("s", "one\n"), item{session: "s", uid: "u", event: text("s", "two\n").event})
	for range 3 {
		require.ErrorIs(t, exp.ConsumeLogs(t.Context(), batch), syscall.ENOSPC)
	}
	require.NoError(t, os.Remove(path))
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(text("s", "three\n"))))
	assert.Equal(t, "one\ntwo\nthree\n", contentOf(t, path))
}

// TestUnsafePathHindersNobody: a link in the place of one file is not followed, the text rendered for it is counted and logged
// once, and the other files are written.
func TestUnsafePathHindersNobody(t *testing.T) {
	tel := componenttest.NewTelemetry()
	t.Cleanup(func() { require.NoError(t, tel.Shutdown(context.Background())) })
	core, logged := observer.New(zap.ErrorLevel)
	set := exportertest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = tel.NewTelemetrySettings()
	set.Logger = zap.New(core)
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	require.NoError(t, os.WriteFile(victim, nil, 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "logs", "p"), 0o700))
	require.NoError(t, os.Symlink(victim, filepath.Join(dir, "logs", "p", "linked.log")))
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "logs", "folder")))
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.Output, cfg.MaxOpenFiles = filepath.Join(dir, "logs", "{cicd.pipeline.name}", "{cicd.pipeline.task.name}.log"), 1
	exp, err := NewFactory().CreateLogs(t.Context(), set, cfg)
	require.NoError(t, err)
	host := &statusHost{}
	require.NoError(t, exp.Start(t.Context(), host))
	for range 2 {
		require.NoError(t, exp.ConsumeLogs(t.Context(), joined(
			of("p", "linked", records(text("s1", "one"), text("s1", "two"))),
			of("folder", "x", records(text("s2", "three"))),
			of("p", "plain", records(text("s3", "four"))),
		)))
	}
	require.NoError(t, exp.Shutdown(t.Context()))
	assert.Empty(t, contentOf(t, victim))
	assert.NoFileExists(t, filepath.Join(dir, "x.log"))
	assert.Equal(t, "four\nfour\n", contentOf(t, filepath.Join(dir, "logs", "p", "plain.log")))
	assert.Equal(t, map[string]int64{"unsafe_path": 6}, counted(t, tel, "otelcol_exporter_agent_render_ignored_records"))
	assert.Equal(t, 2, logged.Len(), "%v", logged.All())
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError}, host.reported)
}

func fileExporter(t *testing.T, path string, rotation bool) exporter.Logs {
	t.Helper()
	factory := NewFactory()
	cfg := factory.CreateDefaultConfig().(*Config)
	cfg.Output, cfg.RetryConfig.Enabled = path, false
	cfg.Rotation.Enabled, cfg.Rotation.MaxMegabytes = rotation, 1
	exp, err := factory.CreateLogs(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	require.NoError(t, exp.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { assert.NoError(t, exp.Shutdown(context.Background())) })
	return exp
}

// onFile is a running exporter that writes texts to a file.
func onFile(t *testing.T, path string, rotation bool) (write func(words string)) {
	exp := fileExporter(t, path, rotation)
	return func(words string) {
		t.Helper()
		require.NoError(t, exp.ConsumeLogs(t.Context(), records(text("s", words))))
	}
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}
