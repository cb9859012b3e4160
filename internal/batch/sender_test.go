package batch_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/internal/batch"
)

const mark = "test.truncated"

var errTooLarge = errors.New("rpc error: code = ResourceExhausted desc = grpc: received message larger than max (9 vs. 8)")

// logsOf returns a batch of resources, each with two scopes, and in each of them as many records as bodies.
func logsOf(resources int, bodies ...string) plog.Logs {
	ld := plog.NewLogs()
	for r := range resources {
		rl := ld.ResourceLogs().AppendEmpty()
		rl.SetSchemaUrl("resource schema")
		rl.Resource().Attributes().PutStr("resource", strconv.Itoa(r))
		for s := range 2 {
			sl := rl.ScopeLogs().AppendEmpty()
			sl.SetSchemaUrl("scope schema")
			sl.Scope().SetName(strconv.Itoa(s))
			for i, body := range bodies {
				lr := sl.LogRecords().AppendEmpty()
				lr.Body().SetStr(body)
				lr.Attributes().PutStr("id", fmt.Sprintf("%d/%d/%d", r, s, i))
			}
		}
	}
	return ld
}

// records lists ID, scope, resource and body of each record.
func records(ld plog.Logs) (list []string) {
	for _, rl := range ld.ResourceLogs().All() {
		resource, _ := rl.Resource().Attributes().Get("resource")
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				id, _ := lr.Attributes().Get("id")
				list = append(list, strings.Join([]string{resource.Str(), rl.SchemaUrl(), sl.Scope().Name(), sl.SchemaUrl(), id.Str(), lr.Body().Str()}, " "))
			}
		}
	}
	return list
}

func logsSize(ld plog.Logs) int { return (&plog.ProtoMarshaler{}).LogsSize(ld) }

func cloneLogs(ld plog.Logs) plog.Logs {
	c := plog.NewLogs()
	ld.CopyTo(c)
	return c
}

// TestLimit: parts are within the limit, except those of one element, and together they are the input, in order.
func TestLimit(t *testing.T) {
	for _, tt := range []struct {
		name  string
		batch plog.Logs
		limit int
		parts int
	}{
		{"none", logsOf(2, "a", "b", "c"), 0, 1},
		{"within", logsOf(1, "a"), 1 << 20, 1},
		{"over", logsOf(3, "a", "b", "c", "d"), 300, 4},
		{"elements over", logsOf(1, strings.Repeat("x", 500), "a"), 200, 4},
		{"empty", plog.NewLogs(), 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := records(tt.batch)
			var got []string
			parts := 0
			s := batch.Sender{Limit: tt.limit}
			rest, err := s.Logs(tt.batch, func(p batch.Part[plog.Logs]) error {
				parts++
				assert.Equal(t, p.Batch.LogRecordCount(), p.Elements)
				assert.False(t, p.Last)
				if tt.limit > 0 && p.Elements > 1 {
					assert.LessOrEqual(t, logsSize(p.Batch), tt.limit)
				}
				got = append(got, records(p.Batch)...)
				return nil
			})
			require.NoError(t, err)
			assert.Zero(t, rest.LogRecordCount())
			assert.Equal(t, want, got)
			assert.Equal(t, tt.parts, parts)
		})
	}
}

// TestSplit: a batch refused for its size arrives in smaller parts, complete and in order, and what the consumer received
// before does not change.
func TestSplit(t *testing.T) {
	ld := logsOf(2, "a", "b", "c")
	ld.MarkReadOnly() // as behind a fan-out
	want := records(ld)
	var got []string
	var seen []plog.Logs
	var was [][]string
	splits := 0
	s := batch.Sender{Split: func() { splits++ }}
	_, err := s.Logs(ld, func(p batch.Part[plog.Logs]) error {
		seen, was = append(seen, p.Batch), append(was, records(p.Batch))
		if p.Elements > 2 {
			return errTooLarge
		}
		got = append(got, records(p.Batch)...)
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, 1+2+4, splits) // of 12, 6 and 3 records
	for i := range seen {
		assert.Equal(t, was[i], records(seen[i]))
	}
}

// TestRemainder: what was not accepted is returned, and sending continues from there.
func TestRemainder(t *testing.T) {
	for _, limit := range []int{0, 100} {
		ld := logsOf(2, "a", "b", "c")
		want := records(ld)
		var got []string
		s := batch.Sender{Limit: limit}
		stop := errors.New("stopped")
		rest, err := s.Logs(ld, func(p batch.Part[plog.Logs]) error {
			p.Batch.MarkReadOnly()
			switch {
			case p.Elements > 3:
				return errTooLarge
			case len(got) > 0:
				return stop
			}
			got = append(got, records(p.Batch)...)
			return nil
		})
		require.ErrorIs(t, err, stop)
		require.NotEmpty(t, got)
		require.NotZero(t, rest.LogRecordCount())
		rest, err = s.Logs(rest, func(p batch.Part[plog.Logs]) error {
			got = append(got, records(p.Batch)...)
			return nil
		})
		require.NoError(t, err)
		assert.Zero(t, rest.LogRecordCount())
		assert.Equal(t, want, got, "limit %d", limit)
	}
}

// TestCut: a single refused record is cut, its longest value first, until it is accepted, marked, and counted once.
func TestCut(t *testing.T) {
	text := strings.Repeat("é", 50_000)
	for _, tt := range []struct {
		name  string
		fill  func(plog.LogRecord)
		limit int // of the sender
		takes int // of the consumer
		least int // size of what arrives
	}{
		{"body", func(lr plog.LogRecord) { lr.Body().SetStr(text) }, 0, 30_000, 15_000},
		{"to the sender's limit", func(lr plog.LogRecord) { lr.Body().SetStr(text) }, 40_000, 60_000, 39_900},
		{"attribute", func(lr plog.LogRecord) {
			lr.Body().SetStr("short")
			lr.Attributes().PutStr("long", text)
		}, 0, 30_000, 15_000},
		{"bytes", func(lr plog.LogRecord) { lr.Body().SetEmptyBytes().FromRaw([]byte(text)) }, 0, 30_000, 15_000},
		{"deep", func(lr plog.LogRecord) {
			lr.Body().SetEmptyMap().PutEmptySlice("list").AppendEmpty().SetStr(text)
		}, 0, 30_000, 15_000},
		{"many", func(lr plog.LogRecord) {
			for i := range 100 {
				lr.Attributes().PutStr(fmt.Sprint("long", i), text[:1000])
			}
		}, 0, 40_000, 20_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ld := plog.NewLogs()
			lr := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
			lr.Attributes().PutStr("id", "kept")
			tt.fill(lr)
			before := cloneLogs(ld)
			var got plog.Logs
			cuts := 0
			s := batch.Sender{Limit: tt.limit, Mark: mark, Cut: func() { cuts++ }}
			_, err := s.Logs(ld, func(p batch.Part[plog.Logs]) error {
				require.False(t, p.Last)
				if logsSize(p.Batch) > tt.takes {
					return errTooLarge
				}
				got = p.Batch
				return nil
			})
			require.NoError(t, err)
			assert.Equal(t, 1, cuts)
			assert.GreaterOrEqual(t, logsSize(got), tt.least)
			arrived := got.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
			assert.Equal(t, map[string]any{"id": "kept", mark: true}, idAndMark(arrived.Attributes()))
			assert.True(t, utf8.ValidString(arrived.Body().AsString()))
			assert.Equal(t, before, ld, "the batch that was refused is not changed")
		})
	}
}

func idAndMark(m pcommon.Map) map[string]any {
	raw := m.AsRaw()
	return map[string]any{"id": raw["id"], mark: raw[mark]}
}

// TestLast: an element that can't be cut any more is offered once more as the last, and the result of send then counts.
func TestLast(t *testing.T) {
	for _, refused := range []bool{false, true} {
		ld := logsOf(1, strings.Repeat("x", 5000))
		lasts := 0
		s := batch.Sender{Mark: mark}
		rest, err := s.Logs(ld, func(p batch.Part[plog.Logs]) error {
			if !p.Last {
				return errTooLarge
			}
			lasts++
			assert.LessOrEqual(t, len(p.Batch.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Body().Str()), 256)
			if refused {
				return errTooLarge
			}
			return nil
		})
		if refused {
			require.ErrorIs(t, err, errTooLarge)
			assert.Equal(t, 2, rest.LogRecordCount())
			assert.Equal(t, 1, lasts)
		} else {
			require.NoError(t, err)
			assert.Equal(t, 2, lasts)
		}
	}
}

func tracesOf(resources int, names ...string) ptrace.Traces {
	td := ptrace.NewTraces()
	for r := range resources {
		rs := td.ResourceSpans().AppendEmpty()
		rs.SetSchemaUrl("resource schema")
		rs.Resource().Attributes().PutStr("resource", strconv.Itoa(r))
		ss := rs.ScopeSpans().AppendEmpty()
		ss.SetSchemaUrl("scope schema")
		ss.Scope().SetName("scope")
		for _, name := range names {
			ss.Spans().AppendEmpty().SetName(name)
		}
	}
	return td
}

func spans(td ptrace.Traces) (list []string) {
	for _, rs := range td.ResourceSpans().All() {
		resource, _ := rs.Resource().Attributes().Get("resource")
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				list = append(list, strings.Join([]string{resource.Str(), rs.SchemaUrl(), ss.Scope().Name(), ss.SchemaUrl(), span.Name()}, " "))
			}
		}
	}
	return list
}

func TestTraces(t *testing.T) {
	td := tracesOf(3, "a", "b", "c", "d", "e")
	want := spans(td)
	var got []string
	s := batch.Sender{Limit: 400}
	_, err := s.Traces(td, func(p batch.Part[ptrace.Traces]) error {
		p.Batch.MarkReadOnly()
		assert.LessOrEqual(t, (&ptrace.ProtoMarshaler{}).TracesSize(p.Batch), 400)
		if p.Elements > 1 {
			return errTooLarge
		}
		got = append(got, spans(p.Batch)...)
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// TestCutSpan: attributes, those of events, and the status message of a span are cut.
func TestCutSpan(t *testing.T) {
	td := tracesOf(1, "a")
	span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	long := strings.Repeat("x", 10_000)
	span.Status().SetMessage(long)
	span.Attributes().PutStr("long", long)
	span.Events().AppendEmpty().Attributes().PutStr("long", long)
	s := batch.Sender{Mark: mark}
	_, err := s.Traces(td, func(p batch.Part[ptrace.Traces]) error {
		if (&ptrace.ProtoMarshaler{}).TracesSize(p.Batch) > 2000 {
			return errTooLarge
		}
		got := p.Batch.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		v, _ := got.Attributes().Get(mark)
		assert.True(t, v.Bool())
		assert.NotEmpty(t, got.Status().Message())
		return nil
	})
	require.NoError(t, err)
}

// TestMetrics: data points of all types keep their metric's name, unit and kind.
func TestMetrics(t *testing.T) {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("resource", "r")
	sm := rm.ScopeMetrics().AppendEmpty()
	for i := range 4 {
		m := sm.Metrics().AppendEmpty()
		m.SetName(fmt.Sprint("metric ", i))
		m.SetUnit("s")
		for p := range 5 {
			switch i {
			case 0:
				if p == 0 {
					m.SetEmptyGauge()
				}
				m.Gauge().DataPoints().AppendEmpty().SetIntValue(int64(p))
			case 1:
				if p == 0 {
					m.SetEmptySum().SetIsMonotonic(true)
					m.Sum().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
				}
				m.Sum().DataPoints().AppendEmpty().SetIntValue(int64(p))
			case 2:
				if p == 0 {
					m.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
				}
				m.Histogram().DataPoints().AppendEmpty().SetCount(uint64(p))
			case 3:
				if p == 0 {
					m.SetEmptyExponentialHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
				}
				m.ExponentialHistogram().DataPoints().AppendEmpty().SetCount(uint64(p))
			}
		}
	}
	want := points(md)
	var got []string
	s := batch.Sender{}
	_, err := s.Metrics(md, func(p batch.Part[pmetric.Metrics]) error {
		if p.Elements > 2 {
			return errTooLarge
		}
		got = append(got, points(p.Batch)...)
		return nil
	})
	require.NoError(t, err)
	require.Len(t, want, 20)
	assert.Equal(t, want, got)
}

func points(md pmetric.Metrics) (list []string) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				add := func(value any) {
					list = append(list, fmt.Sprint(rm.Resource().Attributes().AsRaw(), m.Name(), m.Unit(), m.Type(), value))
				}
				switch m.Type() {
				case pmetric.MetricTypeGauge:
					for _, p := range m.Gauge().DataPoints().All() {
						add(p.IntValue())
					}
				case pmetric.MetricTypeSum:
					for _, p := range m.Sum().DataPoints().All() {
						add([]any{m.Sum().IsMonotonic(), m.Sum().AggregationTemporality(), p.IntValue()})
					}
				case pmetric.MetricTypeHistogram:
					for _, p := range m.Histogram().DataPoints().All() {
						add([]any{m.Histogram().AggregationTemporality(), p.Count()})
					}
				case pmetric.MetricTypeExponentialHistogram:
					for _, p := range m.ExponentialHistogram().DataPoints().All() {
						add([]any{m.ExponentialHistogram().AggregationTemporality(), p.Count()})
					}
				}
			}
		}
	}
	return list
}

// TestLimitOfManyElements: large batches, which are not sized element by element if they are far below the limit, are bounded
// all the same, wherever the large elements are.
func TestLimitOfManyElements(t *testing.T) {
	const limit = 1 << 20
	for name, size := range map[string]func(i int) (body, attribute int){
		"bodies":                func(int) (int, int) { return 3000, 10 },
		"one body":              func(i int) (int, int) { return 10 + i/1999*2_000_000, 10 },
		"attributes":            func(int) (int, int) { return 10, 3000 },
		"every second":          func(i int) (int, int) { return 10, 10 + i%2*5000 },
		"every fourth":          func(i int) (int, int) { return 10, 10 + (i+1)%4/3*10_000 },
		"small":                 func(int) (int, int) { return 10, 10 },
		"just below the limit":  func(int) (int, int) { return 10, 450 },
		"the half of the limit": func(int) (int, int) { return 10, 200 },
	} {
		t.Run(name, func(t *testing.T) {
			ld, td := plog.NewLogs(), ptrace.NewTraces()
			records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
			spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
			for i := range 2000 {
				body, attribute := size(i)
				lr := records.AppendEmpty()
				lr.Body().SetStr(strings.Repeat("x", body))
				lr.Attributes().PutStr("a", strings.Repeat("x", attribute))
				spans.AppendEmpty().Attributes().PutStr("a", strings.Repeat("x", attribute))
			}
			s := batch.Sender{Limit: limit}
			elements := 0
			_, err := s.Logs(ld, func(p batch.Part[plog.Logs]) error {
				elements += p.Elements
				if p.Elements > 1 {
					assert.LessOrEqual(t, logsSize(p.Batch), limit)
				}
				return nil
			})
			require.NoError(t, err)
			_, err = s.Traces(td, func(p batch.Part[ptrace.Traces]) error {
				elements += p.Elements
				assert.LessOrEqual(t, (&ptrace.ProtoMarshaler{}).TracesSize(p.Batch), limit)
				return nil
			})
			require.NoError(t, err)
			assert.Equal(t, 4000, elements)
		})
	}
}

// TestRefused: parts behind one that is refused for good are sent, and the refused ones are returned, before those behind an error.
func TestRefused(t *testing.T) {
	broken := errors.New("broken")
	for _, tc := range []struct {
		name string
		errs []error
		want []string
		err  error
	}{
		{"one", []error{nil, fmt.Errorf("send: %w", batch.ErrRefused), nil, nil}, []string{"0 resource schema 1 scope schema 0/1/0 b"}, batch.ErrRefused},
		{"before an error", []error{batch.ErrRefused, nil, broken}, []string{"0 resource schema 0 scope schema 0/0/0 b", "1 resource schema 0 scope schema 1/0/0 b", "1 resource schema 1 scope schema 1/1/0 b"}, broken},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := batch.Sender{Limit: 1}
			n := 0
			left, err := s.Logs(logsOf(2, "b"), func(batch.Part[plog.Logs]) error { n++; return tc.errs[n-1] })
			require.ErrorIs(t, err, tc.err)
			assert.Equal(t, tc.want, records(left))
			assert.Equal(t, len(tc.errs), n)
		})
	}
}
