package watch

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/render/style"
	"github.com/tailspan/tailspan/session/ledger"
)

// Agent is a snapshot of an agent or sub-agent. Its texts have no control characters.
type Agent struct {
	Key     string // identifies it on the board
	Depth   int    // 0 is the agent of a run
	Name    string
	Title   string // first line of its prompt
	ID      string
	Model   string
	Path    string // file or database with its lines
	Started time.Time
	Last    time.Time // time of the last line, its own or a sub-agent's
	Ended   time.Time // zero while it is running
	Outcome events.Outcome
	Error   string // why it failed
	Waiting string // an approval, an answer or a retry that it waits for
	Text    string // its last text
	Saying  bool   // the text is its last event
	Calls   []Call // the last calls, oldest first
	Made    int    // number of calls
	Failed  int    // number of failed calls
	Tokens  int64
	Cost    string // marked if it is an estimate; "" if unknown
}

// Call is a tool call.
type Call struct {
	style.Call
	State   CallState
	Started time.Time
	Took    time.Duration
	Error   string
}

// CallState is the state of a call.
type CallState uint8

// The states.
const (
	CallRuns CallState = iota
	CallDone
	CallFailed
	CallBackground // continues after its result
)

// agent is the board's data of an agent.
type agent struct {
	up      *agent // nil for the agent of a run
	number  int    // number of a sub-agent in its run
	name    string
	title   string
	id      string
	model   string
	source  string         // its id
	linked  bool           // lines contain its call
	saying  bool           // its last event is a text
	span    pcommon.SpanID // span of the current task, if a line has it
	spanned bool           // that span has arrived
	started time.Time
	last    time.Time
	ended   time.Time
	outcome events.Outcome
	failure string
	waiting string
	text    string
	calls   []call
	counts
}

// counts hold what an agent did and used.
type counts struct {
	made, failed int
	usage        account
}

type call struct {
	id   string
	tool verdict.Call
	Call
}

// apply applies an event of the agent; span is that of its record.
func (a *agent) apply(ev *events.DisplayEvent, span pcommon.SpanID, prices ledger.Prices) {
	if a.started.IsZero() || ev.Time.Before(a.started) {
		a.started = ev.Time
	}
	if ev.Time.After(a.last) {
		a.last = ev.Time
	}
	a.id, a.model = cmp.Or(ev.AgentID, a.id), cmp.Or(ev.Model, a.model)
	if ev.Kind != events.KindUsage && ev.Kind != events.KindMessage && ev.Kind != events.KindToolProgress {
		a.waiting, a.saying = "", ev.Kind == events.KindText
	}
	if ev.Kind == events.KindToolUse && !a.spanned && ev.Time.After(a.ended) {
		a.ended = time.Time{} // it continues nevertheless
	}
	switch ev.Kind {
	case events.KindSessionStarted, events.KindTurnStarted:
		a.begin(span)
	case events.KindPrompt:
		if a.begin(span); !ev.Synthetic {
			a.title = cmp.Or(a.title, events.Summary(ev.Text))
		}
	case events.KindTurnDone:
		if ev.End != nil {
			a.over(ev.Time, ev.End.Outcome(), ev.End.Err)
		}
	case events.KindText:
		a.said(ev.Text)
	case events.KindToolUse:
		a.called(ev)
	case events.KindToolResult:
		a.answered(ev)
	case events.KindUsage:
		if ev.Usage != nil {
			a.usage.apply(cmp.Or(ev.Model, a.model), ev.Usage, prices)
		}
	case events.KindApprovalRequest, events.KindAskRequest:
		a.waiting = style.Waiting(ev)
	case events.KindNotice:
		if ev.Notice.Code == events.NoticeAPIRetry {
			a.waiting = "retrying: " + events.Summary(ev.Text)
		}
	}
}

// begin begins a task: the first one, or another of a sub-agent that is asked again.
func (a *agent) begin(span pcommon.SpanID) {
	if a.up != nil && (span != a.span || !a.spanned) {
		a.ended, a.outcome, a.failure, a.spanned = time.Time{}, events.OutcomeUnknown, "", false
	}
	a.span = span
}

// over ends the task of a sub-agent whose turn or call has ended. Its span, which arrives later, decides how it ended.
func (a *agent) over(at time.Time, how events.Outcome, failure string) {
	if a.up != nil && a.ended.IsZero() {
		a.ended, a.outcome, a.failure = at, how, line(events.Summary(failure))
	}
}

// said keeps the end of the agent's text.
func (a *agent) said(text string) {
	text = strings.TrimSpace(render.Sanitize(text))
	if text == "" {
		return
	}
	if a.text += "\n" + text; len(a.text) > maxText {
		a.text = strings.ToValidUTF8(a.text[len(a.text)-maxText:], "")
		_, rest, found := strings.Cut(a.text, "\n")
		if found {
			a.text = rest
		}
	}
	a.text = strings.TrimSpace(a.text)
}

// called adds a call.
func (a *agent) called(ev *events.DisplayEvent) {
	if ev.Tool.Partial {
		return
	}
	a.made++
	if len(a.calls) >= maxCalls {
		oldest := slices.IndexFunc(a.calls, func(c call) bool { return c.State != CallRuns })
		a.calls = slices.Delete(a.calls, max(oldest, 0), max(oldest, 0)+1)
	}
	judged, shown := verdict.Call{Tool: ev.Tool.Name, Arg: ev.Tool.Arg()}, Call{Call: style.CallOf(&ev.Tool), Started: ev.Time}
	a.calls = append(a.calls, call{ev.Tool.ID, judged, shown})
}

// answered ends a call.
func (a *agent) answered(ev *events.DisplayEvent) {
	if ev.Tool.Error {
		a.failed++
	}
	for i := range slices.Backward(a.calls) {
		c := &a.calls[i]
		if c.id != ev.Tool.ID || c.State != CallRuns {
			continue
		}
		c.Took = cmp.Or(ev.Tool.Duration, since(c.Started, ev.Time))
		switch {
		case ev.Tool.Error:
			c.State = CallFailed
			c.Error = line(cmp.Or(events.Summary(ev.Tool.Err), ev.Tool.Summary))
			if c.Error == "" && ev.Tool.HasExitCode {
				c.Error = "exit code " + strconv.Itoa(ev.Tool.ExitCode)
			}
		case ev.Tool.State == events.ToolStateBackground:
			c.State = CallBackground
		default:
			c.State = CallDone
		}
		return
	}
}

// end applies the span of a task. The agent is over unless another task has begun since.
func (a *agent) end(span ptrace.Span) {
	m := span.Attributes()
	total := otlp.ReadUsage(m).Total
	a.usage.ended.add(usedOf(&total))
	begin := span.StartTimestamp().AsTime()
	if a.up == nil || a.started.IsZero() || begin.Before(a.started) { // another task of a sub-agent begins later
		a.started = begin
	}
	if !a.span.IsEmpty() && a.span != span.SpanID() && a.up != nil {
		return
	}
	a.spanned, a.ended = true, span.EndTimestamp().AsTime()
	a.outcome, a.waiting = events.ParseOutcome(otlp.Str(m, otlp.AttrRunOutcome)), ""
	a.failure = line(cmp.Or(events.Summary(span.Status().Message()), otlp.Str(m, otlp.AttrErrorType)))
}

// running returns the newest running call, or nil.
func (a *agent) running() *call {
	for i := range slices.Backward(a.calls) {
		if a.calls[i].State == CallRuns {
			return &a.calls[i]
		}
	}
	return nil
}

// snapshot returns the agent for display.
func (a *agent) snapshot(run string, depth int, of *Source) Agent {
	out := Agent{
		Key: agentKey(run, a.number), Depth: depth, Name: line(a.name), Title: line(a.title), ID: line(a.id), Model: line(a.model),
		Started: a.started, Last: a.last, Ended: a.ended, Outcome: a.outcome, Error: a.failure, Waiting: a.waiting, Text: a.text, Saying: a.saying,
		Made: a.made, Failed: a.failed,
	}
	if of != nil {
		out.Path = line(of.Path)
	}
	out.Calls = make([]Call, len(a.calls))
	for i := range a.calls {
		out.Calls[i] = a.calls[i].Call
	}
	return out
}

// agentKey returns the key of the nth agent of a run; topKey is that of the first.
func agentKey(run string, n int) string { return run + "/" + strconv.Itoa(n) }
func topKey(run string) string          { return agentKey(run, 0) }

// maxLine bounds a text on one line, in runes.
const maxLine = 400

// line converts s to one line that is safe to show.
func line(s string) string { return events.CleanLine(render.Sanitize(s), maxLine) }
