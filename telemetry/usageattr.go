package telemetry

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/events"
)

// putUsage writes the tokens that a span has for itself. Back ends add them up over the spans of a trace.
func (s *Stream) putUsage(m pcommon.Map, t events.Tokens) {
	putPositive(m, AttrGenAIInputTokens, t.Input)
	putPositive(m, AttrGenAIOutputTokens, t.Output)
	putPositive(m, AttrGenAICacheRead, t.CacheRead)
	putPositive(m, s.writer.semconv.cacheWrite(), t.CacheWrite)
	putPositive(m, AttrGenAIReasoningTokens, t.Reasoning)
}

// putTiers writes the parts of the tokens written to the cache that have prices of their own.
func putTiers(m pcommon.Map, t events.Tokens) {
	putPositive(m, AttrUsageCacheWrite5m, t.CacheWrite5m)
	putPositive(m, AttrUsageCacheWrite1h, t.CacheWrite1h)
}

// service is how a model call was served, and what the provider's servers did for it.
type service struct {
	tier, speed       string
	searches, fetches int64
}

func (s *service) add(u *events.Usage) {
	s.tier, s.speed = cmp.Or(u.ServiceTier, s.tier), cmp.Or(u.Speed, s.speed)
	s.searches += u.WebSearches
	s.fetches += u.WebFetches
}

func (s *service) put(m pcommon.Map) {
	putStr(m, AttrUsageServiceTier, s.tier)
	putStr(m, AttrUsageSpeed, s.speed)
	putPositive(m, AttrUsageWebSearches, s.searches)
	putPositive(m, AttrUsageWebFetches, s.fetches)
}

// putTotal writes what an agent used, its sub-agents included, for people: nobody may add that up over spans.
func putTotal(m pcommon.Map, all *spent, models spending) {
	t := all.tokens
	putPositive(m, AttrUsageInput, t.Input)
	putPositive(m, AttrUsageOutput, t.Output)
	putPositive(m, AttrUsageCacheRead, t.CacheRead)
	putPositive(m, AttrUsageCacheWrite, t.CacheWrite)
	putPositive(m, AttrUsageReasoning, t.Reasoning)
	putTiers(m, t)
	if all.hasCost {
		m.PutDouble(AttrCostUSD, all.costUSD)
		putTrue(m, AttrCostEstimated, all.estimated)
	}
	if len(models) < 2 {
		return
	}
	each := m.PutEmptySlice(AttrUsageModels)
	for i := range models {
		one := each.AppendEmpty().SetEmptyMap()
		putStr(one, keyModel, models[i].model)
		models[i].put(one)
	}
}

// put writes a sum as a map of its own.
func (s *spent) put(m pcommon.Map) {
	t := s.tokens
	putPositive(m, keyInput, t.Input)
	putPositive(m, keyOutput, t.Output)
	putPositive(m, keyCacheRead, t.CacheRead)
	putPositive(m, keyCacheWrite, t.CacheWrite)
	putPositive(m, keyCacheWrite5m, t.CacheWrite5m)
	putPositive(m, keyCacheWrite1h, t.CacheWrite1h)
	putPositive(m, keyReasoning, t.Reasoning)
	if s.hasCost {
		m.PutDouble(keyCost, s.costUSD)
		putTrue(m, keyEstimated, s.estimated)
	}
}

// writeUsage writes an agent's own part of the tokens and the total, and adds to the metrics what no call did.
func (s *Stream) writeUsage(m pcommon.Map, a *agent) {
	rest, total, models := a.ledger.rest(), a.ledger.total(), a.ledger.own()
	own := rest.sum()
	s.putUsage(m, own.tokens)
	if a == a.run.top { // which has the calls of the sub-agents in its stream
		for _, one := range a.ledger.estimate() {
			s.meter.estimatedCost(user{one.model, a.run.top.name, a.ref()}, one.costUSD)
		}
	}
	for i := range a.ledger.linked {
		one := &a.ledger.linked[i]
		models.of(one.model).addAll(&one.spent)
	}
	putTotal(m, &total, models)
	putTrue(m, AttrUsageIncomplete, a.ledger.incomplete || a.ledger.partial)
	for _, one := range a.ledger.unseen() {
		s.meter.tokens(user{cmp.Or(one.model, a.models.only()), a.run.top.name, a.ref()}, one.tokens, one.costUSD)
	}
}

// totals writes what the run did in all. The usage is a map of its own, so that nobody who adds up the usage of records
// counts it a second time.
func (w *recordWriter) totals(m pcommon.Map, t *events.Totals) {
	if t == nil {
		return
	}
	putPositive(m, AttrToolCalls, int64(t.ToolCalls))
	putPositive(m, AttrToolErrors, int64(t.ToolErrors))
	if t.Elapsed > 0 {
		m.PutDouble(AttrElapsed, t.Elapsed.Seconds())
	}
	putTrue(m, AttrUsageIncomplete, t.Incomplete)
	u := t.Usage
	if u.Tokens == (events.Tokens{}) && !u.HasCost {
		return
	}
	sum := spent{tokens: u.Tokens, costUSD: u.CostUSD, hasCost: u.HasCost, estimated: u.CostEstimated}
	sum.put(m.PutEmptyMap(AttrUsageRun))
}
