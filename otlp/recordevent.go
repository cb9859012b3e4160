package otlp

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
)

// EventFromRecord reads the event of a log record into ev. If tailspan did not write the record, it returns false and
// leaves ev empty. Input and Output are set only if they were captured.
//
// Content that the record's limits cut stays cut, and ItemID is empty. Everything else equals the original event, so both render alike.
func EventFromRecord(lr plog.LogRecord, ev *events.DisplayEvent) bool {
	*ev = events.DisplayEvent{}
	name, ours := strings.CutPrefix(lr.EventName(), eventPrefix)
	if !ours {
		return false
	}
	kind, known := events.ParseKind(name)
	if lr.EventName() == EventNameRunEnd { // the end of a run that no line ends
		kind, known = events.KindSessionEnded, true
	}
	if !known {
		return false
	}
	r := recordReader{m: lr.Attributes()}
	ev.Kind = kind
	if ts := lr.Timestamp(); ts != 0 {
		ev.Time = ts.AsTime()
	}
	read(r, eventFields, ev)
	switch kind {
	case events.KindText, events.KindMessage, events.KindReasoning, events.KindPrompt, events.KindNotice, events.KindPhase:
		if _, none := r.intOK(AttrContentSize); !none {
			ev.Text = bodyText(lr)
		}
		ev.Reasoning = r.str(AttrReasoning)
		ev.Notice = events.Notice{Level: events.ParseLevel(r.str(AttrNoticeLevel)), Code: r.str(AttrNoticeCode)}
	case events.KindToolUse, events.KindToolResult, events.KindToolProgress:
		r.tool(ev)
	case events.KindUsage:
		ev.Usage = r.usage()
	case events.KindSessionStarted, events.KindTurnStarted:
		ev.Session = new(events.Session)
		read(r, sessionFields, ev.Session)
	case events.KindTurnDone, events.KindTurnAborted, events.KindSessionEnded:
		ev.End = r.end()
		if lr.EventName() == EventNameRunEnd && ev.End.Totals != nil {
			ev.End.Duration = ev.End.Totals.Elapsed // no line has the duration
		}
	case events.KindApprovalRequest:
		ev.Approval = new(events.Approval)
		read(r, approvalFields, ev.Approval)
	case events.KindAskRequest:
		ev.Ask = r.ask()
	}
	return true
}

// RawLine returns the line of a record of [EventNameRaw]. ok is false for any other record.
func RawLine(lr plog.LogRecord) ([]byte, bool) {
	switch {
	case lr.EventName() != EventNameRaw:
		return nil, false
	case lr.Body().Type() == pcommon.ValueTypeBytes:
		return lr.Body().Bytes().AsRaw(), true
	default:
		return []byte(bodyText(lr)), true
	}
}

func bodyText(lr plog.LogRecord) string {
	if lr.Body().Type() == pcommon.ValueTypeStr {
		return lr.Body().Str()
	}
	return ""
}

// recordReader reads attributes. Missing attributes and those of another type are zero values.
type recordReader struct {
	m pcommon.Map
}

func (r recordReader) str(key string) string { return Str(r.m, key) }

func (r recordReader) bool(key string) bool {
	v, ok := r.m.Get(key)
	return ok && v.Type() == pcommon.ValueTypeBool && v.Bool()
}

func (r recordReader) int(key string) int64 {
	n, _ := r.intOK(key)
	return n
}

func (r recordReader) intOK(key string) (int64, bool) {
	if v, ok := r.m.Get(key); ok && v.Type() == pcommon.ValueTypeInt {
		return v.Int(), true
	}
	return 0, false
}

func (r recordReader) floatOK(key string) (float64, bool) {
	if v, ok := r.m.Get(key); ok && v.Type() == pcommon.ValueTypeDouble {
		return v.Double(), true
	}
	return 0, false
}

func (r recordReader) sub(key string) (recordReader, bool) {
	if v, ok := r.m.Get(key); ok && v.Type() == pcommon.ValueTypeMap {
		return recordReader{m: v.Map()}, true
	}
	return recordReader{m: pcommon.NewMap()}, false
}

// each calls f for every map in the slice under key.
func (r recordReader) each(key string, f func(recordReader)) {
	v, ok := r.m.Get(key)
	if !ok || v.Type() != pcommon.ValueTypeSlice {
		return
	}
	for _, item := range v.Slice().All() {
		if item.Type() == pcommon.ValueTypeMap {
			f(recordReader{m: item.Map()})
		}
	}
}

func (r recordReader) tool(ev *events.DisplayEvent) {
	t := &ev.Tool
	t.Name = r.str(AttrGenAIToolName)
	read(r, toolFields, t)
	if s := r.str(AttrGenAIToolArguments); s != "" {
		t.Input = []byte(s)
	}
	if ev.Kind == events.KindToolUse {
		return
	}
	read(r, resultFields, t)
	if code, ok := r.intOK(AttrProcessExitCode); ok {
		t.ExitCode, t.HasExitCode = int(code), true
	}
	if lines, ok := r.intOK(AttrToolLines); ok {
		t.Lines, t.HasLines = int(lines), true
	}
	if s := r.str(AttrGenAIToolResult); s != "" {
		t.Output = []byte(s)
	}
	ev.Text = r.str(AttrToolMessage)
}

func (r recordReader) usage() *events.Usage {
	u := new(events.Usage)
	read(r, usageFields, u)
	output, known := r.intOK(AttrGenAIOutputTokens)
	u.Tokens.Input, u.Tokens.Output, u.OutputUnknown = r.int(AttrGenAIInputTokens), output, !known
	u.Tokens.CacheWrite = r.int(attrCacheWriteV01) + r.int(attrCacheWriteV141)
	u.CostEstimated = r.bool(AttrCostEstimated)
	u.CostUSD, u.HasCost = r.floatOK(AttrCostUSD)
	u.Provider = u.Tokens
	u.Provider.CacheWrite5m, u.Provider.CacheWrite1h = 0, 0
	for i, key := range providerKeys {
		if n, differs := r.intOK(key); differs {
			*sumFields[i].at(&u.Provider).(*int64) = n
		}
	}
	if c, ok := r.sub(AttrUsagePricing); ok {
		u.Pricing = new(events.Pricing)
		read(c, pricingFields, u.Pricing)
	}
	return u
}

func (r recordReader) end() *events.End {
	e := &events.End{
		Decided: events.ParseOutcome(r.str(AttrRunOutcome)), Error: r.bool(AttrEndError), Result: r.str(AttrEndResult), Totals: r.totals(),
	}
	read(r, endFields, e)
	return e
}

// totals reads the totals, which only the end of a run has.
func (r recordReader) totals() *events.Totals {
	var t events.Totals
	read(r, totalsFields, &t)
	if u, found := r.sub(AttrUsageRun); found {
		t.Usage = readSum(u)
	}
	if t == (events.Totals{}) {
		return nil
	}
	return &t
}

func (r recordReader) ask() *events.Ask {
	a := &events.Ask{ID: r.str(AttrRequestID)}
	r.each(AttrAskQuestions, func(q recordReader) {
		var question events.AskQuestion
		read(q, questionFields, &question)
		q.each(keyOptions, func(o recordReader) {
			question.Options = append(question.Options, events.AskOption{Label: o.str(keyLabel), Description: o.str(keyDescription)})
		})
		a.Questions = append(a.Questions, question)
	})
	r.each(AttrAskAnswers, func(an recordReader) {
		answer := events.AskAnswer{QuestionID: an.str(keyID)}
		if v, ok := an.m.Get(keySelected); ok && v.Type() == pcommon.ValueTypeSlice {
			for _, s := range v.Slice().All() {
				answer.Selected = append(answer.Selected, s.AsString())
			}
		}
		a.Answers = append(a.Answers, answer)
	})
	return a
}
