package telemetry

import (
	"slices"
	"sync"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/cicd"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/folder"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/session/spanwait"
	"github.com/tailspan/tailspan/session/wait"
)

// Registry owns what streams share: the settings, the memory of exported IDs, accounts and links, and the pipelines. It
// is safe for concurrent use.
type Registry struct {
	settings  Settings
	metrics   *metrics.Set
	writer    otlp.Writer
	ids       *exported.Table
	links     *link.Registry[*Stream]
	folders   *folder.Registry[*Stream]
	accounts  *account.Registry[*Stream]
	pipelines *cicd.Tree
	timers    wait.Timers[timerKind, *Stream]
	// unsent are the streams that an earlier process left with spans of runs that waited, or with a run whose first output it was about to
	// send. Until they are read, it is unknown of which runs they have the first accounts, so a run of another stream cannot open.
	unsent wait.Barrier[*Stream]
	// backlog is the time of the last line that was written before its stream was followed. While such lines are read, the file of a
	// sub-agent's parent may not have been read yet.
	backlog wait.Latest

	mu       sync.Mutex
	totals   ledger.Running                   // of sessions
	agents   map[program.Agent]*program.Agent // see [Registry.agent]
	deferred deferred
	out      *batch
	counts   emit.Counts
	recalled recalled
}

// NewRegistry returns a Registry with the given settings.
func NewRegistry(s Settings) *Registry {
	if s.Now == nil {
		s.Now = time.Now
	}
	writer := otlp.Writer{
		Semconv: s.Semconv, Capture: s.Capture, TargetRunes: s.Limits.TargetRunes, ContentBytes: s.Limits.ContentBytes, Discard: s.MetricsOnly,
	}
	r := &Registry{
		settings:  s,
		metrics:   metrics.New(s.Metrics, s.Semconv, s.Version, s.PipelineService, s.Now),
		writer:    writer,
		ids:       exported.NewTable(exported.Limits{IDs: s.Limits.EmittedIDs, Items: s.Limits.RememberedIDs}),
		pipelines: cicd.New(s.Limits.Pipelines, s.PipelineService),
		links:     link.NewRegistry[*Stream](link.Settings{Known: s.Limits.RememberedIDs, Members: s.Limits.OpenCalls}),
		folders:   folder.NewRegistry[*Stream](s.Limits.RememberedIDs),
		accounts:  account.NewRegistry[*Stream](s.Limits.RememberedIDs),
		agents:    map[program.Agent]*program.Agent{},
	}
	r.out = newBatch(r)
	r.totals = ledger.NewRunning(s.Limits.RememberedIDs)
	return r
}

// RegistryState is the part of a [Registry]'s state that no stream contains, as JSON.
type RegistryState struct {
	// Pipelines are the IDs of accepted spans of pipelines and steps.
	Pipelines []string `json:"pipelines,omitempty"`
}

// State returns the state to store in addition to the states of the streams. It changes when spans of pipelines from
// [Registry.Take] are accepted.
func (r *Registry) State() RegistryState { return RegistryState{Pipelines: r.pipelines.State()} }

// Restore restores an earlier state. Call it before opening streams.
func (r *Registry) Restore(s RegistryState) { r.pipelines.Restore(s.Pipelines) }

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
	Agent program.Agent
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
	OnUsed func(emit.Used)
}

// Open opens a stream.
func (r *Registry) Open(s StreamSettings) *Stream {
	return newStream(r, &s)
}

// Take returns the spans that no line releases: those of pipelines and steps that were quiet for PipelineIdle, and
// those of sub-agents whose run is over and whose call was not announced for ParentWait.
func (r *Registry) Take() Output {
	now := r.settings.Now()
	late := newBatch(r)
	for _, child := range r.timers.All(waitParent) {
		child.workInto(late, false, func() { child.expire(now.Add(-r.settings.ParentWait)) })
	}
	for _, s := range r.unsent.Expire(now) {
		s.workInto(late, false, s.onLinkUpdate)
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
	s.family.Leave()
	r.accounts.Leave(s)
	r.unsent.Remove(s)
	r.timers.Stop(waitParent, s)
	r.timers.Stop(waitAgents, s)
	r.timers.Stop(waitProgress, s)
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
	out.nodes, out.pipelines = written, r.pipelines
	out.Counts, r.counts = r.counts, emit.Counts{}
	return out
}

// timerKind is a kind of timer of a stream; see [wait.Timers].
type timerKind uint8

const (
	waitParent   timerKind = iota // a sub-agent's stream with an open span
	waitExit                      // a run that waits for the exit of its process
	waitProgress                  // a run or a prompt that is watched, since its last report; see [lifetime.watch]
	waitEnd                       // a run that has shown its end, since its last line
	waitAgents                    // an old file whose run has sub-agents that may be at work
	waitTeam                      // a span that waits for sub-agents in other streams
)

func (r *Registry) startTimer(kind timerKind, s *Stream) { r.timers.Start(kind, s, r.settings.Now()) }

// closeDeferred closes the streams that waited.
func (r *Registry) closeDeferred(into *batch) {
	r.mu.Lock()
	list := slices.Clone(r.deferred)
	r.deferred = nil
	r.mu.Unlock()
	for _, d := range list {
		d.stream.workInto(into, false, func() { d.stream.close(d.reason) })
		r.leave(d.stream)
		counts := d.stream.Take().Counts
		r.mu.Lock()
		r.counts.Add(&counts)
		r.mu.Unlock()
	}
}

// Recall restores the ties of a stored stream, whether or not the stream is opened again. So a copy of its history is recognized
// even if it is found after a restart, and its sub-agents find their calls. Call it before opening streams.
func (r *Registry) Recall(stream string, ties *Ties) {
	r.accounts.Recall(stream, ties.Owned)
	if len(ties.Unwritten) > 0 || ties.Claiming {
		r.unsent.Expect(stream, r.settings.Now().Add(spanwait.BacklogShare*r.settings.linkWait()))
	}
	for i := range ties.Agents {
		r.links.Restore(&ties.Agents[i])
	}
	if ties.Folder != nil {
		r.folders.Restore(ties.Folder, r.links.Recall)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recalled.add(ties)
}

// Recalled ends the calls of [Registry.Recall]. It adds the usage of sub-agents to the runs that need it. Each run has
// one shared reference, whichever stream is opened first.
func (r *Registry) Recalled() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, ties := range r.recalled.agents {
		if _, needed := r.recalled.needs[ties.Child.Run.RunID]; !needed {
			continue
		}
		ref := r.links.Recall(ties.Child.Run)
		for i := range ties.Used {
			ref.Team.Recall(ties.Child.Agent, &ties.Used[i])
		}
	}
	r.recalled = recalled{}
}

// fileTime returns the time of a file, or now if no agent can have run then: archives set all files to 1970.
func (r *Registry) fileTime(t time.Time) clock.Instant {
	if !t.IsZero() && !clock.Plausible(t) {
		t = r.settings.Now()
	}
	return clock.InstantOf(t)
}

// agent returns the shared copy of a program's description.
func (r *Registry) agent(a program.Agent) *program.Agent {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.agents[a]
	if known == nil {
		known = &a
		r.agents[a] = known
	}
	return known
}

// At a shutdown all streams are closed, in any order. A stream that waits for the first account of a run cannot end
// before that account's stream: its output would suppress items that the first account still has open.

// deferred holds the streams that were closed while they waited. The owner locks it.
type deferred []deferredClose

type deferredClose struct {
	stream *Stream
	reason otlp.CloseReason
}

// recalled collects runs and sub-agents from the states of streams until [Registry.Recalled].
type recalled struct {
	needs  map[link.RunID]struct{}
	agents []*Ties
}

func (c *recalled) add(ties *Ties) {
	for _, run := range ties.Needs {
		if c.needs == nil {
			c.needs = map[link.RunID]struct{}{}
		}
		c.needs[run] = struct{}{}
	}
	if sub := ties.Child; sub != nil && sub.Run != nil && len(ties.Used)+len(ties.Needs) > 0 {
		c.agents = append(c.agents, ties)
	}
}

// dueProgress returns the watched streams without a report for an interval. Without progress records, they are only checked for a
// stall.
func (r *Registry) dueProgress(now time.Time) []*Stream {
	switch {
	case r.settings.ProgressInterval > 0:
		return r.timers.Due(waitProgress, now, r.settings.ProgressInterval, true)
	case r.settings.StallAfter > 0:
		return r.timers.Due(waitProgress, now, r.settings.StallAfter, true)
	default:
		return nil
	}
}
