//go:build linux

package trial

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/otlp"
)

// smallDisk is a disk of a few megabytes that only programs run within it see.
type smallDisk struct {
	t      *testing.T
	dir    string   // path for these programs
	seen   string   // path for the test
	within []string // words that run a program there
}

func newSmallDisk(t *testing.T, size string) *smallDisk {
	t.Helper()
	dir := t.TempDir()
	holder := exec.Command("unshare", "--mount", "--map-root-user", "sh", "-c", `mount -t tmpfs -o size="$1" tmpfs "$2" && echo mounted && exec cat`, "sh", size, dir)
	in, err := holder.StdinPipe() // closing it ends the holder
	require.NoError(t, err)
	out, err := holder.StdoutPipe()
	require.NoError(t, err)
	if err := holder.Start(); err != nil {
		t.Skipf("needs a disk of its own: %v", err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = holder.Wait()
	})
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "mounted\n" {
		t.Skip("needs a disk of its own, and this system lets nobody mount one")
	}
	pid := strconv.Itoa(holder.Process.Pid)
	return &smallDisk{t: t, dir: dir, seen: filepath.Join("/proc", pid, "root", dir), within: []string{"nsenter", "--user", "--preserve-credentials", "--mount", "--target", pid}}
}

// fill uses up all space.
func (d *smallDisk) fill() {
	d.t.Helper()
	f, err := os.Create(filepath.Join(d.seen, "fill"))
	require.NoError(d.t, err)
	defer f.Close()
	for size := 1 << 16; size > 0; {
		if _, err = f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	require.ErrorIs(d.t, err, syscall.ENOSPC)
}

func (d *smallDisk) empty() {
	d.t.Helper()
	require.NoError(d.t, os.Remove(filepath.Join(d.seen, "fill")))
}

const storageErrorsMetric = "otelcol_receiver_agent_stream_storage_errors"

// TestDiskFullForPositions: while the storage has no space, reading continues and a message says what to do. When there is
// space again, offsets are stored again, and a restart exports nothing twice. Nothing is lost.
func TestDiskFullForPositions(t *testing.T) {
	built(t, "TAILSPAN_COLLECTOR")
	disk, dir := newSmallDisk(t, "4m"), t.TempDir()
	texts := newTexts(t)
	setup := collectorSetup{
		include: []string{filepath.Join(dir, "*.jsonl")}, endpoint: texts.server.URL, store: filepath.Join(disk.dir, "store"), within: disk.within,
	}
	written := 0
	write := func(files, lines int) {
		for i := range files {
			f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%03d.jsonl", i)), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
			require.NoError(t, err)
			for range lines {
				_, err = io.WriteString(f, scaleLine(i, written, lineText(written)))
				require.NoError(t, err)
				written++
			}
			require.NoError(t, f.Close())
		}
	}
	c := startCollector(t, setup)
	c.ready()
	write(5, 10)
	texts.await(t, written)
	disk.fill()
	write(400, 5) // the storage must grow
	texts.await(t, written)
	require.Eventually(t, func() bool { return c.count(storageErrorsMetric) > 0 }, 30*time.Second, 20*time.Millisecond)
	disk.empty()
	write(10, 1)
	texts.await(t, written)
	failed := c.count(storageErrorsMetric)
	c.end(syscall.SIGTERM) // stores what could not be stored before
	assert.Equal(t, 1, strings.Count(c.log.String(), "check that the storage is writable and has space"), "%s", c.log)

	c = startCollector(t, setup)
	c.ready()
	write(400, 1)
	texts.await(t, written)
	c.end(syscall.SIGTERM)
	t.Logf("%d lines, %d positions not kept at first", written, failed)
	texts.mu.Lock()
	defer texts.mu.Unlock()
	for n := range written {
		assert.Equal(t, 1, texts.seen[lineText(n)], "line %d", n)
	}
}

// TestDiskFullForSpools: a program that writes to a pipe continues while there is no space for its output. What could not
// be stored is counted, its run is marked, and the next run is read when there is space.
func TestDiskFullForSpools(t *testing.T) {
	built(t, "TAILSPAN_COLLECTOR")
	disk, work := newSmallDisk(t, "1m"), t.TempDir()
	fifo := filepath.Join(work, "agent.fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	sink := newAudience(t)
	begun := time.Now()
	blocked := true
	sink.refuse = func() error { // so that the spool must hold all of it
		if blocked {
			return errors.New("blocked")
		}
		return nil
	}
	unblock := func() { sink.mu.Lock(); defer sink.mu.Unlock(); blocked = false }
	c := startCollector(t, collectorSetup{
		include: []string{filepath.Join(work, "*.jsonl")}, endpoint: sink.server.URL, within: disk.within,
		more: fmt.Sprintf("receivers: {agent_stream: {pipes: [{path: %q, provider: claude}], spool: {directory: %q}}}", fifo, filepath.Join(disk.dir, "spools")),
	})
	c.ready()
	say := func(from, to int) (bytes int) {
		w, err := os.OpenFile(fifo, os.O_WRONLY, 0)
		require.NoError(t, err)
		for n := from; n < to; n++ {
			line := scaleLine(from, n, lineText(n))
			_, err := io.WriteString(w, line)
			require.NoError(t, err)
			bytes += len(line)
		}
		require.NoError(t, w.Close())
		return bytes
	}
	wrote := say(0, 10_000)
	require.Less(t, time.Since(begun), time.Minute, "the writer was held up")
	dropped := func() int { return c.count("otelcol_receiver_agent_stream_input_dropped") }
	require.Eventually(t, func() bool { return dropped() > 0 }, 30*time.Second, 20*time.Millisecond)
	unblock()
	require.Eventually(t, func() bool { return len(sink.runs()) == 1 }, time.Minute, 20*time.Millisecond)
	kept := wrote - dropped()
	t.Logf("of %d bytes %d were kept, %d dropped", wrote, kept, dropped())
	assert.Greater(t, kept, 1<<19)
	assert.LessOrEqual(t, kept, 1<<20)
	assert.Equal(t, string(otlp.CloseReasonTruncated), sink.runs()[0])
	received, size := 0, 0
	for _, e := range sink.received() { // everything that was stored, from the first line on
		if e.Kind == "text" {
			require.Equal(t, lineText(received), e.Text)
			size += len(scaleLine(0, received, e.Text))
			received++
		}
	}
	assert.LessOrEqual(t, size, kept)
	assert.Less(t, kept-size, len(scaleLine(0, received, lineText(received))), "but for a line that was cut")
	say(20_000, 20_010)
	require.Eventually(t, func() bool {
		return slices.ContainsFunc(sink.received(), func(e event) bool { return e.Text == lineText(20_009) })
	}, time.Minute, 20*time.Millisecond, "the next writer")
	c.end(syscall.SIGTERM)
	assert.Contains(t, c.log.String(), "free disk space, or set spool::directory to a folder on another disk")
}
