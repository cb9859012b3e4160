package otlp

import (
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
)

// Writer writes events into log records. A record contains enough to render the event in every style without context.
// [EventFromRecord] reads it back.
type Writer struct {
	Semconv Semconv
	Capture CaptureSettings
	// TargetRunes bounds tailspan.tool.target, ContentBytes other content.
	TargetRunes, ContentBytes int
	// Discard omits the work of agents, which is the bulk of spans and records: only metrics count it.
	Discard bool
}

// write writes the event name, the severity and the attributes of the event, and the body if that is the event's text.
func (w *Writer) write(lr plog.LogRecord, m *attributes, ev *events.DisplayEvent) (hasBody bool) {
	lr.SetEventName(eventName(ev.Kind))
	w.severity(lr, ev)
	m.reserve(AttributesOf(ev))
	write(w, m, eventFields, ev)
	m.truncated = ev.Abridged
	hasBody = w.text(lr, m, ev)
	switch ev.Kind {
	case events.KindMessage:
		if w.Capture.Reasoning {
			w.content(m, AttrReasoning, ev.Reasoning)
		}
	case events.KindNotice, events.KindPhase:
		w.notice(m, ev)
	case events.KindToolUse, events.KindToolResult, events.KindToolProgress:
		w.tool(m, ev)
	case events.KindUsage:
		w.usage(m, ev.Usage)
	case events.KindSessionStarted, events.KindTurnStarted:
		if ev.Session != nil {
			write(w, m, sessionFields, ev.Session)
		}
	case events.KindTurnDone, events.KindTurnAborted, events.KindSessionEnded:
		w.end(m, ev.End)
	case events.KindApprovalRequest:
		if ev.Approval != nil {
			write(w, m, approvalFields, ev.Approval)
		}
	case events.KindAskRequest:
		w.ask(m, ev.Ask)
	}
	return hasBody
}

func (w *Writer) severity(lr plog.LogRecord, ev *events.DisplayEvent) {
	n := plog.SeverityNumberInfo
	switch {
	case ev.Kind == events.KindToolResult && ev.Tool.Error,
		ev.End.Outcome().Failed(),
		ev.Kind == events.KindNotice && ev.Notice.Level == events.LevelError:
		n = plog.SeverityNumberError
	case ev.Kind == events.KindNotice && ev.Notice.Level == events.LevelWarn:
		n = plog.SeverityNumberWarn
	}
	lr.SetSeverityNumber(n)
	lr.SetSeverityText(severityText(n))
}

// text writes the text of an event, cut to its limit, as the record's body. If the text is empty or not captured, it
// writes the text's size and returns false.
func (w *Writer) text(lr plog.LogRecord, m *attributes, ev *events.DisplayEvent) bool {
	captured, limit := true, 0
	switch ev.Kind {
	case events.KindText, events.KindMessage:
		captured = w.Capture.Text
	case events.KindReasoning:
		captured, limit = w.Capture.Reasoning, w.ContentBytes
	case events.KindPrompt:
		captured, limit = w.Capture.Prompts, w.ContentBytes
	case events.KindNotice, events.KindPhase:
	default:
		return false
	}
	if !captured || ev.Text == "" {
		m.int(AttrContentSize, int64(len(ev.Text)))
		return false
	}
	cut, truncated := cutBytes(ev.Text, limit)
	lr.Body().SetStr(cut)
	m.truncated = m.truncated || truncated
	return true
}

// content writes captured content, cut to its limit.
func (w *Writer) content(m *attributes, key, s string) {
	if s == "" {
		return
	}
	dropNUL(&s)
	cut, truncated := cutBytes(s, w.ContentBytes)
	m.str(key, validUTF8(cut)) // arguments are unvalidated bytes of the line
	m.truncated = m.truncated || truncated
}

func (w *Writer) notice(m *attributes, ev *events.DisplayEvent) {
	m.text(AttrNoticeCode, ev.Notice.Code)
	if ev.Kind == events.KindNotice {
		m.str(AttrNoticeLevel, ev.Notice.Level.String())
	}
}

func (w *Writer) tool(m *attributes, ev *events.DisplayEvent) {
	t := &ev.Tool
	m.str(AttrGenAIToolName, ToolName(t.Name))
	write(w, m, toolFields, t)
	if ev.Kind == events.KindToolUse {
		if w.Capture.ToolInput {
			w.content(m, AttrGenAIToolArguments, string(t.Input))
		}
		return
	}
	if ev.Kind == events.KindToolProgress {
		w.content(m, AttrToolMessage, ev.Text)
	}
	if ev.Kind == events.KindToolResult {
		m.str(AttrToolKind, ToolKind(t.Name, t.Server, t.AgentType != "" || t.AgentID != ""))
	}
	write(w, m, resultFields, t)
	if t.HasExitCode {
		m.int(AttrProcessExitCode, int64(t.ExitCode))
	}
	if t.HasLines {
		m.int(AttrToolLines, int64(t.Lines))
	}
	if w.Capture.ToolOutput {
		w.content(m, AttrGenAIToolResult, string(t.Output))
	}
}

// cutTarget and cutError shorten texts for a [field].
func (w *Writer) cutTarget(s string) string { return CutTarget(s, w.TargetRunes) }
func (w *Writer) cutError(s string) string  { return events.CutRunes(s, ErrTextRunes) }

// usage writes two counts: the normalized one under the names of the conventions, and the provider's own where it
// differs. It omits placeholders.
func (w *Writer) usage(m *attributes, u *events.Usage) {
	if u == nil {
		return
	}
	write(w, m, usageFields, u)
	if !u.CostAlone() {
		m.int(AttrGenAIInputTokens, u.Tokens.Input)
	}
	if !u.OutputUnknown {
		m.int(AttrGenAIOutputTokens, u.Tokens.Output)
	}
	m.positive(w.Semconv.cacheWrite(), u.Tokens.CacheWrite)
	if u.HasCost {
		m.double(AttrCostUSD, u.CostUSD)
		m.flag(AttrCostEstimated, u.CostEstimated)
	}
	if u.CostAlone() {
		return
	}
	for i, key := range providerKeys {
		at := sumFields[i].at
		n := *at(&u.Provider).(*int64)
		if n != *at(&u.Tokens).(*int64) && (key != AttrProviderOutput || !u.OutputUnknown) {
			m.int(key, n)
		}
	}
	if u.Pricing != nil {
		var pricing attributes
		write(w, &pricing, pricingFields, u.Pricing)
		pricing.into(m.sub(AttrUsagePricing))
	}
}

func (w *Writer) end(m *attributes, e *events.End) {
	if e == nil {
		return
	}
	m.text(AttrRunOutcome, e.Outcome().String())
	m.bool(AttrEndError, e.Error)
	write(w, m, endFields, e)
	if w.Capture.Text {
		w.content(m, AttrEndResult, e.Result)
	}
	w.totals(m, e.Totals)
}

func (w *Writer) ask(m *attributes, a *events.Ask) {
	if a == nil {
		return
	}
	m.text(AttrRequestID, a.ID)
	questions := m.slice(AttrAskQuestions)
	for i := range a.Questions {
		q := &a.Questions[i]
		var qm attributes
		write(w, &qm, questionFields, q)
		options := qm.slice(keyOptions)
		for _, o := range q.Options {
			om := options.AppendEmpty().SetEmptyMap()
			om.PutStr(keyLabel, o.Label)
			PutStr(om, keyDescription, o.Description)
		}
		qm.into(questions.AppendEmpty().SetEmptyMap())
	}
	if len(a.Answers) == 0 {
		return
	}
	answers := m.slice(AttrAskAnswers)
	for _, an := range a.Answers {
		am := answers.AppendEmpty().SetEmptyMap()
		PutStr(am, keyID, an.QuestionID)
		selected := am.PutEmptySlice(keySelected)
		for _, s := range an.Selected {
			selected.AppendEmpty().SetStr(s)
		}
	}
}

// CaptureSettings select the content that is exported.
type CaptureSettings struct {
	Text       bool // what the agent says
	Prompts    bool // what was said to the agent
	Reasoning  bool // what the agent thinks
	ToolInput  bool // whole arguments of calls
	ToolOutput bool // whole results of calls
	Messages   bool // on spans of model calls and agents, what was said to a model and by it
}

// Inputs reports whether the arguments of calls are needed.
func (c *CaptureSettings) Inputs() bool { return c.ToolInput || c.Messages }

// Outputs reports whether the results of calls are needed.
func (c *CaptureSettings) Outputs() bool { return c.ToolOutput || c.Messages }

// Attributes are most of a record's size: 40 bytes each, in a list that grows by doubling. So the list is allocated
// with sufficient capacity. A count that is too small only makes the list grow.

// stampAttributes counts the attributes that every record has regardless of its event; see [Batch.AddEvent].
const stampAttributes = 3

// AttributesOf returns the number of attributes of the record of ev, or a slightly larger number.
func AttributesOf(ev *events.DisplayEvent) int {
	n := stampAttributes + nonEmpty(ev.SessionID, ev.TurnID, ev.MessageID, ev.ParentID, ev.AgentID, ev.Model, ev.ModelProvider)
	switch ev.Kind {
	case events.KindToolUse, events.KindToolResult, events.KindToolProgress:
		return n + toolAttributes(ev)
	case events.KindUsage:
		return n + 7
	case events.KindTurnDone, events.KindTurnAborted, events.KindSessionEnded, events.KindSessionStarted, events.KindTurnStarted:
		return n + 5
	case events.KindNotice, events.KindPhase, events.KindApprovalRequest, events.KindAskRequest:
		return n + 3
	default:
		return n + 1
	}
}

func toolAttributes(ev *events.DisplayEvent) int {
	t := &ev.Tool
	n := 2 + nonEmpty(t.Target, t.AgentType, t.AgentID, t.Server)
	if ev.Kind == events.KindToolUse {
		return n + 1 // read-only or partial
	}
	if ev.Kind == events.KindToolResult {
		n++ // the kind of the tool
	}
	n += nonEmpty(t.Err, t.Summary)
	for _, has := range [...]bool{t.Error, t.Denied, t.HasExitCode, t.HasLines, t.Size > 0, t.Truncated, t.Duration > 0, t.State != 0} {
		if has {
			n++
		}
	}
	return n
}

// nonEmpty counts the texts that are not empty.
func nonEmpty(texts ...string) (n int) {
	for _, s := range texts {
		if s != "" {
			n++
		}
	}
	return n
}
