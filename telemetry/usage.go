package telemetry

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/events"
)

// useTokens adds what a Usage event tells to the model call, the agent and the run.
func (s *Stream) useTokens(a *agent, ev *events.DisplayEvent) {
	u := ev.Usage
	if u == nil {
		return
	}
	switch u.Scope {
	case events.UsageScopeCall:
		a.usage.Tokens.Add(u.Tokens)
		a.usage.CostUSD += u.CostUSD
		a.usage.HasCost = a.usage.HasCost || u.HasCost
		told := a.run.told(ev.Model)
		told.Tokens.Add(u.Tokens)
		told.CostUSD += u.CostUSD
		if a.chat != nil && a.chat.messageID == ev.MessageID {
			a.chat.usage.Add(u.Tokens)
			a.chat.hasUsage = true
		}
		a.run.usage.Add(ev.Model, u)
	case events.UsageScopeProcess, events.UsageScopeSession:
		// A running total: this run's part is what was added since it was told before.
		part := s.sinceLast(ev)
		a.run.total(ev.Model, &part)
		a.run.usage.Add(ev.Model, &part)
	default:
		a.run.total(ev.Model, u)
		a.run.usage.Add(ev.Model, u)
	}
}

// sinceLast is what a running total adds to the one before. One of a process is told in one stream; one of a session may
// have been told in the stream of a run before. A total that shrank began anew.
func (s *Stream) sinceLast(ev *events.DisplayEvent) events.Usage {
	u := ev.Usage
	part := *u
	part.Scope = events.UsageScopeRun
	var before events.Usage
	if u.Scope == events.UsageScopeSession {
		before = s.registry.sessionTotal(sessionModel{s.settings.Agent.Provider, ev.SessionID, ev.Model}, *u)
	} else {
		if s.processUsage == nil {
			s.processUsage = map[string]events.Usage{}
		}
		before = s.processUsage[ev.Model]
		s.processUsage[ev.Model] = *u
	}
	if before.Tokens.Input > u.Tokens.Input {
		return part
	}
	part.Tokens, part.Provider, part.CostUSD = u.Tokens.Sub(before.Tokens), u.Provider.Sub(before.Provider), u.CostUSD-before.CostUSD
	return part
}

// told is what the model calls of a model told so far.
func (r *run) told(model string) *events.Usage { return usageOf(&r.callUsage, model) }

// total takes in what the end of the run tells of a model.
func (r *run) total(model string, u *events.Usage) {
	t := usageOf(&r.totals, model)
	t.Tokens.Add(u.Tokens)
	t.CostUSD += u.CostUSD
}

// usageOf is the entry of a model, which is made where there is none.
func usageOf(m *map[string]*events.Usage, model string) *events.Usage {
	u := (*m)[model]
	if u == nil {
		u = &events.Usage{}
		if *m == nil {
			*m = map[string]*events.Usage{}
		}
		(*m)[model] = u
	}
	return u
}

// countCall adds what a model call told to the metrics.
func (s *Stream) countCall(ev *events.DisplayEvent) {
	if u := ev.Usage; u != nil && u.Scope == events.UsageScopeCall {
		s.meter.tokens(ev.Model, u.Tokens, u.CostUSD)
	}
}

// countRemainder adds to the metrics what the run's total tells beyond its model calls: calls that the stream does not
// show, and output that it told too early to know.
func (s *Stream) countRemainder(r *run) {
	known := r.top.models
	for model, total := range r.totals {
		told := events.Usage{}
		if len(r.totals) == 1 { // it is that of all calls, whatever model they named
			for _, t := range r.callUsage {
				told.Tokens.Add(t.Tokens)
				told.CostUSD += t.CostUSD
			}
		} else if t := r.callUsage[model]; t != nil {
			told = *t
		}
		if model == "" && len(known) == 1 {
			model = known[0]
		}
		s.meter.tokens(model, total.Tokens.Sub(told.Tokens), total.CostUSD-told.CostUSD)
	}
}

// putAgentUsage writes the total of an agent. The convention of the newest version has no cache counts on agent spans,
// since they mislead over several models; they stand under own names.
func (s *Stream) putAgentUsage(m pcommon.Map, u events.Usage) {
	if u.Tokens == (events.Tokens{}) && !u.HasCost {
		return
	}
	m.PutInt(AttrGenAIInputTokens, u.Tokens.Input)
	m.PutInt(AttrGenAIOutputTokens, u.Tokens.Output)
	cacheRead, cacheWrite, reasoning := AttrUsageCacheRead, AttrUsageCacheWrite, AttrUsageReasoning
	if s.writer.semconv == SemconvV141 {
		cacheRead, cacheWrite, reasoning = AttrGenAICacheRead, attrCacheWriteV141, AttrGenAIReasoningTokens
	}
	putPositive(m, cacheRead, u.Tokens.CacheRead)
	putPositive(m, cacheWrite, u.Tokens.CacheWrite)
	putPositive(m, reasoning, u.Tokens.Reasoning)
	if u.HasCost {
		m.PutDouble(AttrCostUSD, u.CostUSD)
	}
}

// sessionTotals remembers the last running total of each session and model.
type sessionTotals struct {
	memory[sessionModel, events.Usage]
}

type sessionModel struct{ provider, session, model string }

func newSessionTotals(limit int, forgotten *int) sessionTotals {
	return sessionTotals{newMemory[sessionModel, events.Usage](limit, forgotten)}
}

// swap enters a total and returns the one before, zero if there was none.
func (t *sessionTotals) swap(key sessionModel, now events.Usage) events.Usage {
	before, _ := t.get(key)
	t.set(key, now)
	return before
}
