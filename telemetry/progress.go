package telemetry

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
)

// What is watched live is reported while it goes on: a record when a run starts, with its model and agent, and one at each
// ProgressInterval with the time it has taken. Nothing of the kind is made of a session that is read afterwards.

// stepStarted writes the record of a run that began, if it is watched live and no second account.
func (s *Stream) stepStarted(r *run, waiting []pendingEvent) {
	if !s.watch() {
		return
	}
	model := ""
	for i := range waiting {
		if model = waiting[i].event.Model; model != "" {
			break
		}
	}
	lr := s.liveRecord(s.sink, r, otlp.EventNameStepStarted, 0)
	otlp.PutStr(lr.Attributes(), otlp.AttrGenAIRequestModel, model)
	lr.Body().SetStr(string(otlp.AppendStart(nil, "step", s.settings.Agent.ServiceName, model)))
}

// watch has progress reported of the run at work, if that is watched live: from its start, or from the first line that was
// written while it was followed.
func (s *Stream) watch() bool {
	r := s.run
	if !s.live || r == nil || r.closed || r.standing != standingFirst || r.subAgent || r.watched {
		return false
	}
	r.watched = true
	s.registry.await(s.registry.live, s)
	return true
}

// reportProgress reports how long the run has taken. Its records are numbered by the intervals since the run's start, so that
// none has the number of one that was exported before a restart. It reports whether the run has stalled.
func (s *Stream) reportProgress(into *batch, now time.Time) (stalled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.run
	if r == nil || r.closed {
		return false
	}
	elapsed := max(clock.InstantOf(now).Sub(r.begin.clock), 0)
	if silent, after := now.Sub(s.moved), s.registry.settings.StallAfter; after > 0 && silent >= after {
		s.reportStalled(into, elapsed, silent)
		return true
	}
	if s.registry.settings.ProgressInterval <= 0 {
		return false
	}
	lr := s.liveRecord(into, r, otlp.EventNameProgress, int(elapsed/s.registry.settings.ProgressInterval))
	left := max(s.settings.ExpectedDuration-elapsed, 0)
	lr.Attributes().PutDouble(otlp.AttrElapsed, elapsed.Seconds())
	lr.Attributes().PutDouble(otlp.AttrStepETA, left.Seconds())
	lr.Body().SetStr(string(otlp.AppendElapsed(nil, elapsed, left)))
	return false
}

// reportStalled reports once that a run goes without a line. The next line begins its progress anew.
func (s *Stream) reportStalled(into *batch, elapsed, silent time.Duration) {
	r := s.run
	s.registry.release(s.registry.live, s)
	r.watched = false
	lr := s.liveRecord(into, r, otlp.EventNameStalled, int(s.replay.lastOffset))
	lr.SetSeverityNumber(plog.SeverityNumberWarn)
	lr.SetSeverityText("WARN")
	lr.Attributes().PutDouble(otlp.AttrElapsed, elapsed.Seconds())
	lr.Attributes().PutDouble(otlp.AttrSilent, silent.Seconds())
	lr.Body().SetStr("no output for " + silent.Round(time.Second).String())
}

// liveRecord appends a record about a run at the present time.
func (s *Stream) liveRecord(into *batch, r *run, name string, n int) plog.LogRecord {
	now := s.registry.settings.Now()
	lr := into.Record(r.resource)
	lr.SetEventName(name)
	lr.SetSeverityNumber(plog.SeverityNumberInfo)
	lr.SetSeverityText("INFO")
	lr.SetTimestamp(pcommon.NewTimestampFromTime(now))
	lr.SetObservedTimestamp(pcommon.NewTimestampFromTime(now))
	lr.SetTraceID(r.traceID)
	lr.SetSpanID(r.top.spanID)
	m := lr.Attributes()
	otlp.PutStr(m, otlp.AttrGenAIConversationID, r.sessionID)
	otlp.PutStr(m, otlp.AttrGenAIAgentName, r.top.name)
	m.PutStr(otlp.AttrTimeSource, clock.SourceArrival.String())
	m.PutStr(otlp.AttrLogRecordUID, otlp.RecordUID(n, name, r.traceID.String(), r.top.spanID.String()).String())
	return lr
}

// dueProgress are the streams whose run had no progress record for an interval. Without progress they are only checked
// for a stall.
func (r *Registry) dueProgress(now time.Time) []*Stream {
	switch {
	case r.settings.ProgressInterval > 0:
		return r.due(r.live, now, r.settings.ProgressInterval, true)
	case r.settings.StallAfter > 0:
		return r.due(r.live, now, r.settings.StallAfter, true)
	default:
		return nil
	}
}
