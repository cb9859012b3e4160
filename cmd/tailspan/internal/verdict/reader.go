package verdict

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/outcome"
)

// Reader gathers facts from what the pipeline exports. Its zero value is ready to use.
type Reader struct {
	facts    Facts
	last     outcome.Verdict // of the run that ended last
	lastEnd  pcommon.Timestamp
	knewExit bool                // the span of that run has the exit
	event    events.DisplayEvent // of the current record
}

// Read adds spans and records.
func (r *Reader) Read(d *otlp.Data) {
	for span := range d.Spans() {
		r.span(span)
	}
	for lr := range d.Records() {
		r.record(lr)
	}
}

// Exited adds the exit of the process that wrote the stream. Call it after all output was read.
func (r *Reader) Exited(e *outcome.Exit) { r.facts.Exit = e }

// Passed takes in the number of lines of an unknown agent that are in no record.
func (r *Reader) Passed(lines int) { r.facts.Words += lines }

// LastLine takes in the plain text that the program wrote after the last event, in one line.
func (r *Reader) LastLine(text string) { r.facts.LastLine = text }

// Facts returns the facts gathered so far.
func (r *Reader) Facts() Facts {
	f := r.facts
	if f.Worst.Outcome != events.OutcomeUnknown && f.Exit != nil && !r.knewExit {
		if v := r.withExit(); v.WorseThan(&f.Worst) {
			f.Worst = v
		}
	}
	return f
}

// Verdict decides on everything gathered so far.
func (r *Reader) Verdict() Verdict {
	f := r.Facts()
	return f.Verdict()
}

// withExit applies the exit to the verdict on the last run if the run's span was exported before its process ended.
func (r *Reader) withExit() outcome.Verdict {
	shown := outcome.Evidence{
		End:  &events.End{Decided: r.last.Outcome, Err: r.last.Message, Cause: r.last.Cause},
		Exit: r.facts.Exit, Why: r.last.Reason,
	}
	return shown.Verdict()
}

func (r *Reader) span(span ptrace.Span) {
	m := span.Attributes()
	switch otlp.Str(m, otlp.AttrGenAIOperationName) {
	case otlp.OperationInvokeAgent:
		if otlp.Str(m, otlp.AttrSessionID) != "" || otlp.Str(m, otlp.AttrRunKey) != "" { // a run, not a sub-agent
			r.run(span, m)
		}
	case otlp.OperationExecuteTool:
		r.call(span, m)
	}
}

// OutcomeOf returns how a run ended, from its span.
func OutcomeOf(span ptrace.Span) outcome.Verdict {
	m := span.Attributes()
	v := outcome.Verdict{
		Outcome: events.ParseOutcome(otlp.Str(m, otlp.AttrRunOutcome)),
		Reason:  otlp.CloseReason(otlp.Str(m, otlp.AttrCloseReason)),
		Message: span.Status().Message(),
	}
	if v.Outcome == events.OutcomeError {
		v.Cause = events.Cause(otlp.Str(m, otlp.AttrErrorType))
	}
	return v
}

func (r *Reader) run(span ptrace.Span, m pcommon.Map) {
	v := OutcomeOf(span)
	if v.WorseThan(&r.facts.Worst) {
		r.facts.Worst = v
	}
	if span.EndTimestamp() >= r.lastEnd {
		r.last, r.lastEnd = v, span.EndTimestamp()
		_, code := m.Get(otlp.AttrProcessExitCode)
		_, signal := m.Get(otlp.AttrProcessSignal)
		r.knewExit = code || signal
	}
}

func (r *Reader) call(span ptrace.Span, m pcommon.Map) {
	r.facts.Ended(EndedCall{
		Tool: otlp.Str(m, otlp.AttrGenAIToolName), Target: otlp.Str(m, otlp.AttrToolTarget), Start: span.StartTimestamp().AsTime(),
		Reason: otlp.CloseReason(otlp.Str(m, otlp.AttrCloseReason)), ErrorType: otlp.Str(m, otlp.AttrErrorType),
	})
}

func (r *Reader) record(lr plog.LogRecord) {
	if lr.EventName() == otlp.EventNameRaw {
		r.facts.Words++
		return
	}
	if otlp.EventFromRecord(lr, &r.event) {
		r.facts.Say(&r.event)
	}
}
