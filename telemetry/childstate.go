package telemetry

import (
	"encoding/binary"
	"encoding/hex"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/outcome"
)

// runID names a run among all.
type runID struct {
	trace pcommon.TraceID
	top   pcommon.SpanID
}

// runRef returns the one reference to a run: that of a sub-agent's state, if one names the run.
func (r *Registry) runRef(ref *runRef) *runRef {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.runsByID.Get(runID{ref.traceID, ref.topSpanID}); ok {
		return known
	}
	return ref
}

// restoreChild restores the links of a sub-agent's stream. Its parent's stream need not be replayed: its announcements are
// in the state, and if it is replayed, it finds them here.
func (r *Registry) restoreChild(key agentKey, state *ChildState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recallChild(key, state)
}

// recallRun gives the one reference to a run that a state knows. Its owner locks.
func (r *Registry) recallRun(s *RunState) *runRef {
	id := runID{s.Trace, s.Top}
	run, known := r.runsByID.Get(id)
	if !known {
		run = &runRef{key: s.Key, scope: s.Scope, sessionID: s.Session, traceID: s.Trace, topSpanID: s.Top, exported: s.Exported}
		run.totals.Store(s.Totals)
		r.runsByID.Set(id, run)
	}
	if s.Ended != nil {
		over := s.Ended.interval()
		run.span.Store(&over)
	}
	return run
}

// recallChild restores what was known of a sub-agent. Its owner locks.
func (r *Registry) recallChild(key agentKey, state *ChildState) {
	var run *runRef
	if state.Run != nil {
		run = r.recallRun(state.Run)
	}
	for before, again := key.before(); again; before, again = before.before() {
		for _, name := range bothNames(before) { // what the tasks before gave went out
			k := r.links.linkOf(name)
			if k.run == nil {
				k.run = run
			}
			if !k.ended {
				k.over(ending{Verdict: outcome.Closed(otlp.CloseReasonResult)})
			}
		}
	}
	for _, key := range bothNames(key) {
		k := r.links.linkOf(key)
		if k.run == nil {
			k.run = run
		}
		if k.call == nil && state.Call != nil {
			k.call = state.Call.ref()
		}
		k.background = k.background || state.Background
		if state.Ended && !k.ended {
			k.over(state.ending())
		}
	}
}

// RegistryState is what a [Registry] knows that no stream contains, as JSON.
type RegistryState struct {
	// Pipelines are the ids of pipelines' and steps' spans that were accepted.
	Pipelines []string `json:"pipelines,omitempty"`
}

// State gives what has to be kept beside the states of the streams. It changes when spans of pipelines that
// [Registry.Take] gave were accepted.
func (r *Registry) State() RegistryState {
	r.mu.Lock()
	defer r.mu.Unlock()
	return RegistryState{Pipelines: slices.Clone(r.pipelines.exported)}
}

// Restore restores an earlier state, before streams are opened.
func (r *Registry) Restore(s RegistryState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pipelines.exported = slices.Clone(s.Pipelines)
}

// pipelinePending reports whether the span of a pipeline or step has not been accepted yet.
func (r *Registry) pipelinePending(res *otlp.Resource) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	pending := false
	r.pipelines.each(res, func(n *node) { pending = pending || !n.accepted })
	return pending
}

// nodesAccepted notes that the spans of pipelines and steps were acknowledged.
func (r *Registry) nodesAccepted(nodes []*node) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range nodes {
		n.accepted = true
		r.pipelines.markExported(n.spanID)
	}
}

// maxExported bounds what is remembered over a restart of pipelines and steps whose span went out.
const maxExported = 1000

// markExported remembers that the span of a node was exported, so that it is not after a restart. The oldest are evicted.
func (p *pipelines) markExported(id pcommon.SpanID) {
	p.exported = append(p.exported, hex.EncodeToString(id[:]))
	if drop := len(p.exported) - maxExported; drop > 0 {
		p.exported = slices.Delete(p.exported, 0, drop)
	}
}

// wasExported reports whether the span of a node went out before a restart.
func (p *pipelines) wasExported(id pcommon.SpanID) bool {
	return slices.Contains(p.exported, hex.EncodeToString(id[:]))
}

// stableHash is the same in every process. Nobody can write a stream whose things meet those of another.
func stableHash(parts ...string) uint64 {
	sum := otlp.Hash(otlp.DomainThing, 0, parts...)
	return binary.BigEndian.Uint64(sum[:8])
}
