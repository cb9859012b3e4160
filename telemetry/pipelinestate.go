package telemetry

import (
	"encoding/hex"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/otlp"
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
