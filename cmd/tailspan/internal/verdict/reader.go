package verdict

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/outcome"
)

// Reader gathers the facts from what the pipeline exports. Its zero value is ready.
type Reader struct {
	facts    Facts
	last     outcome.Verdict // of the run that ended last
	lastEnd  pcommon.Timestamp
	knewExit bool                // that run's span has the exit
	event    events.DisplayEvent // of the record at hand
}

// Read takes in spans and records.
func (r *Reader) Read(d *otlp.Data) {
	for span := range d.Spans() {
		r.span(span)
	}
	for lr := range d.Records() {
		r.record(lr)
	}
}

// Exited takes in how the process ended that wrote the stream, after all that it wrote.
func (r *Reader) Exited(e *outcome.Exit) { r.facts.Exit = e }

// Facts are those that were gathered until now.
func (r *Reader) Facts() Facts {
	f := r.facts
	if f.Worst.Outcome != events.OutcomeUnknown && f.Exit != nil && !r.knewExit {
		if v := r.withExit(); v.WorseThan(&f.Worst) {
			f.Worst = v
		}
	}
	return f
}

// Verdict decides on all that was gathered until now.
func (r *Reader) Verdict() Verdict {
	f := r.Facts()
	return f.Verdict()
}

// withExit is the verdict on the last run with the exit of a process that stayed for so long that the run's span went out
// before.
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

// OutcomeOf is how a run ended, by its span.
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
