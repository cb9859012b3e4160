package exportcheck

import (
	"crypto/sha256"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/internal/otlpjson"
)

// DropRepeats removes spans that come again with the same ids and the same content, and counts them: delivery is at least once.
// Spans that have the same ids and differ stay.
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

// contentOf is a sum of all that a span has, its ids too.
func contentOf(span ptrace.Span) (sum [sha256.Size]byte, err error) {
	td := ptrace.NewTraces()
	span.CopyTo(td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	encoded, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	return sha256.Sum256(encoded), err
}
