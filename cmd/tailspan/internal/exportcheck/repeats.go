package exportcheck

import (
	"crypto/sha256"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/internal/otlpjson"
)

// DropRepeats removes and counts spans that repeat another with the same IDs and content: delivery is at least once. Spans with
// the same IDs and different content stay.
func DropRepeats(data *otlpjson.Data) (dropped int, err error) {
	seen := map[[sha256.Size]byte]bool{}
	for _, td := range data.Traces {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				ss.Spans().RemoveIf(func(span ptrace.Span) bool {
					content, failed := contentOf(span)
					if failed != nil {
						err = failed
						return false
					}
					if seen[content] {
						dropped++
						return true
					}
					seen[content] = true
					return false
				})
			}
		}
	}
	return dropped, err
}

// contentOf returns a hash of everything in a span, including its IDs.
func contentOf(span ptrace.Span) (sum [sha256.Size]byte, err error) {
	td := ptrace.NewTraces()
	span.CopyTo(td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	encoded, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	return sha256.Sum256(encoded), err
}
