package telemetry

import (
	"strconv"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
)

// Every log record has a body, since a log store shows nothing else of it in a list. A text is the body of its record;
// all other records have one line, which is made of their event and bounded: names and ids by [nameBytes], what is quoted
// by bodyRunes. It repeats what attributes hold in full, so reading a record back ignores it.

// bodyRunes bounds what a line quotes of a target, an error, a question or the text of a progress event, in runes.
const bodyRunes = 80

// bodyRoom is room for most lines, on the stack.
const bodyRoom = 256

// bodyLines append the line of an event, by kind. Kinds whose body is a text have the line for a text that is empty or
// not captured.
var bodyLines = [...]func(line []byte, ev *events.DisplayEvent, service string) []byte{
	events.KindUnspecified:     lineOfContent,
	events.KindText:            lineOfContent,
	events.KindToolUse:         lineOfToolUse,
	events.KindToolResult:      lineOfToolResult,
	events.KindReasoning:       lineOfContent,
	events.KindMessage:         lineOfContent,
	events.KindUsage:           lineOfUsage,
	events.KindNotice:          lineOfNotice,
	events.KindPhase:           lineOfContent,
	events.KindSessionStarted:  lineOfStart("run"),
	events.KindTurnStarted:     lineOfStart("turn"),
	events.KindTurnDone:        lineOfEnd("turn"),
	events.KindTurnAborted:     lineOfEnd("turn"),
	events.KindSessionEnded:    lineOfEnd("run"),
	events.KindApprovalRequest: lineOfApproval,
	events.KindAskRequest:      lineOfAsk,
	events.KindToolProgress:    lineOfToolProgress,
	events.KindPrompt:          lineOfContent,
}

// putLine makes the line of an event the record's body. Service names the agent program.
func putLine(lr plog.LogRecord, ev *events.DisplayEvent, service string) {
	var room [bodyRoom]byte
	of := bodyLines[events.KindUnspecified]
	if int(ev.Kind) < len(bodyLines) {
		of = bodyLines[ev.Kind]
	}
	lr.Body().SetStr(string(of(room[:0], ev, service)))
}

func lineOfContent(line []byte, ev *events.DisplayEvent, _ string) []byte {
	line = append(line, ev.Kind.String()...)
	return appendCount(append(line, ", "...), int64(len(ev.Text)), " byte")
}

func lineOfToolUse(line []byte, ev *events.DisplayEvent, _ string) []byte {
	return appendQuote(append(line, toolName(ev.Tool.Name)...), ": ", cutTarget(ev.Tool.Target, bodyRunes))
}

func lineOfToolResult(line []byte, ev *events.DisplayEvent, _ string) []byte {
	t := &ev.Tool
	line = append(append(line, toolName(t.Name)...), ": "...)
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

func lineOfToolProgress(line []byte, ev *events.DisplayEvent, _ string) []byte {
	t := &ev.Tool
	line = append(append(line, toolName(t.Name)...), ": "...)
	if state := t.State.String(); state != "" {
		line = append(line, state...)
	} else {
		line = append(line, "in progress"...)
	}
	return appendTook(appendQuote(line, ": ", ev.Text), t.Duration)
}

func lineOfUsage(line []byte, ev *events.DisplayEvent, _ string) []byte {
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

func lineOfNotice(line []byte, ev *events.DisplayEvent, _ string) []byte {
	return appendQuote(append(line, ev.Notice.Level.String()...), ": ", ev.Notice.Code)
}

// lineOfStart is the line of what a run or turn begins with.
func lineOfStart(what string) func([]byte, *events.DisplayEvent, string) []byte {
	return func(line []byte, ev *events.DisplayEvent, service string) []byte {
		return appendStart(line, what, service, ev.Model)
	}
}

func appendStart(line []byte, what, service, model string) []byte {
	line = appendQuote(append(append(line, what...), " started"...), ": ", service)
	return appendQuote(line, ", ", model)
}

// lineOfEnd is the line of what a run or turn ends with.
func lineOfEnd(what string) func([]byte, *events.DisplayEvent, string) []byte {
	return func(line []byte, ev *events.DisplayEvent, _ string) []byte {
		line = append(append(line, what...), " ended: "...)
		e := ev.End
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
}

func lineOfApproval(line []byte, ev *events.DisplayEvent, _ string) []byte {
	line = append(line, "approval requested"...)
	if a := ev.Approval; a != nil {
		line = appendQuote(appendQuote(line, ": ", a.Tool), ": ", cutTarget(a.Subject, bodyRunes))
	}
	return line
}

func lineOfAsk(line []byte, ev *events.DisplayEvent, _ string) []byte {
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

// appendElapsed appends the line of the progress of a run: how long it has taken, and how long it will take where that is known.
func appendElapsed(line []byte, elapsed, left time.Duration) []byte {
	line = appendDuration(append(line, "running for "...), elapsed)
	if left > 0 {
		line = append(appendDuration(append(line, ", "...), left), " left"...)
	}
	return line
}

// appendQuote appends what the agent or its model wrote, on one line and cut, behind a separator; nothing if it is empty.
func appendQuote(line []byte, separator, quote string) []byte {
	if quote == "" {
		return line
	}
	return append(append(line, separator...), events.CleanLine(quote, bodyRunes)...)
}

// appendMore counts what is there beside the one that the line quotes.
func appendMore(line []byte, n int) []byte {
	if n <= 1 {
		return line
	}
	return append(strconv.AppendInt(append(line, " (+"...), int64(n-1), 10), ')')
}

// appendCount appends a number of things, whose name has an s unless it is one.
func appendCount(line []byte, n int64, name string) []byte {
	line = append(appendGrouped(line, n), name...)
	if n != 1 {
		line = append(line, 's')
	}
	return line
}

// appendGrouped appends a number with a comma before each three digits: 14,633.
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

// appendTook appends how long something took, if that is known.
func appendTook(line []byte, d time.Duration) []byte {
	if d <= 0 {
		return line
	}
	return appendDuration(append(line, ", "...), d)
}

// appendDuration appends a duration in the units that suit it: 40 ms, 5.0 s, 3 min 20 s, 2 h 5 min.
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

// appendCost appends what tokens cost, if that is known.
func appendCost(line []byte, u *events.Usage) []byte {
	if !u.HasCost {
		return line
	}
	return strconv.AppendFloat(append(line, ", $"...), u.CostUSD, 'f', 4, 64)
}
