package otlp

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/events"
)

// ownUsage writes the tokens that belong to the span itself. Back ends sum them over the spans of a trace.
func (w *Writer) ownUsage(m *attributes, t *events.Tokens) {
	m.positive(AttrGenAIInputTokens, t.Input)
	m.positive(AttrGenAIOutputTokens, t.Output)
	w.ownCaches(m, t)
}

func (w *Writer) ownCaches(m *attributes, t *events.Tokens) {
	m.positive(AttrGenAICacheRead, t.CacheRead)
	m.positive(w.Semconv.cacheWrite(), t.CacheWrite)
	m.positive(AttrGenAIReasoningTokens, t.Reasoning)
}

// putTiers writes the parts of cache writes that are priced separately.
func putTiers(m *attributes, t *events.Tokens) {
	m.positive(AttrUsageCacheWrite5m, t.CacheWrite5m)
	m.positive(AttrUsageCacheWrite1h, t.CacheWrite1h)
}

// Service is how a model call was served and which server tools it used.
type Service struct {
	tier, speed       string
	searches, fetches int64
}

// Add adds a reported usage.
func (s *Service) Add(u *events.Usage) {
	s.tier, s.speed = cmp.Or(u.ServiceTier, s.tier), cmp.Or(u.Speed, s.speed)
	s.searches += u.WebSearches
	s.fetches += u.WebFetches
}

func (s *Service) put(m *attributes) {
	m.text(AttrUsageServiceTier, s.tier)
	m.text(AttrUsageSpeed, s.speed)
	m.positive(AttrUsageWebSearches, s.searches)
	m.positive(AttrUsageWebFetches, s.fetches)
}

// putTotal writes an agent's total usage, sub-agents included. It is for display and must not be summed over spans.
func (u *AgentUsage) putTotal(m *attributes) {
	m.flag(AttrUsageIncomplete, u.Incomplete)
	all, models := &u.Total, u.Models
	t := &all.Tokens
	m.positive(AttrUsageInput, t.Input)
	m.positive(AttrUsageOutput, t.Output)
	m.positive(AttrUsageCacheRead, t.CacheRead)
	m.positive(AttrUsageCacheWrite, t.CacheWrite)
	m.positive(AttrUsageReasoning, t.Reasoning)
	putTiers(m, t)
	if all.HasCost {
		m.double(AttrCostUSD, all.CostUSD)
		m.flag(AttrCostEstimated, all.CostEstimated)
	}
	if len(models) < 2 {
		return
	}
	each := m.slice(AttrUsageModels)
	for i := range models {
		var one attributes
		one.text(keyModel, models[i].Model)
		putSum(&one, &models[i].Usage)
		one.into(each.AppendEmpty().SetEmptyMap())
	}
}

// ModelUsage is the usage of one model.
type ModelUsage struct {
	Model string
	Usage events.Usage
}

// putSum writes a sum into a separate map.
func putSum(m *attributes, u *events.Usage) {
	write(nil, m, sumFields, &u.Tokens)
	if u.HasCost {
		m.double(keyCost, u.CostUSD)
		m.flag(keyEstimated, u.CostEstimated)
	}
}

// readSum is the inverse of putSum.
func readSum(r recordReader) events.Usage {
	u := events.Usage{Scope: events.UsageScopeRun, CostEstimated: r.bool(keyEstimated)}
	read(r, sumFields, &u.Tokens)
	u.CostUSD, u.HasCost = r.floatOK(keyCost)
	return u
}

// ReadUsage reads the usage on the span of an agent or of a model call.
func ReadUsage(m pcommon.Map) AgentUsage {
	r := recordReader{m: m}
	var u AgentUsage
	u.Own = events.Tokens{
		Input: r.int(AttrGenAIInputTokens), Output: r.int(AttrGenAIOutputTokens),
		CacheRead: r.int(AttrGenAICacheRead), CacheWrite: r.int(attrCacheWriteV01) + r.int(attrCacheWriteV141),
		Reasoning: r.int(AttrGenAIReasoningTokens),
	}
	u.Total = events.Usage{Scope: events.UsageScopeRun, CostEstimated: r.bool(AttrCostEstimated), Tokens: events.Tokens{
		Input: r.int(AttrUsageInput), Output: r.int(AttrUsageOutput),
		CacheRead: r.int(AttrUsageCacheRead), CacheWrite: r.int(AttrUsageCacheWrite), Reasoning: r.int(AttrUsageReasoning),
		CacheWrite5m: r.int(AttrUsageCacheWrite5m), CacheWrite1h: r.int(AttrUsageCacheWrite1h),
	}}
	u.Total.CostUSD, u.Total.HasCost = r.floatOK(AttrCostUSD)
	u.Incomplete = r.bool(AttrUsageIncomplete)
	r.each(AttrUsageModels, func(one recordReader) {
		u.Models = append(u.Models, ModelUsage{Model: one.str(keyModel), Usage: readSum(one)})
	})
	return u
}

// totals writes the totals of a run. The usage is a nested map, so that a sum over the usage of records does not count
// it twice.
func (w *Writer) totals(m *attributes, t *events.Totals) {
	if t == nil {
		return
	}
	write(w, m, totalsFields, t)
	if u := &t.Usage; u.Tokens != (events.Tokens{}) || u.HasCost {
		var sum attributes
		putSum(&sum, u)
		sum.into(m.sub(AttrUsageRun))
	}
}
