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

// Settings configure what is watched.
type Settings struct {
	// Pipeline configures the stream. Its registry and its redactor are used by the observer only.
	Pipeline pipeline.Settings
	// Redact removes secrets from what may be shown. Outputs are always left out.
	Redact  bool
	MaxLine config.Size
	Prices  ledger.Prices
	Limits  guard.Limits
	// LoopAfter is how often a call repeats before that is reported; 0 turns this off.
	LoopAfter int
	// Name, if set, returns what may be shown of a tool's name; nothing else of a call is shown then.
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

	mu       sync.Mutex // guards what follows against the timer
	lines    *input.Live
	guard    *guard.Guard
	spending *guard.Spending
	loops    *guard.Loops
	timer    *time.Timer // fires when the next limit is due; nil until there is one
	result   Result
	tooLong  int // lines of which at most a part was read
}

// Result is what became of a run.
type Result struct {
	verdict.Reader
	Summary summary.Reader
	// Plain is what the program wrote as plain text between its records.
	Plain pipeline.PlainText
	// Spent is the usage as it was known while the run was active.
	Spent ledger.Sum
}

// Start watches the output of a program.
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
	go func() {
		o.read <- tail.Follow(ctx, in, o, tail.Settings{MaxLineSize: int(s.MaxLine), Observer: tail.Observer{Skipped: o.skipped}})
	}()
	return o, nil
}

// Lines processes lines.
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

// skipped counts a line that was too long.
func (o *Observer) skipped(string, tail.SkipReason, int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tooLong++
}

// Idle does nothing: no output waits for a quiet period.
func (o *Observer) Idle(context.Context) error { return nil }

// Close does nothing: [Observer.End] ends the stream.
func (o *Observer) Close(context.Context, tail.CloseReason) error { return nil }

// events processes the events of a line, before what is exported of it.
func (o *Observer) events(evs []events.DisplayEvent) {
	used, ended := false, false
	for i := range evs {
		used = o.spending.Add(&evs[i]) || used
		ended = ended || evs[i].ParentID == "" && (evs[i].Kind == events.KindSessionEnded || evs[i].Kind == events.KindTurnDone)
		if loop := o.loops.See(&evs[i]); loop != nil {
			o.report(loop.Text(o.settings.Name))
		}
	}
	if used {
		sum := o.spending.Sum()
		o.act(o.guard.Used(&sum, ended))
	}
}

// take reads the pipeline's output.
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

// act carries out alarms. A stop comes first: nobody may read the report.
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

// arm schedules a check for the time when the next limit is due.
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

// Stopped delivers the exceeded limit, or "", after the program has ended and all its output was read. It includes a limit that
// became known too late to stop the program.
func (o *Observer) Stopped() <-chan otlp.StopReason { return o.stopped }

// End ends the stream with the exit of the program, after all its output was read.
func (o *Observer) End(exit *outcome.Exit) (*Result, error) {
	err := <-o.read
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.timer != nil {
		o.timer.Stop()
	}
	o.lines.Flush()
	if o.lines.Events().Provider() == "" {
		o.result.Passed(o.tooLong)
	}
	o.result.Plain = o.lines.Events().PlainText()
	if o.result.Plain.Ends {
		o.result.LastLine(o.result.Plain.Last)
	}
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
