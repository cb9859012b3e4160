package telemetry

import (
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/cicd"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
)

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
	return RegistryState{Pipelines: r.pipelines.State()}
}

// Restore restores an earlier state, before streams are opened.
func (r *Registry) Restore(s RegistryState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pipelines.Restore(s.Pipelines)
}

// pipelinePending reports whether the span of a pipeline or step has not been accepted yet.
func (r *Registry) pipelinePending(res *otlp.Resource) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pipelines.Pending(res)
}

// nodesAccepted notes that the spans of pipelines and steps were acknowledged.
func (r *Registry) nodesAccepted(nodes []*cicd.Node) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pipelines.Accept(nodes)
}

// runStarted enters a run under the pipeline and step of its resource, and returns where its span hangs. One that does
// not count is a second account of a run, or the work of a sub-agent.
func (r *Registry) runStarted(res *otlp.Resource, counts bool) (parent otlp.SpanRef, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pipelines.Start(res, counts)
}

// accountStarted enters a second account of a run under the pipeline and step of its resource, with a link to the run of
// the first. Where both have one step there is nothing to enter; that of the first is nil if it is not known.
func (r *Registry) accountStarted(res, ofFirst *otlp.Resource, first otlp.SpanRef) (inPipeline bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ofFirst != nil && cicd.Same(res, ofFirst) {
		return false
	}
	if _, inPipeline = r.pipelines.Start(res, true); inPipeline {
		r.pipelines.Link(res, first)
	}
	return inPipeline
}

// runMoved notes that a run under the pipeline of res is still at work.
func (r *Registry) runMoved(res *otlp.Resource) {
	now := r.settings.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pipelines.Moved(res, now)
}

// runEnded takes a run's span out of its step, and reports whether it came after the step's span.
func (r *Registry) runEnded(res *otlp.Resource, span clock.Interval, v outcome.Verdict) (late bool) {
	now := r.settings.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pipelines.End(res, span, v, now)
}
