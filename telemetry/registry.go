package telemetry

import (
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Registry owns what streams share: the settings, and the pipeline runs that their work hangs under. It is safe for use
// by many goroutines.
type Registry struct {
	settings Settings

	mu        sync.Mutex
	pipelines pipelines
	out       *batch
}

// NewRegistry makes a Registry.
func NewRegistry(s Settings) *Registry {
	if s.Now == nil {
		s.Now = time.Now
	}
	return &Registry{
		settings:  s,
		pipelines: newPipelines(s.Limits.Pipelines),
		out:       newBatch(s.Semconv.SchemaURL(), s.Version),
	}
}

// Parent is the span of another program that a stream's work hangs under, as TRACEPARENT tells it.
type Parent struct {
	TraceID pcommon.TraceID
	SpanID  pcommon.SpanID
}

// Empty reports whether there is no parent.
func (p Parent) Empty() bool { return p.TraceID.IsEmpty() || p.SpanID.IsEmpty() }

// StreamSettings describe one stream.
type StreamSettings struct {
	// ID is the stable identity of the stream, such as that of its file. It takes part in ids only where the format
	// tells none.
	ID string
	// Agent is the program that writes it.
	Agent Agent
	// Identity is whose work it is.
	Identity Identity
	// Parent is the outer span, if there is one.
	Parent Parent
	// FileTime is the modification time of the file, used where the stream tells no time at all.
	FileTime time.Time
}

// Open begins the fold of a stream.
func (r *Registry) Open(s StreamSettings) *Stream {
	return newStream(r, s)
}

// Take returns the spans that belong to no stream: those of pipelines and steps that have been quiet for PipelineIdle.
func (r *Registry) Take() Output {
	now := r.settings.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pipelines.flush(r.out, now.Add(-r.settings.PipelineIdle))
	return r.out.take()
}

// Close returns the spans of all pipelines and steps that have not gone out yet. Streams are closed before.
func (r *Registry) Close() Output {
	now := r.settings.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pipelines.flush(r.out, now)
	return r.out.take()
}

// runStarted enters a run under the pipeline and step of its resource, and returns where its span hangs.
func (r *Registry) runStarted(res *resource) (pcommon.TraceID, pcommon.SpanID, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pipelines.started(res)
}

// runMoved tells that a run under the pipeline of res is still at work.
func (r *Registry) runMoved(res *resource) {
	now := r.settings.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pipelines.moved(res, now)
}

// runEnded takes a run's span out of its step.
func (r *Registry) runEnded(res *resource, span interval, failed bool) {
	now := r.settings.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pipelines.ended(res, span, failed, now)
}
