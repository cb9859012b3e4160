package telemetry

import (
	"sync"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/cicd"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/folder"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/wait"
)

// Registry owns what streams share: the settings, the memory of exported IDs, accounts and links, and the pipelines. It
// is safe for concurrent use.
type Registry struct {
	settings Settings
	metrics  *metrics.Set
	writer   otlp.Writer
	ids      *exported.Table
	links    *link.Registry[*Stream]
	folders  *folder.Registry[*Stream]
	accounts *account.Registry[*Stream]
	timers   wait.Timers[timerKind, *Stream]

	mu        sync.Mutex
	pipelines cicd.Tree
	totals    ledger.Running   // of sessions
	agents    map[Agent]*Agent // see [Registry.agent]
	deferred  deferred
	backlog   backlog
	out       *batch
	counts    Counts
	recalled  recalled
}

// NewRegistry returns a Registry with the given settings.
func NewRegistry(s Settings) *Registry {
	if s.Now == nil {
		s.Now = time.Now
	}
	r := &Registry{
		settings:  s,
		metrics:   metrics.New(s.Metrics, s.Semconv, s.Version, s.PipelineService, s.Now),
		writer:    otlp.Writer{Semconv: s.Semconv, Capture: s.Capture, TargetRunes: s.Limits.TargetRunes, ContentBytes: s.Limits.ContentBytes, Discard: s.MetricsOnly},
		ids:       exported.NewTable(exported.Limits{IDs: s.Limits.EmittedIDs, Items: s.Limits.RememberedIDs}),
		pipelines: cicd.New(s.Limits.Pipelines, s.PipelineService),
		links:     link.NewRegistry[*Stream](link.Settings{Known: s.Limits.RememberedIDs, Members: s.Limits.OpenCalls}),
		folders:   folder.NewRegistry[*Stream](s.Limits.RememberedIDs),
		accounts:  account.NewRegistry[*Stream](s.Limits.RememberedIDs),
		agents:    map[Agent]*Agent{},
	}
	r.out = newBatch(r)
	r.totals = ledger.NewRunning(s.Limits.RememberedIDs)
	return r
}

// sessionTotal stores the running total of a session and returns the previous one, if known.
func (r *Registry) sessionTotal(key ledger.RunningKey, now *events.Usage) (before events.Usage, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, known, evicted := r.totals.Swap(key, now)
	if evicted {
		r.counts.ForgottenIDs++
	}
	return before, known
}

// Metrics returns the metrics of all streams.
func (r *Registry) Metrics() *metrics.Set { return r.metrics }

// StreamSettings describe one stream.
type StreamSettings struct {
	// ID is the stable identity of the stream, such as that of its file. It is not part of span or record IDs.
	ID string
	// Fingerprint is a hash of the stream's beginning. It is part of IDs if the format has none.
	Fingerprint string
	// Agent is the program that writes the stream.
	Agent Agent
	// Identity is the identity of the pipeline, step and persona.
	Identity otlp.Identity
	// Parent is the outer span, if there is one.
	Parent otlp.Parent
	// ParentSession is the session of the sub-agent that works in the stream, if the file's location shows it.
	ParentSession string
	// Group is the agent ID that several sub-agents share, one of which works in the stream, if the file's location
	// shows it.
	Group string
	// ExpectedDuration is the expected duration of a run, for the estimate in progress records; 0 if unknown.
	ExpectedDuration time.Duration
	// AwaitExit is true if the stream is the output of a process whose exit is reported by [Stream.Exited]. The span of
	// a run then waits for the exit for 5 s after the run's result.
	AwaitExit bool
	// Resumed is true if the process continues an earlier session, whose tokens are in the totals of the stream.
	Resumed bool
	// IdleGap is the time between two lines after which the stream counts as abandoned and open items are closed, as
	// they are after that long a silence; 0 for never.
	IdleGap time.Duration
	// FileTime is the modification time of the file, used if the stream has no time at all.
	FileTime time.Time
	// State is the result of an earlier [Stream.State] of the stream, whose lines must then be replayed. It is nil for
	// a new stream.
	State *StreamState
	// Changed, if set, is called when other streams or the passing of time change the state.
	Changed func()
	// OnUsed, if set, is called with the usage of models as it is added to the metrics. It may be called while another
	// stream is running and must not call the stream.
	OnUsed func(Used)
}

// Open opens a stream.
func (r *Registry) Open(s StreamSettings) *Stream {
	return newStream(r, s)
}

// Take returns the spans that no line releases: those of pipelines and steps that were quiet for PipelineIdle, and
// those of sub-agents whose run is over and whose call was not announced for ParentWait.
func (r *Registry) Take() Output {
	now := r.settings.Now()
	late := newBatch(r)
	for _, child := range r.timers.All(waitParent) {
		child.workInto(late, false, func() { child.expire(now.Add(-r.settings.ParentWait)) })
	}
	for _, s := range r.timers.Due(waitExit, now, exitGrace, false) {
		s.giveUpExit(late)
	}
	for _, s := range r.timers.Due(waitEnd, now, r.settings.EndGrace, false) {
		s.workInto(late, false, s.endTurn)
	}
	for _, s := range r.timers.Due(waitAgents, now, r.settings.linkWait(), false) {
		s.workInto(late, false, func() { s.expireOld(now) })
	}
	for _, s := range r.timers.Due(waitTeam, now, 0, false) {
		s.workInto(late, false, func() { s.writeDue(now) })
	}
	stalled := 0
	for _, s := range r.dueProgress(now) {
		if s.reportProgress(late, now) {
			stalled++
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts.StalledRuns += stalled
	return r.flushLocked(now.Add(-r.settings.PipelineIdle)).with(late)
}

// with returns the output with that of streams without a line.
func (o Output) with(late *batch) Output {
	sent := late.take()
	sent.Data.Move(&o.Data)
	o.steps = append(o.steps, sent.steps...)
	return o
}

// leave removes a stream that ends from all waiting lists.
func (r *Registry) leave(s *Stream) {
	r.links.Leave(s, s.links.child)
	r.folders.Leave(s)
	r.accounts.Leave(s)
	r.timers.Stop(waitParent, s)
	r.timers.Stop(waitAgents, s)
}

// Close returns the pending output of streams that waited for others and the remaining spans of pipelines and steps.
// Close all streams before.
func (r *Registry) Close() Output {
	late := newBatch(r)
	r.closeDeferred(late)
	for _, s := range r.timers.Due(waitTeam, r.settings.Now(), 0, false) {
		s.workInto(late, false, s.writeAll)
	}
	now := r.settings.Now() // the output just written may have ended a step
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flushLocked(now).with(late)
}

// flushLocked takes the spans of pipelines that have been quiet since before.
func (r *Registry) flushLocked(before time.Time) Output {
	written, evicted := r.pipelines.Flush(r.out.Batch, before)
	r.counts.ForgottenPipelines += evicted
	r.counts.ForgottenIDs += r.links.TakeForgotten() + r.folders.TakeForgotten() + r.accounts.TakeForgotten()
	out := r.out.take()
	out.nodes, out.registry = written, r
	out.Counts, r.counts = r.counts, Counts{}
	return out
}

// timerKind is a kind of timer of a stream; see [wait.Timers].
type timerKind uint8

const (
	waitParent   timerKind = iota // a sub-agent's stream with an open span
	waitExit                      // a run that waits for the exit of its process
	waitProgress                  // a live run, since the last progress report
	waitEnd                       // a run that has shown its end, since its last line
	waitAgents                    // an old file whose run has sub-agents that may be at work
	waitTeam                      // a span that waits for sub-agents in other streams
)

func (r *Registry) startTimer(kind timerKind, s *Stream) { r.timers.Start(kind, s, r.settings.Now()) }
