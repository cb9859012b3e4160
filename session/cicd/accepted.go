package cicd

import (
	"encoding/hex"
	"slices"

	"github.com/tailspan/tailspan/otlp"
)

// Accept notes that the spans of pipelines and steps were acknowledged.
func (p *Tree) Accept(written []*Node) {
	for _, n := range written {
		n.accepted = true
		p.markExported(n.spanID)
	}
}

// Pending reports whether the span of the pipeline or the step of res was not accepted yet.
func (p *Tree) Pending(res *otlp.Resource) (pending bool) {
	p.each(res, func(n *Node) { pending = pending || !n.accepted })
	return pending
}

// State gives the ids of spans that were accepted, to keep over a restart.
func (p *Tree) State() []string { return slices.Clone(p.exported) }

// Restore restores them, before runs start.
func (p *Tree) Restore(exported []string) { p.exported = slices.Clone(exported) }

// maxExported bounds what is remembered over a restart of pipelines and steps whose span went out.
const maxExported = 1000

// markExported remembers that the span of a node was exported, so that it is not after a restart. The oldest are evicted.
func (p *Tree) markExported(id otlp.SpanID) {
	p.exported = append(p.exported, hex.EncodeToString(id[:]))
	if drop := len(p.exported) - maxExported; drop > 0 {
		p.exported = slices.Delete(p.exported, 0, drop)
	}
}

// wasExported reports whether the span of a node went out before a restart.
func (p *Tree) wasExported(id otlp.SpanID) bool {
	return slices.Contains(p.exported, hex.EncodeToString(id[:]))
}
