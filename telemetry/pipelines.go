package telemetry

import (
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/cicd"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
)

// RegistryState is the part of a [Registry]'s state that no stream contains, as JSON.
type RegistryState struct {
	// Pipelines are the IDs of accepted spans of pipelines and steps.
	Pipelines []string `json:"pipelines,omitempty"`
}

// State returns the state to store in addition to the states of the streams. It changes when spans of pipelines from
// [Registry.Take] are accepted.
func (r *Registry) State() RegistryState {
	r.mu.Lock()
	defer r.mu.Unlock()
	return RegistryState{Pipelines: r.pipelines.State()}
}

// Restore restores an earlier state. Call it before opening streams.
func (r *Registry) Restore(s RegistryState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pipelines.Restore(s.Pipelines)
}

// pipelinePending reports whether the span of the pipeline or step of res is not accepted yet.
func (r *Registry) pipelinePending(res *otlp.Resource) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pipelines.Pending(res)
}

// nodesAccepted records that the spans of pipelines and steps were acknowledged.
func (r *Registry) nodesAccepted(nodes []*cicd.Node) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pipelines.Accept(nodes)
}

// runStarted adds a run to the pipeline and step of its resource and returns its parent span. A run does not count if
// it is a second account of a run or the work of a sub-agent.
func (r *Registry) runStarted(res *otlp.Resource, counts bool) (parent otlp.SpanRef, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pipelines.Start(res, counts)
}

// accountStarted adds a second account of a run to the pipeline and step of its resource, with a link to the first
// account's run. It does nothing if both have the same step. ofFirst is nil if the first account's resource is unknown.
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

// runMoved records that a run under the pipeline of res is active.
func (r *Registry) runMoved(res *otlp.Resource) {
	now := r.settings.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pipelines.Moved(res, now)
}

// runEnded removes a run from its step and reports whether the step's span was exported before.
func (r *Registry) runEnded(res *otlp.Resource, span clock.Interval, v outcome.Verdict) (late bool) {
	now := r.settings.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pipelines.End(res, span, v, now)
}
