package batch

import (
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// list is a slice of pdata.
type list[E interface{ MoveTo(E) }] interface {
	Len() int
	RemoveIf(func(E) bool)
	AppendEmpty() E
}

// moveBehind moves the elements after the first keep elements of a list to the list that into returns. It calls into once, and
// only if there is something to move. It returns how many of keep remain for the next list.
func moveBehind[E interface{ MoveTo(E) }, L list[E]](from L, keep int, into func() L) int {
	n := from.Len()
	if n <= keep {
		return keep - n
	}
	i, to := 0, into()
	from.RemoveIf(func(e E) bool {
		if i++; i <= keep {
			return false
		}
		e.MoveTo(to.AppendEmpty())
		return true
	})
	return 0
}

func halveTraces(td ptrace.Traces) ptrace.Traces {
	second, keep := ptrace.NewTraces(), td.SpanCount()/2
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		resource, made := ptrace.ResourceSpans{}, false
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			keep = moveBehind(ss.Spans(), keep, func() ptrace.SpanSlice {
				if !made {
					resource, made = second.ResourceSpans().AppendEmpty(), true
					rs.Resource().CopyTo(resource.Resource())
					resource.SetSchemaUrl(rs.SchemaUrl())
				}
				scope := resource.ScopeSpans().AppendEmpty()
				ss.Scope().CopyTo(scope.Scope())
				scope.SetSchemaUrl(ss.SchemaUrl())
				return scope.Spans()
			})
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
	return second
}

func halveLogs(ld plog.Logs) plog.Logs {
	second, keep := plog.NewLogs(), ld.LogRecordCount()/2
	ld.ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool {
		resource, made := plog.ResourceLogs{}, false
		rl.ScopeLogs().RemoveIf(func(sl plog.ScopeLogs) bool {
			keep = moveBehind(sl.LogRecords(), keep, func() plog.LogRecordSlice {
				if !made {
					resource, made = second.ResourceLogs().AppendEmpty(), true
					rl.Resource().CopyTo(resource.Resource())
					resource.SetSchemaUrl(rl.SchemaUrl())
				}
				scope := resource.ScopeLogs().AppendEmpty()
				sl.Scope().CopyTo(scope.Scope())
				scope.SetSchemaUrl(sl.SchemaUrl())
				return scope.LogRecords()
			})
			return sl.LogRecords().Len() == 0
		})
		return rl.ScopeLogs().Len() == 0
	})
	return second
}

func halveMetrics(md pmetric.Metrics) pmetric.Metrics {
	second, keep := pmetric.NewMetrics(), md.DataPointCount()/2
	md.ResourceMetrics().RemoveIf(func(rm pmetric.ResourceMetrics) bool {
		resource, made := pmetric.ResourceMetrics{}, false
		rm.ScopeMetrics().RemoveIf(func(sm pmetric.ScopeMetrics) bool {
			scope, begun := pmetric.ScopeMetrics{}, false
			sm.Metrics().RemoveIf(func(m pmetric.Metric) (moved bool) {
				keep, moved = movePoints(m, keep, func() pmetric.Metric {
					if !made {
						resource, made = second.ResourceMetrics().AppendEmpty(), true
						rm.Resource().CopyTo(resource.Resource())
						resource.SetSchemaUrl(rm.SchemaUrl())
					}
					if !begun {
						scope, begun = resource.ScopeMetrics().AppendEmpty(), true
						sm.Scope().CopyTo(scope.Scope())
						scope.SetSchemaUrl(sm.SchemaUrl())
					}
					return headOf(m, scope.Metrics().AppendEmpty())
				})
				return moved
			})
			return sm.Metrics().Len() == 0
		})
		return rm.ScopeMetrics().Len() == 0
	})
	return second
}

// headOf gives a metric the name, unit and description of another.
func headOf(m, to pmetric.Metric) pmetric.Metric {
	to.SetName(m.Name())
	to.SetUnit(m.Unit())
	to.SetDescription(m.Description())
	m.Metadata().CopyTo(to.Metadata())
	return to
}

// movePoints moves the data points after the first keep of a metric, and reports whether none are left in it.
func movePoints(m pmetric.Metric, keep int, into func() pmetric.Metric) (left int, none bool) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		points := m.Gauge().DataPoints()
		left = moveBehind(points, keep, func() pmetric.NumberDataPointSlice { return into().SetEmptyGauge().DataPoints() })
		none = points.Len() == 0
	case pmetric.MetricTypeSum:
		points := m.Sum().DataPoints()
		left = moveBehind(points, keep, func() pmetric.NumberDataPointSlice {
			sum := into().SetEmptySum()
			sum.SetIsMonotonic(m.Sum().IsMonotonic())
			sum.SetAggregationTemporality(m.Sum().AggregationTemporality())
			return sum.DataPoints()
		})
		none = points.Len() == 0
	case pmetric.MetricTypeHistogram:
		points := m.Histogram().DataPoints()
		left = moveBehind(points, keep, func() pmetric.HistogramDataPointSlice {
			histogram := into().SetEmptyHistogram()
			histogram.SetAggregationTemporality(m.Histogram().AggregationTemporality())
			return histogram.DataPoints()
		})
		none = points.Len() == 0
	case pmetric.MetricTypeExponentialHistogram:
		points := m.ExponentialHistogram().DataPoints()
		left = moveBehind(points, keep, func() pmetric.ExponentialHistogramDataPointSlice {
			histogram := into().SetEmptyExponentialHistogram()
			histogram.SetAggregationTemporality(m.ExponentialHistogram().AggregationTemporality())
			return histogram.DataPoints()
		})
		none = points.Len() == 0
	default: // a summary, which tailspan does not produce, stays in the first half
		left = keep
	}
	return left, none
}
