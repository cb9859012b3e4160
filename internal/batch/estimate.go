package batch

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Sizing all elements of a batch takes some 8 % of the time it takes to create them, so a batch far below the limit is not
// sized: only every sampleStride-th element is. The stride is prime, so that it meets all elements of a repeating pattern in
// turn. Sizes other than those of bodies are doubled.
const (
	sampleStride = 17
	sampleFrom   = 16  // elements; a smaller batch is sized
	resourceSize = 128 // approximate size in bytes of an attribute of a resource or scope
)

// sample is what is known of a batch's size.
type sample struct {
	elements, sampled int
	bytes             int // of the sampled elements, without their bodies
	bodies            int // of all elements
	resources         int // of all resources and scopes, approximately
}

// next reports whether the next element is part of the sample.
func (s *sample) next() bool {
	s.elements++
	if s.elements%sampleStride != 1 {
		return false
	}
	s.sampled++
	return true
}

// total returns the estimated size of the whole batch, with a margin.
func (s *sample) total() int {
	if s.sampled == 0 {
		return 0
	}
	return s.bodies + 2*(s.resources+s.bytes/s.sampled*s.elements)
}

func estimateTraces(td ptrace.Traces) int {
	var s sample
	var m ptrace.ProtoMarshaler
	for _, rs := range td.ResourceSpans().All() {
		s.resources += (rs.Resource().Attributes().Len() + 2) * resourceSize
		for _, ss := range rs.ScopeSpans().All() {
			s.resources += (ss.Scope().Attributes().Len() + 2) * resourceSize
			spans := ss.Spans()
			for i := range spans.Len() {
				if s.next() {
					s.bytes += m.SpanSize(spans.At(i))
				}
			}
		}
	}
	return s.total()
}

func estimateLogs(ld plog.Logs) int {
	var s sample
	var m plog.ProtoMarshaler
	for _, rl := range ld.ResourceLogs().All() {
		s.resources += (rl.Resource().Attributes().Len() + 2) * resourceSize
		for _, sl := range rl.ScopeLogs().All() {
			s.resources += (sl.Scope().Attributes().Len() + 2) * resourceSize
			records := sl.LogRecords()
			for i := range records.Len() {
				lr := records.At(i)
				body := bodySize(lr.Body())
				s.bodies += body
				if s.next() {
					s.bytes += m.LogRecordSize(lr) - body
				}
			}
		}
	}
	return s.total()
}

// bodySize returns the size of a text or bytes, the bodies that can be large.
func bodySize(v pcommon.Value) int {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return len(v.Str())
	case pcommon.ValueTypeBytes:
		return v.Bytes().Len()
	}
	return 0
}
