package observer_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/guard"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/observer"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// feed is the output of a program that writes when the test says so.
type feed struct {
	mu      sync.Mutex
	unread  strings.Builder
	ended   bool
	changed chan struct{}
}

func newFeed() *feed { return &feed{changed: make(chan struct{}, 1)} }

func (f *feed) write(lines ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, line := range lines {
		f.unread.WriteString(line + "\n")
	}
	f.signal()
}

func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.signal()
}

func (f *feed) signal() {
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

func (f *feed) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := copy(p, f.unread.String())
	rest := f.unread.String()[n:]
	f.unread.Reset()
	f.unread.WriteString(rest)
	if n == 0 && f.ended {
		return 0, io.EOF
	}
	return n, nil
}

func (f *feed) Wait(ctx context.Context) error {
	select {
	case <-f.changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *feed) Arrival(int64) time.Time { return time.Time{} }

// seen is what an observer requested, with the time since its start.
type seen struct {
	mu    sync.Mutex
	begin time.Time
	lines []string
}

func (s *seen) add(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, time.Since(s.begin).String()+" "+line)
}

func (s *seen) take() []string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	s.lines = nil
	return lines
}

func start(t *testing.T, limits guard.Limits, in *feed) (*observer.Observer, *seen) {
	t.Helper()
	s := &seen{begin: time.Now()}
	set := pipeline.Settings{
		Events: pipeline.EventSettings{Provider: parser.Auto, Inputs: true}, Registry: telemetry.NewRegistry(telemetry.NewDefaultSettings()),
	}
	set.Telemetry.AwaitExit = true
	o, err := observer.Start(t.Context(), observer.Settings{
		Pipeline: set, MaxLine: 1 << 20, Limits: limits, LoopAfter: 2,
		Report: func(text string) { s.add(text) }, Stop: func(why otlp.StopReason) { s.add("stop: " + string(why)) },
	}, in)
	require.NoError(t, err)
	return o, s
}

const (
	initLine   = `{"type":"system","subtype":"init","session_id":"s1","model":"m","cwd":"/w","tools":[],"uuid":"u0"}`
	textLine   = `{"type":"assistant","session_id":"s1","uuid":"u1","message":{"id":"m1","role":"assistant","model":"m","usage":{"input_tokens":1000,"output_tokens":9},"content":[{"type":"text","text":"Hello."}]}}`
	resultLine = `{"type":"result","subtype":"success","is_error":false,"session_id":"s1","uuid":"u2","result":"Hello."}`
)

// TestSilence: a line postpones a stall, and a stop precedes its report.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newFeed()
		o, s := start(t, guard.Limits{StallAfter: 10 * time.Second, StallKill: true}, in)
		time.Sleep(7 * time.Second)
		in.write(initLine)
		time.Sleep(9 * time.Second)
		assert.Empty(t, s.take())
		time.Sleep(time.Second)
		assert.Equal(t, []string{"17s stop: stall", "17s no output for 10s, stopping the agent (--stall-kill)"}, s.take())
		in.end()
		r, err := o.End(&outcome.Exit{Signal: "SIGTERM", Stopped: true, StopReason: otlp.StopStall, Time: time.Now()})
		require.NoError(t, err)
		assert.Equal(t, "error: stopped: no output for too long", r.Verdict().String())
		time.Sleep(time.Hour)
		assert.Empty(t, s.take(), "nothing comes after the end")
	})
}

// TestReportIsNotRead: a report that nobody reads delays no stop.
func TestReportIsNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, paused := newFeed(), make(chan struct{})
		stopped := make(chan otlp.StopReason, 1)
		o, err := observer.Start(t.Context(), observer.Settings{
			Pipeline: pipeline.Settings{Events: pipeline.EventSettings{Provider: parser.Auto}, Registry: telemetry.NewRegistry(telemetry.NewDefaultSettings())},
			MaxLine:  1 << 20, Limits: guard.Limits{StallAfter: time.Second, MaxTokens: 500},
			Report: func(string) { <-paused }, Stop: func(why otlp.StopReason) { stopped <- why },
		}, in)
		require.NoError(t, err)
		time.Sleep(2 * time.Second) // the report of the stall blocks
		in.write(initLine, textLine)
		assert.Equal(t, otlp.StopMaxTokens, <-stopped)
		close(paused)
		in.end()
		_, err = o.End(&outcome.Exit{Code: 143, Stopped: true, Time: time.Now()})
		require.NoError(t, err)
	})
}

// TestLimitAtTheEnd: a limit that the last lines exceed, or that is found to be exceeded after the program has ended, counts
// although there is nothing left to stop.
func TestLimitAtTheEnd(t *testing.T) {
	for why, limits := range map[otlp.StopReason]guard.Limits{
		otlp.StopMaxTokens: {MaxTokens: 500}, otlp.StopMaxTime: {MaxTime: time.Second}, "": {MaxTokens: 5000, MaxTime: time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			in := newFeed()
			o, _ := start(t, limits, in)
			in.write(initLine, textLine, resultLine)
			in.end()
			exit := &outcome.Exit{Time: time.Now().Add(time.Second)} // the timer was late
			r, err := o.End(exit)
			require.NoError(t, err)
			want := map[otlp.StopReason]string{
				otlp.StopMaxTokens: "error: exceeded --max-tokens: it used too many tokens", otlp.StopMaxTime: "error: stopped: it took too long", "": "ok",
			}
			assert.Equal(t, want[why], r.Verdict().String())
			assert.Equal(t, why, <-o.Stopped())
		})
	}
}

// TestEnd: input after the last newline counts, and so does all usage.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newFeed()
		o, s := start(t, guard.Limits{}, in)
		in.write(initLine, textLine)
		in.mu.Lock()
		in.unread.WriteString(resultLine)
		in.mu.Unlock()
		in.end()
		r, err := o.End(&outcome.Exit{Time: time.Now()})
		require.NoError(t, err)
		assert.Equal(t, "ok", r.Verdict().String())
		assert.Equal(t, int64(1000), r.Spent.Tokens.Input)
		assert.Empty(t, s.take())
	})
}
