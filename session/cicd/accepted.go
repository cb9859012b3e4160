package cicd

import (
	"encoding/hex"
	"slices"

	"github.com/tailspan/tailspan/otlp"
)

// Accept records that the spans of pipelines and steps were acknowledged.
func (p *Tree) Accept(written []*Node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range written {
		n.accepted = true
		p.markExported(n.spanID)
	}
}

// Pending reports whether the span of the pipeline or the step of res is not accepted yet.
func (p *Tree) Pending(res *otlp.Resource) (pending bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.each(res, func(n *Node) { pending = pending || !n.accepted })
	return pending
}

// State returns the IDs of accepted spans, to be stored for a restart.
func (p *Tree) State() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.exported)
}

// Restore restores a state. Call it before runs start.
func (p *Tree) Restore(exported []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.exported = slices.Clone(exported)
}

// maxExported bounds the IDs of exported spans that are stored for a restart.
const maxExported = 1000

// markExported remembers an exported span so that it is not exported again after a restart. It evicts the oldest.
func (p *Tree) markExported(id otlp.SpanID) {
	p.exported = append(p.exported, hex.EncodeToString(id[:]))
	if drop := len(p.exported) - maxExported; drop > 0 {
		p.exported = slices.Delete(p.exported, 0, drop)
	}
}

// wasExported reports whether the span of a node was exported before a restart.
func (p *Tree) wasExported(id otlp.SpanID) bool {
	return slices.Contains(p.exported, hex.EncodeToString(id[:]))
}
