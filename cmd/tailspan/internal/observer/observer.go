package observer

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/guard"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/summary"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/tail"
	"github.com/tailspan/tailspan/telemetry"
)

// maxReports bounds the reports that wait to be shown.
const maxReports = 64

// Settings say what is watched for.
type Settings struct {
	// Pipeline are those of the stream; its registry is the observer's alone, and so is its redactor.
	Pipeline pipeline.Settings
	// Redact takes secrets out of what may be shown. Outputs are left out in any case.
	Redact  bool
	MaxLine config.Size
	Prices  ledger.Prices
	Limits  guard.Limits
	// LoopAfter is how often a call is repeated before that is reported; 0: it is not.
	LoopAfter int
	// Name, if set, makes what may be shown of the name of a tool; no more is shown of a call then.
	Name func(string) string
	// Report shows a line, Stop ends the program.
	Report func(text string)
	Stop   func(why otlp.StopReason)
}

// Observer watches one program. It is a [tail.Consumer].
type Observer struct {
	settings Settings
	reports  chan string
	running  sync.WaitGroup
	read     chan error // how reading ended
	stopped  chan otlp.StopReason

	mu       sync.Mutex // of what follows, for the timer
	lines    *input.Live
	guard    *guard.Guard
	spending *guard.Spending
	loops    *guard.Loops
	timer    *time.Timer // at the next time that a limit is due; nil before one
	result   Result
}

// Result is what became of a run.
type Result struct {
	verdict.Reader
	Summary summary.Reader
	// Spent is what was used, as it was known while the run went on.
	Spent ledger.Sum
}

// Start watches what a program writes.
func Start(ctx context.Context, s Settings, in tail.Input) (*Observer, error) {
	o := &Observer{
		settings: s, reports: make(chan string, maxReports), read: make(chan error, 1), stopped: make(chan otlp.StopReason, 1),
		guard: guard.New(s.Limits, time.Now()), spending: guard.NewSpending(s.Prices), loops: guard.NewLoops(s.LoopAfter),
	}
	s.Pipeline.OnEvents = o.events
	var err error
	if s.Redact {
		if s.Pipeline.Events.Redactor, err = redact.NewRedactor(redact.Settings{DropOutput: true}); err != nil {
			return nil, err
		}
	}
	if o.lines, err = input.NewLive(s.Pipeline, s.MaxLine); err != nil {
		return nil, err
	}
	o.running.Go(func() {
		for text := range o.reports {
			s.Report(text)
		}
	})
	o.mu.Lock()
	o.arm()
	o.mu.Unlock()
	go func() { o.read <- tail.Follow(ctx, in, o, tail.Settings{MaxLineSize: int(s.MaxLine)}) }()
	return o, nil
}

// Lines takes lines.
func (o *Observer) Lines(_ context.Context, lines []tail.Line) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	o.guard.Moved(now)
	o.lines.Lines(lines, now)
	o.take()
	o.arm()
	return nil
}

// Idle does nothing: nothing waits for a quiet time.
func (o *Observer) Idle(context.Context) error { return nil }

// Close does nothing: [Observer.End] ends the stream.
func (o *Observer) Close(context.Context, tail.CloseReason) error { return nil }

// events takes the events of a line, before what is exported of it.
func (o *Observer) events(evs []events.DisplayEvent) {
	used := false
	for i := range evs {
		used = o.spending.Add(&evs[i]) || used
		if loop := o.loops.See(&evs[i]); loop != nil {
			o.report(loop.Text(o.settings.Name))
		}
	}
	if used {
		sum := o.spending.Sum()
		o.act(o.guard.Used(&sum))
	}
}

// take reads what the pipeline exports.
func (o *Observer) take() {
	for _, out := range o.lines.Take() {
		o.result.read(&out)
	}
	out := o.settings.Pipeline.Registry.Take()
	o.result.read(&out)
}

func (r *Result) read(out *telemetry.Output) {
	r.Read(&out.Data)
	r.Summary.Read(&out.Data)
	out.Accepted()
}

// act does what alarms ask for. A stop comes first: nobody may read the report.
func (o *Observer) act(alarms []guard.Alarm) {
	for _, a := range alarms {
		if a.Stop != "" {
			o.settings.Stop(a.Stop)
		}
		o.report(a.Text)
	}
}

func (o *Observer) report(text string) {
	select {
	case o.reports <- text:
	default:
	}
}

// arm has the limits checked when the next one is due.
func (o *Observer) arm() {
	due := o.guard.Due()
	switch {
	case due.IsZero():
		if o.timer != nil {
			o.timer.Stop()
		}
	case o.timer == nil:
		o.timer = time.AfterFunc(time.Until(due), o.check)
	default:
		o.timer.Reset(time.Until(due))
	}
}

func (o *Observer) check() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.guard == nil { // the program has ended
		return
	}
	o.act(o.guard.Check(time.Now()))
	o.arm()
}

// Stopped has, when the program has ended and all that it wrote was read, the limit that was exceeded: also one of which that became
// known too late to stop the program. It is empty if there was none.
func (o *Observer) Stopped() <-chan otlp.StopReason { return o.stopped }

// End ends the stream with the exit of the program, when all that it wrote was read.
func (o *Observer) End(exit *outcome.Exit) (*Result, error) {
	err := <-o.read
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.timer != nil {
		o.timer.Stop()
	}
	o.lines.Flush()
	o.act(o.guard.Check(exit.Time))
	exit.StopReason = cmp.Or(exit.StopReason, o.guard.Stopped())
	o.stopped <- exit.StopReason
	o.lines.Exited(*exit)
	o.take()
	last := o.settings.Pipeline.Registry.Close()
	o.result.read(&last)
	o.result.Exited(exit)
	o.result.Spent = o.spending.Sum()
	o.guard = nil
	close(o.reports)
	o.running.Wait()
	return &o.result, err
}
