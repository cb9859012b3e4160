package agentstreamreceiver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// Scale is measured in separate processes, because the memory of a process is reported as a whole: the benchmark starts this
// test program again, with the case in the environment, and reports what that process reports of itself.
const scaleEnv = "TAILSPAN_SCALE"

// scaleCase is what a process has to do.
type scaleCase struct {
	Dir     string // the files
	StartAt string
	Files   int // existing files
	Lines   int // lines to receive, with StartAt beginning; then it ends
	Watch   time.Duration
	Grow    int // files to which a line is written, one after another
	Limit   uint64
	Procs   int
	Rest    bool // wait until all streams are suspended
}

// scaleFigures is the result.
type scaleFigures struct {
	ReadyCPU, ReadCPU, WatchCPU, Wall time.Duration
	RSS, Peak                         int64
	P50, P99                          time.Duration
}

func (c scaleCase) run(b *testing.B) scaleFigures {
	b.Helper()
	encoded, err := json.Marshal(c)
	require.NoError(b, err)
	cmd := exec.Command(os.Args[0], "-test.run=^TestScaleProcess$", "-test.v")
	cmd.Env = append(os.Environ(), scaleEnv+"="+string(encoded))
	if c.Procs > 0 {
		cmd.Env = append(cmd.Env, "GOMAXPROCS="+strconv.Itoa(c.Procs))
	}
	out, err := cmd.CombinedOutput()
	require.NoError(b, err, string(out))
	_, figures, found := strings.Cut(string(out), scaleEnv)
	require.True(b, found, string(out))
	var f scaleFigures
	require.NoError(b, json.NewDecoder(strings.NewReader(figures)).Decode(&f))
	return f
}

// TestScaleProcess is the process of a [scaleCase].
func TestScaleProcess(t *testing.T) {
	encoded := os.Getenv(scaleEnv)
	if encoded == "" {
		t.Skip("started by BenchmarkScale")
	}
	var c scaleCase
	require.NoError(t, json.Unmarshal([]byte(encoded), &c))
	if c.Limit > 0 {
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: c.Limit, Max: c.Limit}))
	}
	figures, err := json.Marshal(c.measure(t))
	require.NoError(t, err)
	fmt.Println(scaleEnv + string(figures))
}

func (c scaleCase) measure(t *testing.T) (f scaleFigures) {
	cfg := configFor(filepath.Join(c.Dir, "**", "*.jsonl"))
	cfg.Stream.StartAt = c.StartAt
	counter := &arrivals{Logs: consumertest.NewNop(), came: make(chan time.Time, 1)}
	r, err := agentstreamreceiver.NewInside(receivertest.NewNopSettings(agentstreamreceiver.NewFactory().Type()), cfg, consumertest.NewNop(), counter)
	require.NoError(t, err)
	begin, cpu := time.Now(), usedCPU(t)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	until(t, func() bool { return counter.records.Load() >= int64(c.Lines) })
	f.Wall, f.ReadCPU = time.Since(begin), usedCPU(t)-cpu
	until(t, func() bool { return !c.Rest || r.AllSuspended(c.Files) })
	if c.Watch > 0 {
		passed := time.NewTimer(c.Watch)
		<-passed.C // what has to be done at start is done
		f.ReadyCPU = usedCPU(t) - cpu
		cpu = usedCPU(t)
		passed.Reset(c.Watch)
		<-passed.C
		f.WatchCPU = usedCPU(t) - cpu
	}
	runtime.GC() // as it happens by itself every two minutes
	debug.FreeOSMemory()
	f.RSS = memoryOf(t, "VmRSS:")
	f.P50, f.P99 = c.grow(t, counter)
	f.Peak = memoryOf(t, "VmHWM:")
	require.NoError(t, r.Shutdown(t.Context()))
	return f
}

// grow writes a line to one file after another, and returns how long each took to be exported.
func (c scaleCase) grow(t *testing.T, counter *arrivals) (p50, p99 time.Duration) {
	if c.Grow == 0 {
		return 0, 0
	}
	counter.report.Store(true)
	var took []time.Duration
	for i := range c.Grow {
		line := []byte(assistant(fmt.Sprint("new", i), "more"))
		file, err := os.OpenFile(scaleName(c.Dir, i*(c.Files/c.Grow)), os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		begin := time.Now()
		_, err = file.Write(line)
		require.NoError(t, err)
		took = append(took, (<-counter.came).Sub(begin))
		require.NoError(t, file.Close())
	}
	slices.Sort(took)
	return took[len(took)/2], took[len(took)*99/100]
}

// arrivals counts records, and notifies a waiter when one arrives.
type arrivals struct {
	consumer.Logs
	records atomic.Int64
	report  atomic.Bool
	came    chan time.Time
}

func (a *arrivals) ConsumeLogs(_ context.Context, ld plog.Logs) error {
	a.records.Add(int64(ld.LogRecordCount()))
	if a.report.Load() {
		a.came <- time.Now()
	}
	return nil
}

// until polls rarely, because the process is being measured.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, 9*time.Minute, 20*time.Millisecond)
}

// memoryOf returns a line of the system's report on this process, in bytes.
func memoryOf(t *testing.T, line string) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(status), line)
	require.True(t, found)
	kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	require.NoError(t, err)
	return kib << 10
}

func scaleName(dir string, i int) string {
	return filepath.Join(dir, strconv.Itoa(i%100), fmt.Sprintf("%032d.jsonl", i))
}

// scaleFiles creates files of sessions. Each turn yields records of a text, a call, its result and the usage, each file also
// one of its prompt.
func scaleFiles(b *testing.B, files, turns int, young bool) scaleCase {
	b.Helper()
	c := scaleCase{Dir: b.TempDir(), StartAt: "beginning", Files: files, Lines: files * (1 + 4*turns)}
	for i := range 100 {
		require.NoError(b, os.Mkdir(filepath.Join(c.Dir, strconv.Itoa(i)), 0o700))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	when := time.Now()
	if !young {
		when = when.Add(-time.Hour / 2) // within idle_close, after which streams are closed
	}
	var text bytes.Buffer
	for i := range files {
		text.Reset()
		scaleSession(&text, rng, i, turns)
		require.NoError(b, os.WriteFile(scaleName(c.Dir, i), text.Bytes(), 0o600))
		require.NoError(b, os.Chtimes(scaleName(c.Dir, i), when, when))
	}
	return c
}

// BenchmarkScale measures many files, and large ones, each in a separate process.
func BenchmarkScale(b *testing.B) {
	empty := func(b *testing.B) scaleFigures {
		b.Helper()
		return scaleCase{Dir: b.TempDir(), StartAt: "end", Watch: time.Second}.run(b)
	}
	b.Run("idle=10000", func(b *testing.B) {
		c := scaleFiles(b, 10_000, 1, false)
		c.StartAt, c.Lines, c.Watch = "end", 0, 10*time.Second
		for b.Loop() {
			f := c.run(b)
			b.ReportMetric(f.ReadyCPU.Seconds(), "ready-cpu-s")
			b.ReportMetric(100*f.WatchCPU.Seconds()/c.Watch.Seconds(), "idle-%core")
			b.ReportMetric(float64(f.RSS-empty(b).RSS)/mib, "MiB-above-idle")
		}
	})
	b.Run("idle=10000/nofile=256", func(b *testing.B) {
		c := scaleFiles(b, 10_000, 1, false)
		c.StartAt, c.Lines, c.Watch, c.Limit, c.Grow = "end", 0, 5*time.Second, 256, 1000
		for b.Loop() {
			f := c.run(b)
			b.ReportMetric(100*f.WatchCPU.Seconds()/c.Watch.Seconds(), "idle-%core")
			b.ReportMetric(float64(f.RSS)/mib, "RSS-MiB")
			b.ReportMetric(f.P50.Seconds()*1000, "p50-ms")
			b.ReportMetric(f.P99.Seconds()*1000, "p99-ms")
		}
	})
	for _, young := range []bool{true, false} {
		b.Run(fmt.Sprintf("open=10000/young=%v", young), func(b *testing.B) {
			c := scaleFiles(b, 10_000, 10, young)
			c.Rest = true
			for b.Loop() {
				f := c.run(b)
				b.ReportMetric(float64(f.RSS)/mib, "RSS-MiB")
				b.ReportMetric(float64(f.Peak)/mib, "peak-MiB")
			}
		})
	}
	for _, size := range []int{500 * mib, 1000 * mib} {
		b.Run(fmt.Sprintf("transcript=%dMiB", size/mib), func(b *testing.B) {
			c := scaleLarge(b, size)
			for b.Loop() {
				f := c.run(b)
				b.ReportMetric(float64(f.Peak)/mib, "peak-MiB")
				b.ReportMetric(float64(size)/1e6/f.ReadCPU.Seconds(), "MB/cpu-s")
			}
		})
	}
	b.Run("line=1GiB", func(b *testing.B) {
		c := scaleLine(b, 1<<30)
		for b.Loop() {
			b.ReportMetric(float64(c.run(b).Peak)/mib, "peak-MiB")
		}
	})
	b.Run("cores", func(b *testing.B) {
		c := scaleFiles(b, 200, 1000, false)
		for b.Loop() {
			c.Procs = 1
			one := c.run(b)
			c.Procs = 2
			two := c.run(b)
			b.ReportMetric(one.Wall.Seconds()/two.Wall.Seconds(), "speed-of-2-over-1")
			b.ReportMetric(two.ReadCPU.Seconds()/one.ReadCPU.Seconds(), "cpu-of-2-over-1")
		}
	})
}

// scaleLarge creates one session of a size.
func scaleLarge(b *testing.B, size int) scaleCase {
	b.Helper()
	c := scaleCase{Dir: b.TempDir(), StartAt: "beginning", Files: 1}
	file, err := os.Create(filepath.Join(c.Dir, "a.jsonl"))
	require.NoError(b, err)
	rng := rand.New(rand.NewPCG(3, 4))
	var text bytes.Buffer
	for id, written := 0, 0; written < size; id++ {
		text.Reset()
		scaleSession(&text, rng, id, 500)
		_, err := file.Write(text.Bytes())
		require.NoError(b, err)
		written += text.Len()
		c.Lines += 1 + 4*500
	}
	require.NoError(b, file.Close())
	return c
}

// scaleLine creates a file with a line of a size, and one after it.
func scaleLine(b *testing.B, size int) scaleCase {
	b.Helper()
	c := scaleCase{Dir: b.TempDir(), StartAt: "beginning", Files: 1, Lines: 1}
	file, err := os.Create(filepath.Join(c.Dir, "a.jsonl"))
	require.NoError(b, err)
	block := bytes.Repeat([]byte("x"), mib)
	for range size / mib {
		_, err := file.Write(block)
		require.NoError(b, err)
	}
	_, err = file.WriteString("\n" + assistant("after", "it"))
	require.NoError(b, err)
	require.NoError(b, file.Close())
	return c
}
