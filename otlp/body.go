package otlp

import (
	"bytes"
	"strconv"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
)

// Every log record has a body, because log stores show only the body in lists. A text is the body of its record. All
// other records have one line made of their event, with bounded names and IDs ([NameBytes]) and quotes (bodyRunes). It
// repeats attributes, so reading a record back ignores it.

// bodyRunes bounds the quoted part of a target, an error, a question or the text of a progress event, in runes.
const bodyRunes = 80

// bodyRoom is room for most lines, on the stack.
const bodyRoom = 256

// putLine writes the line of an event as the record's body. service is the name of the agent program.
func (b *Batch) putLine(lr plog.LogRecord, ev *events.DisplayEvent, service string) {
	var room [bodyRoom]byte
	lr.Body().SetStr(b.keep(appendLine(room[:0], ev, service)))
}

// appendLine appends the line of an event. Kinds with a text have a line for a text that is empty or not captured. The
// calls are direct, so that the line stays on the stack.
func appendLine(line []byte, ev *events.DisplayEvent, service string) []byte {
	switch ev.Kind {
	case events.KindToolUse:
		return lineOfToolUse(line, ev)
	case events.KindToolResult:
		return lineOfToolResult(line, ev)
	case events.KindToolProgress:
		return lineOfToolProgress(line, ev)
	case events.KindUsage:
		return lineOfUsage(line, ev)
	case events.KindNotice:
		return lineOfNotice(line, ev)
	case events.KindSessionStarted:
		return appendStart(line, "run", service, ev.Model)
	case events.KindTurnStarted:
		return appendStart(line, "turn", service, ev.Model)
	case events.KindTurnDone, events.KindTurnAborted:
		return appendEnd(line, "turn", ev.End)
	case events.KindSessionEnded:
		return appendEnd(line, "run", ev.End)
	case events.KindApprovalRequest:
		return lineOfApproval(line, ev)
	case events.KindAskRequest:
		return lineOfAsk(line, ev)
	default:
		return lineOfContent(line, ev)
	}
}

func lineOfContent(line []byte, ev *events.DisplayEvent) []byte {
	line = append(line, ev.Kind.String()...)
	return appendCount(append(line, ", "...), int64(len(ev.Text)), " byte")
}

func lineOfToolUse(line []byte, ev *events.DisplayEvent) []byte {
	return appendQuote(append(line, ToolName(ev.Tool.Name)...), ": ", CutTarget(ev.Tool.Target, bodyRunes))
}

func lineOfToolResult(line []byte, ev *events.DisplayEvent) []byte {
	t := &ev.Tool
	line = append(append(line, ToolName(t.Name)...), ": "...)
	switch {
	case t.Denied:
		line = appendQuote(append(line, "denied"...), ": ", events.Summary(t.Err))
	case t.Error && t.Err == "" && t.HasExitCode:
		line = strconv.AppendInt(append(line, "error: exit code "...), int64(t.ExitCode), 10)
	case t.Error:
		line = appendQuote(append(line, "error"...), ": ", events.Summary(t.Err))
	case t.State == events.ToolStateBackground:
		line = append(line, "continues in the background"...)
	default:
		line = append(line, "ok"...)
	}
	if t.HasLines && !t.Error {
		line = appendCount(append(line, ", "...), int64(t.Lines), " line")
	}
	return appendTook(line, t.Duration)
}

func lineOfToolProgress(line []byte, ev *events.DisplayEvent) []byte {
	t := &ev.Tool
	line = append(append(line, ToolName(t.Name)...), ": "...)
	if state := t.State.String(); state != "" {
		line = append(line, state...)
	} else {
		line = append(line, "in progress"...)
	}
	return appendTook(appendQuote(line, ": ", ev.Text), t.Duration)
}

func lineOfUsage(line []byte, ev *events.DisplayEvent) []byte {
	u := ev.Usage
	if u == nil {
		u = &events.Usage{}
	}
	switch {
	case u.CostAlone():
		return strconv.AppendFloat(append(line, '$'), u.CostUSD, 'f', 4, 64)
	case u.OutputUnknown:
		line = append(appendGrouped(line, u.Tokens.Input), " input tokens"...)
	default:
		line = append(appendGrouped(line, u.Tokens.Input), " input, "...)
		line = append(appendGrouped(line, u.Tokens.Output), " output tokens"...)
	}
	return appendCost(line, u)
}

func lineOfNotice(line []byte, ev *events.DisplayEvent) []byte {
	return appendQuote(append(line, ev.Notice.Level.String()...), ": ", ev.Notice.Code)
}

// appendStart appends the line for the start of a run, turn or step.
func appendStart(line []byte, what, service, model string) []byte {
	line = appendQuote(append(append(line, what...), " started"...), ": ", service)
	return appendQuote(line, ", ", model)
}

// appendEnd appends the line for the end of a run or turn.
func appendEnd(line []byte, what string, e *events.End) []byte {
	line = append(append(line, what...), " ended: "...)
	if e == nil {
		return append(line, "ok"...)
	}
	switch o := e.Outcome(); o {
	case events.OutcomeInterrupted:
		line = appendQuote(append(line, "interrupted"...), ": ", events.Summary(e.Principle))
	case events.OutcomeUnknown:
		line = append(line, "unknown"...)
	default:
		line = appendQuote(append(line, o.String()...), ": ", events.Summary(e.Err))
	}
	took := e.Duration
	if took <= 0 && e.Totals != nil {
		took = e.Totals.Elapsed
	}
	line = appendTook(line, took)
	if e.Totals != nil {
		line = appendCost(line, &e.Totals.Usage)
	}
	return line
}

func lineOfApproval(line []byte, ev *events.DisplayEvent) []byte {
	line = append(line, "approval requested"...)
	if a := ev.Approval; a != nil {
		line = appendQuote(appendQuote(line, ": ", a.Tool), ": ", CutTarget(a.Subject, bodyRunes))
	}
	return line
}

func lineOfAsk(line []byte, ev *events.DisplayEvent) []byte {
	a := ev.Ask
	switch {
	case a == nil:
		return append(line, "question"...)
	case len(a.Answers) > 0:
		line = append(line, "answer"...)
		if selected := a.Answers[0].Selected; len(selected) > 0 {
			line = appendQuote(line, ": ", selected[0])
		}
		return appendMore(line, len(a.Answers))
	default:
		line = append(line, "question"...)
		if len(a.Questions) > 0 {
			line = appendQuote(line, ": ", a.Questions[0].Prompt)
		}
		return appendMore(line, len(a.Questions))
	}
}

// appendElapsed appends the line for the progress of a run: its elapsed time and, if known, its estimated remaining time.
func appendElapsed(line []byte, elapsed, left time.Duration) []byte {
	line = appendDuration(append(line, "running for "...), elapsed)
	if left > 0 {
		line = append(appendDuration(append(line, ", "...), left), " left"...)
	}
	return line
}

// appendQuote appends text of the agent or its model, on one line and cut, after a separator. It appends nothing if the text is empty.
func appendQuote(line []byte, separator, quote string) []byte {
	if quote == "" {
		return line
	}
	return events.AppendCleanLine(append(line, separator...), quote, bodyRunes)
}

// appendMore appends the number of items beyond the one that the line quotes.
func appendMore(line []byte, n int) []byte {
	if n <= 1 {
		return line
	}
	return append(strconv.AppendInt(append(line, " (+"...), int64(n-1), 10), ')')
}

// appendCount appends a number and a name, with an s unless the number is one.
func appendCount(line []byte, n int64, name string) []byte {
	line = append(appendGrouped(line, n), name...)
	if n != 1 {
		line = append(line, 's')
	}
	return line
}

// appendGrouped appends a number with thousands separators: 14,633.
func appendGrouped(line []byte, n int64) []byte {
	begin := len(line)
	line = strconv.AppendInt(line, n, 10)
	if n < 0 {
		begin++
	}
	for i := len(line) - 3; i > begin; i -= 3 {
		line = append(line, 0)
		copy(line[i+1:], line[i:])
		line[i] = ','
	}
	return line
}

// appendTook appends a duration if it is known. A quote before it loses its full stop.
func appendTook(line []byte, d time.Duration) []byte {
	if d <= 0 {
		return line
	}
	if before, found := bytes.CutSuffix(line, []byte(".")); found && !bytes.HasSuffix(before, []byte(".")) {
		line = before
	}
	return appendDuration(append(line, ", "...), d)
}

// appendDuration appends a duration in suitable units: 40 ms, 5.0 s, 3 min 20 s, 2 h 5 min.
func appendDuration(line []byte, d time.Duration) []byte {
	two := func(n time.Duration, unit string, rest time.Duration, restUnit string) []byte {
		line = append(strconv.AppendInt(line, int64(n), 10), unit...)
		return append(strconv.AppendInt(append(line, ' '), int64(rest), 10), restUnit...)
	}
	switch {
	case d < time.Second:
		return append(strconv.AppendInt(line, d.Milliseconds(), 10), " ms"...)
	case d < time.Minute:
		return append(strconv.AppendFloat(line, d.Truncate(100*time.Millisecond).Seconds(), 'f', 1, 64), " s"...)
	case d < time.Hour:
		return two(d/time.Minute, " min", d%time.Minute/time.Second, " s")
	default:
		return two(d/time.Hour, " h", d%time.Hour/time.Minute, " min")
	}
}

// appendCost appends the cost if it is known.
func appendCost(line []byte, u *events.Usage) []byte {
	if !u.HasCost {
		return line
	}
	return strconv.AppendFloat(append(line, ", $"...), u.CostUSD, 'f', 4, 64)
}
