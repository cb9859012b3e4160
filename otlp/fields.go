package otlp

import (
	"math"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/tailspan/tailspan/events"
)

// field maps an attribute of a record to its value in an event or in a part of one. These tables serve writing and
// reading, so that both directions agree. Empty texts, false and numbers that are not positive have no attribute.
type field[T any] struct {
	key string
	at  func(*T) any
	// cut shortens a text for the record; nil if it is written whole.
	cut func(*Writer, string) string
}

var eventFields = []field[events.DisplayEvent]{
	{key: AttrGenAIConversationID, at: func(e *events.DisplayEvent) any { return &e.SessionID }},
	{key: AttrTurnID, at: func(e *events.DisplayEvent) any { return &e.TurnID }},
	{key: AttrMessageID, at: func(e *events.DisplayEvent) any { return &e.MessageID }},
	{key: AttrParentCallID, at: func(e *events.DisplayEvent) any { return &e.ParentID }},
	{key: AttrAgentID, at: func(e *events.DisplayEvent) any { return &e.AgentID }},
	{key: AttrGenAIResponseModel, at: func(e *events.DisplayEvent) any { return &e.Model }},
	{key: AttrGenAIProviderName, at: func(e *events.DisplayEvent) any { return &e.ModelProvider }},
	{key: AttrDelta, at: func(e *events.DisplayEvent) any { return &e.Delta }},
	{key: AttrSynthetic, at: func(e *events.DisplayEvent) any { return &e.Synthetic }},
}

// toolFields belong to calls, results and progress, resultFields to results and progress.
var (
	toolFields = []field[events.Tool]{
		{key: AttrGenAIToolCallID, at: func(t *events.Tool) any { return &t.ID }},
		{key: AttrToolTarget, at: func(t *events.Tool) any { return &t.Target }, cut: (*Writer).cutTarget},
		{key: AttrToolAgentType, at: func(t *events.Tool) any { return &t.AgentType }},
		{key: AttrToolAgentID, at: func(t *events.Tool) any { return &t.AgentID }},
		{key: AttrToolServer, at: func(t *events.Tool) any { return &t.Server }},
		{key: AttrToolReadOnly, at: func(t *events.Tool) any { return &t.ReadOnly }},
		{key: AttrToolPartial, at: func(t *events.Tool) any { return &t.Partial }},
		{key: AttrToolState, at: func(t *events.Tool) any { return &t.State }},
	}
	resultFields = []field[events.Tool]{
		{key: AttrToolError, at: func(t *events.Tool) any { return &t.Error }},
		{key: AttrToolErrText, at: func(t *events.Tool) any { return &t.Err }, cut: (*Writer).cutError},
		{key: AttrToolDenied, at: func(t *events.Tool) any { return &t.Denied }},
		{key: AttrToolSummary, at: func(t *events.Tool) any { return &t.Summary }},
		{key: AttrToolSize, at: func(t *events.Tool) any { return &t.Size }},
		{key: AttrToolTruncated, at: func(t *events.Tool) any { return &t.Truncated }},
		{key: AttrToolDuration, at: func(t *events.Tool) any { return &t.Duration }},
	}
)

// usageFields are the fields of a usage except its tokens and cost in the provider's count.
var usageFields = []field[events.Usage]{
	{key: AttrUsageScope, at: func(u *events.Usage) any { return &u.Scope }},
	{key: AttrGenAICacheRead, at: func(u *events.Usage) any { return &u.Tokens.CacheRead }},
	{key: AttrGenAIReasoningTokens, at: func(u *events.Usage) any { return &u.Tokens.Reasoning }},
	{key: AttrUsageCacheWrite5m, at: func(u *events.Usage) any { return &u.Tokens.CacheWrite5m }},
	{key: AttrUsageCacheWrite1h, at: func(u *events.Usage) any { return &u.Tokens.CacheWrite1h }},
	{key: AttrUsageServiceTier, at: func(u *events.Usage) any { return &u.ServiceTier }},
	{key: AttrUsageSpeed, at: func(u *events.Usage) any { return &u.Speed }},
	{key: AttrUsageWebSearches, at: func(u *events.Usage) any { return &u.WebSearches }},
	{key: AttrSessionCacheHit, at: func(u *events.Usage) any { return &u.SessionCacheHit }},
	{key: AttrSessionCacheMiss, at: func(u *events.Usage) any { return &u.SessionCacheMiss }},
	{key: AttrUsageWebFetches, at: func(u *events.Usage) any { return &u.WebFetches }},
}

// providerKeys are the attributes of the first sumFields in the provider's own count, if that differs.
var providerKeys = [...]string{AttrProviderInput, AttrProviderOutput, AttrProviderCacheRead, AttrProviderCacheWrite, AttrProviderReasoning}

// sumFields are the tokens in every map of tokens.
var sumFields = []field[events.Tokens]{
	{key: keyInput, at: func(t *events.Tokens) any { return &t.Input }},
	{key: keyOutput, at: func(t *events.Tokens) any { return &t.Output }},
	{key: keyCacheRead, at: func(t *events.Tokens) any { return &t.CacheRead }},
	{key: keyCacheWrite, at: func(t *events.Tokens) any { return &t.CacheWrite }},
	{key: keyReasoning, at: func(t *events.Tokens) any { return &t.Reasoning }},
	{key: keyCacheWrite5m, at: func(t *events.Tokens) any { return &t.CacheWrite5m }},
	{key: keyCacheWrite1h, at: func(t *events.Tokens) any { return &t.CacheWrite1h }},
}

var pricingFields = []field[events.Pricing]{
	{key: keyInput, at: func(p *events.Pricing) any { return &p.Input }},
	{key: keyOutput, at: func(p *events.Pricing) any { return &p.Output }},
	{key: keyCacheRead, at: func(p *events.Pricing) any { return &p.CacheRead }},
	{key: keyCacheWrite, at: func(p *events.Pricing) any { return &p.CacheWrite }},
}

var sessionFields = []field[events.Session]{
	{key: AttrServiceVersion, at: func(s *events.Session) any { return &s.Version }},
	{key: AttrProcessWorkDir, at: func(s *events.Session) any { return &s.WorkingDir }},
	{key: AttrPermissionMode, at: func(s *events.Session) any { return &s.PermissionMode }},
	{key: AttrSessionPrevious, at: func(s *events.Session) any { return &s.PreviousID }},
	{key: AttrVCSHeadName, at: func(s *events.Session) any { return &s.Branch }},
}

var endFields = []field[events.End]{
	{key: AttrErrorType, at: func(e *events.End) any { return &e.Cause }},
	{key: AttrEndInterrupted, at: func(e *events.End) any { return &e.Interrupted }},
	{key: AttrEndCode, at: func(e *events.End) any { return &e.Code }},
	{key: AttrEndErrText, at: func(e *events.End) any { return &e.Err }, cut: (*Writer).cutError},
	{key: AttrEndPrinciple, at: func(e *events.End) any { return &e.Principle }},
	{key: AttrTurns, at: func(e *events.End) any { return &e.Turns }},
	{key: AttrEndDuration, at: func(e *events.End) any { return &e.Duration }},
}

var totalsFields = []field[events.Totals]{
	{key: AttrToolCalls, at: func(t *events.Totals) any { return &t.ToolCalls }},
	{key: AttrToolErrors, at: func(t *events.Totals) any { return &t.ToolErrors }},
	{key: AttrElapsed, at: func(t *events.Totals) any { return &t.Elapsed }},
	{key: AttrUsageIncomplete, at: func(t *events.Totals) any { return &t.Incomplete }},
}

var approvalFields = []field[events.Approval]{
	{key: AttrRequestID, at: func(a *events.Approval) any { return &a.ID }},
	{key: AttrGenAIToolName, at: func(a *events.Approval) any { return &a.Tool }},
	{key: AttrRequestSubject, at: func(a *events.Approval) any { return &a.Subject }},
}

var questionFields = []field[events.AskQuestion]{
	{key: keyID, at: func(q *events.AskQuestion) any { return &q.ID }},
	{key: keyHeader, at: func(q *events.AskQuestion) any { return &q.Header }},
	{key: keyPrompt, at: func(q *events.AskQuestion) any { return &q.Prompt }},
	{key: keyMulti, at: func(q *events.AskQuestion) any { return &q.Multi }},
}

// Seconds returns a duration in seconds, rounded once: [time.Duration.Seconds] rounds a fraction and a sum, and gives
// 6.6530000000000005 for 6.653 s.
func Seconds(d time.Duration) float64 { return float64(d) / float64(time.Second) }

// write writes the fields of a part of an event.
func write[T any](w *Writer, m *attributes, fields []field[T], of *T) {
	for i := range fields {
		f := &fields[i]
		switch v := f.at(of).(type) {
		case *string:
			if *v != "" && f.cut != nil {
				m.str(f.key, f.cut(w, *v))
			} else {
				m.text(f.key, *v)
			}
		case *bool:
			m.flag(f.key, *v)
		case *int:
			m.positive(f.key, int64(*v))
		case *int64:
			m.positive(f.key, *v)
		case *float64:
			m.double(f.key, *v)
		case *time.Duration:
			if *v > 0 {
				m.double(f.key, Seconds(*v))
			}
		case *events.Cause:
			m.text(f.key, string(*v))
		case *events.ToolState:
			m.text(f.key, v.String())
		case *events.UsageScope:
			m.text(f.key, v.String())
		}
	}
}

// read reads the fields of a part of an event. It does not change fields whose attribute is missing or of another type.
func read[T any](r recordReader, fields []field[T], into *T) {
	for i := range fields {
		key := fields[i].key
		switch v := fields[i].at(into).(type) {
		case *string:
			*v = r.str(key)
		case *bool:
			*v = r.bool(key)
		case *int:
			*v = int(r.int(key))
		case *int64:
			*v = r.int(key)
		case *float64:
			*v, _ = r.floatOK(key)
		case *time.Duration:
			f, _ := r.floatOK(key)
			*v = time.Duration(math.Round(f * float64(time.Second)))
		case *events.Cause:
			*v = events.Cause(r.str(key))
		case *events.ToolState:
			*v = events.ParseToolState(r.str(key))
		case *events.UsageScope:
			*v = events.ParseUsageScope(r.str(key))
		}
	}
}

// attributes collects the attributes of one span, record or nested map. Each key may be added once: a [pcommon.Map] searches
// for the key each time, which takes as long as everything else about an attribute.
type attributes struct {
	builder xpdata.MapBuilder
	// truncated is true if content was cut. It becomes an attribute at the end, because several contents may be cut.
	truncated bool
}

func (m *attributes) reserve(n int)                { m.builder.EnsureCapacity(n) }
func (m *attributes) str(key, value string)        { m.builder.AppendEmpty(key).SetStr(value) }
func (m *attributes) int(key string, v int64)      { m.builder.AppendEmpty(key).SetInt(v) }
func (m *attributes) bool(key string, v bool)      { m.builder.AppendEmpty(key).SetBool(v) }
func (m *attributes) double(key string, v float64) { m.builder.AppendEmpty(key).SetDouble(v) }

// text adds a text unless it is empty.
func (m *attributes) text(key, value string) {
	if value != "" {
		m.str(key, value)
	}
}

// flag adds true, and nothing for false.
func (m *attributes) flag(key string, value bool) {
	if value {
		m.bool(key, true)
	}
}

// positive adds a number unless it is 0 or negative.
func (m *attributes) positive(key string, value int64) {
	if value > 0 {
		m.int(key, value)
	}
}

// slice adds a list, which the caller fills.
func (m *attributes) slice(key string) pcommon.Slice {
	return m.builder.AppendEmpty(key).SetEmptySlice()
}

// sub adds a map, which the caller fills.
func (m *attributes) sub(key string) pcommon.Map { return m.builder.AppendEmpty(key).SetEmptyMap() }

// into moves the attributes to a map, which must be empty, and starts anew.
func (m *attributes) into(to pcommon.Map) {
	m.flag(AttrTruncated, m.truncated)
	m.truncated = false
	m.builder.UnsafeIntoMap(to)
}
