package telemetry

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
)

// recordWriter writes events into log records. What a record holds is enough to show the event in every style without
// any memory; [EventFromRecord] reads it back.
type recordWriter struct {
	semconv Semconv
	capture Capture
	limits  Limits
}

// write fills event name, severity and the attributes that come from the event itself, and the body where that is the
// event's text.
func (w *recordWriter) write(lr plog.LogRecord, ev *events.DisplayEvent) (hasBody bool) {
	lr.SetEventName(eventName(ev.Kind))
	w.severity(lr, ev)
	m := lr.Attributes()
	m.EnsureCapacity(attributesOf(ev))
	putStr(m, AttrGenAIConversationID, ev.SessionID)
	putStr(m, AttrTurnID, ev.TurnID)
	putStr(m, AttrMessageID, ev.MessageID)
	putStr(m, AttrItemID, ev.ItemID)
	putStr(m, AttrParentCallID, ev.ParentID)
	putStr(m, AttrAgentID, ev.AgentID)
	putStr(m, AttrGenAIResponseModel, ev.Model)
	putStr(m, AttrGenAIProviderName, ev.ModelProvider)
	putTrue(m, AttrDelta, ev.Delta)
	putTrue(m, AttrSynthetic, ev.Synthetic)
	putTrue(m, AttrTruncated, ev.Abridged)
	hasBody = w.text(lr, ev)
	switch ev.Kind {
	case events.KindMessage:
		if w.capture.Reasoning {
			w.content(m, AttrReasoning, ev.Reasoning)
		}
	case events.KindNotice, events.KindPhase:
		w.notice(m, ev)
	case events.KindToolUse, events.KindToolResult, events.KindToolProgress:
		w.tool(m, ev)
	case events.KindUsage:
		w.usage(m, ev.Usage)
	case events.KindSessionStarted, events.KindTurnStarted:
		w.session(m, ev.Session)
	case events.KindTurnDone, events.KindTurnAborted, events.KindSessionEnded:
		w.end(m, ev.End)
	case events.KindApprovalRequest:
		w.approval(m, ev.Approval)
	case events.KindAskRequest:
		w.ask(m, ev.Ask)
	}
	return hasBody
}

func (w *recordWriter) severity(lr plog.LogRecord, ev *events.DisplayEvent) {
	n, text := plog.SeverityNumberInfo, "INFO"
	switch {
	case ev.Kind == events.KindToolResult && ev.Tool.Error,
		ev.End.Outcome().Failed(),
		ev.Kind == events.KindNotice && ev.Notice.Level == events.LevelError:
		n, text = plog.SeverityNumberError, "ERROR"
	case ev.Kind == events.KindNotice && ev.Notice.Level == events.LevelWarn:
		n, text = plog.SeverityNumberWarn, "WARN"
	}
	lr.SetSeverityNumber(n)
	lr.SetSeverityText(text)
}

// text makes the text of an event the record's body, cut to its limit. It reports false where there is none, or none that
// is captured; then the record has the length of the text.
func (w *recordWriter) text(lr plog.LogRecord, ev *events.DisplayEvent) bool {
	captured, limit := true, 0
	switch ev.Kind {
	case events.KindText, events.KindMessage:
		captured = w.capture.Text
	case events.KindReasoning:
		captured, limit = w.capture.Reasoning, w.limits.ContentBytes
	case events.KindPrompt:
		captured, limit = w.capture.Prompts, w.limits.ContentBytes
	case events.KindNotice, events.KindPhase:
	default:
		return false
	}
	if !captured || ev.Text == "" {
		lr.Attributes().PutInt(AttrContentSize, int64(len(ev.Text)))
		return false
	}
	cut, truncated := cutBytes(ev.Text, limit)
	lr.Body().SetStr(cut)
	putTrue(lr.Attributes(), AttrTruncated, truncated)
	return true
}

func (w *recordWriter) content(m pcommon.Map, key, s string) {
	if s == "" {
		return
	}
	dropNUL(&s)
	cut, truncated := cutBytes(s, w.limits.ContentBytes)
	m.PutStr(key, validUTF8(cut)) // arguments are the line's own bytes
	putTrue(m, AttrTruncated, truncated)
}

func (w *recordWriter) notice(m pcommon.Map, ev *events.DisplayEvent) {
	putStr(m, AttrNoticeCode, ev.Notice.Code)
	if ev.Kind == events.KindNotice {
		m.PutStr(AttrNoticeLevel, ev.Notice.Level.String())
	}
}

func (w *recordWriter) tool(m pcommon.Map, ev *events.DisplayEvent) {
	t := &ev.Tool
	m.PutStr(AttrGenAIToolName, toolName(t.Name))
	putStr(m, AttrGenAIToolCallID, t.ID)
	putStr(m, AttrToolTarget, cutTarget(t.Target, w.limits.TargetRunes))
	putStr(m, AttrToolAgentType, t.AgentType)
	putStr(m, AttrToolAgentID, t.AgentID)
	putStr(m, AttrToolServer, t.Server)
	putTrue(m, AttrToolReadOnly, t.ReadOnly)
	putTrue(m, AttrToolPartial, t.Partial)
	putStr(m, AttrToolState, t.State.String())
	if ev.Kind == events.KindToolUse {
		if w.capture.ToolInput {
			w.content(m, AttrGenAIToolArguments, string(t.Input))
		}
		return
	}
	if ev.Kind == events.KindToolProgress {
		w.content(m, AttrToolMessage, ev.Text)
	}
	if ev.Kind == events.KindToolResult {
		m.PutStr(AttrToolKind, toolKind(t.Name, t.Server, t.AgentType != "" || t.AgentID != ""))
	}
	putTrue(m, AttrToolError, t.Error)
	putStr(m, AttrToolErrText, events.CutRunes(t.Err, errTextRunes))
	putTrue(m, AttrToolDenied, t.Denied)
	putStr(m, AttrToolSummary, t.Summary)
	if t.HasExitCode {
		m.PutInt(AttrProcessExitCode, int64(t.ExitCode))
	}
	if t.HasLines {
		m.PutInt(AttrToolLines, int64(t.Lines))
	}
	if t.Size > 0 {
		m.PutInt(AttrToolSize, int64(t.Size))
	}
	putTrue(m, AttrToolTruncated, t.Truncated)
	if t.Duration > 0 {
		m.PutDouble(AttrToolDuration, t.Duration.Seconds())
	}
	if w.capture.ToolOutput {
		w.content(m, AttrGenAIToolResult, string(t.Output))
	}
}

// usage writes both arithmetics: the normalised one under the conventions' names, the provider's own as a map. A
// placeholder is in neither.
func (w *recordWriter) usage(m pcommon.Map, u *events.Usage) {
	if u == nil {
		return
	}
	m.PutStr(AttrUsageScope, u.Scope.String())
	if !u.CostAlone() {
		m.PutInt(AttrGenAIInputTokens, u.Tokens.Input)
	}
	if !u.OutputUnknown {
		m.PutInt(AttrGenAIOutputTokens, u.Tokens.Output)
	}
	putPositive(m, AttrGenAICacheRead, u.Tokens.CacheRead)
	putPositive(m, w.semconv.cacheWrite(), u.Tokens.CacheWrite)
	putPositive(m, AttrGenAIReasoningTokens, u.Tokens.Reasoning)
	putTiers(m, u.Tokens)
	var served service
	served.add(u)
	served.put(m)
	if u.HasCost {
		m.PutDouble(AttrCostUSD, u.CostUSD)
		putTrue(m, AttrCostEstimated, u.CostEstimated)
	}
	if u.CostAlone() {
		return
	}
	p := m.PutEmptyMap(AttrUsageProvider)
	p.EnsureCapacity(5)
	p.PutInt(keyInput, u.Provider.Input)
	if !u.OutputUnknown {
		p.PutInt(keyOutput, u.Provider.Output)
	}
	putPositive(p, keyCacheRead, u.Provider.CacheRead)
	putPositive(p, keyCacheWrite, u.Provider.CacheWrite)
	putPositive(p, keyReasoning, u.Provider.Reasoning)
	if u.SessionCacheHit > 0 || u.SessionCacheMiss > 0 {
		s := m.PutEmptyMap(AttrUsageSession)
		s.PutInt(keyCacheHit, u.SessionCacheHit)
		s.PutInt(keyCacheMiss, u.SessionCacheMiss)
	}
	if u.Pricing != nil {
		s := m.PutEmptyMap(AttrUsagePricing)
		s.PutDouble(keyInput, u.Pricing.Input)
		s.PutDouble(keyOutput, u.Pricing.Output)
		s.PutDouble(keyCacheRead, u.Pricing.CacheRead)
		s.PutDouble(keyCacheWrite, u.Pricing.CacheWrite)
	}
}

func (w *recordWriter) session(m pcommon.Map, s *events.Session) {
	if s == nil {
		return
	}
	putStr(m, AttrServiceVersion, s.Version)
	putStr(m, AttrProcessWorkDir, s.WorkingDir)
	putStr(m, AttrPermissionMode, s.PermissionMode)
	putStr(m, AttrSessionPrevious, s.PreviousID)
	putStr(m, AttrVCSHeadName, s.Branch)
}

func (w *recordWriter) end(m pcommon.Map, e *events.End) {
	if e == nil {
		return
	}
	putStr(m, AttrRunOutcome, e.Outcome().String())
	putStr(m, AttrErrorType, string(e.Cause))
	m.PutBool(AttrEndError, e.Error)
	putTrue(m, AttrEndInterrupted, e.Interrupted)
	putStr(m, AttrEndCode, e.Code)
	putStr(m, AttrEndErrText, events.CutRunes(e.Err, errTextRunes))
	putStr(m, AttrEndPrinciple, e.Principle)
	putPositive(m, AttrTurns, int64(e.Turns))
	if e.Duration > 0 {
		m.PutDouble(AttrEndDuration, e.Duration.Seconds())
	}
	if w.capture.Text {
		w.content(m, AttrEndResult, e.Result)
	}
	w.totals(m, e.Totals)
}

func (w *recordWriter) approval(m pcommon.Map, a *events.Approval) {
	if a == nil {
		return
	}
	putStr(m, AttrRequestID, a.ID)
	putStr(m, AttrGenAIToolName, a.Tool)
	putStr(m, AttrRequestSubject, a.Subject)
}

func (w *recordWriter) ask(m pcommon.Map, a *events.Ask) {
	if a == nil {
		return
	}
	putStr(m, AttrRequestID, a.ID)
	questions := m.PutEmptySlice(AttrAskQuestions)
	for _, q := range a.Questions {
		qm := questions.AppendEmpty().SetEmptyMap()
		putStr(qm, keyID, q.ID)
		putStr(qm, keyHeader, q.Header)
		putStr(qm, keyPrompt, q.Prompt)
		putTrue(qm, keyMulti, q.Multi)
		options := qm.PutEmptySlice(keyOptions)
		for _, o := range q.Options {
			om := options.AppendEmpty().SetEmptyMap()
			om.PutStr(keyLabel, o.Label)
			putStr(om, keyDescription, o.Description)
		}
	}
	if len(a.Answers) == 0 {
		return
	}
	answers := m.PutEmptySlice(AttrAskAnswers)
	for _, an := range a.Answers {
		am := answers.AppendEmpty().SetEmptyMap()
		putStr(am, keyID, an.QuestionID)
		selected := am.PutEmptySlice(keySelected)
		for _, s := range an.Selected {
			selected.AppendEmpty().SetStr(s)
		}
	}
}
