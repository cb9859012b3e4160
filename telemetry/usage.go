package telemetry

import (
	"strings"

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
		a.usage.add(u)
		a.run.callUsage.of(ev.Model).add(u)
		if a.chat.is(ev) {
			a.chat.usage.Add(u.Tokens)
			a.chat.hasUsage = true
		}
		a.run.usage.Add(ev.Model, u)
	case events.UsageScopeProcess, events.UsageScopeSession:
		// A running total: this run's part is what was added since it was told before.
		part := s.sinceLast(ev)
		a.run.totals.of(ev.Model).add(&part)
		a.run.usage.Add(ev.Model, &part)
	default:
		a.run.totals.of(ev.Model).add(u)
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
	added := part
	added.Tokens, added.Provider, added.CostUSD = u.Tokens.Sub(before.Tokens), u.Provider.Sub(before.Provider), u.CostUSD-before.CostUSD
	if !added.Tokens.Plausible() || !added.Provider.Plausible() {
		return part
	}
	if added.CostUSD < 0 {
		added.CostUSD = part.CostUSD
	}
	return added
}

// spent is a sum of tokens and what they cost.
type spent struct {
	tokens  events.Tokens
	costUSD float64
	hasCost bool
}

func (s *spent) add(u *events.Usage) {
	s.tokens.Add(u.Tokens)
	s.costUSD += u.CostUSD
	s.hasCost = s.hasCost || u.HasCost
}

// spending is what was spent on models, of which a run has one or some.
type spending []modelSpent

type modelSpent struct {
	model string
	spent
}

// maxSpending is how many models are told apart; the rest counts under none.
const maxSpending = 64

// of is the entry of a model, which is made where there is none. It is good until the next call.
func (s *spending) of(model string) *spent {
	if known := s.known(model); known != nil {
		return known
	}
	if len(*s) >= maxSpending && model != "" {
		return s.of("")
	}
	*s = append(*s, modelSpent{model: strings.Clone(model)})
	return &(*s)[len(*s)-1].spent
}

// known is the entry of a model, nil if there is none.
func (s *spending) known(model string) *spent {
	for i := range *s {
		if one := &(*s)[i]; one.model == model {
			return &one.spent
		}
	}
	return nil
}

// countCall adds what a model call told to the metrics.
func (s *Stream) countCall(ev *events.DisplayEvent) {
	if u := ev.Usage; u != nil && u.Scope == events.UsageScopeCall && !(s.run.standing == standingSecond && s.run.ref.totals) {
		s.meter.tokens(ev.Model, u.Tokens, u.CostUSD)
	}
}

// countRemainder adds to the metrics what the run's total tells beyond its model calls: calls that the stream does not
// show, and output that it told too early to know.
func (s *Stream) countRemainder(r *run) {
	only := r.top.models.only()
	for _, total := range r.totals {
		told := spent{}
		if len(r.totals) == 1 { // it is that of all calls, whatever model they named
			for _, t := range r.callUsage {
				told.tokens.Add(t.tokens)
				told.costUSD += t.costUSD
			}
		} else if t := r.callUsage.known(total.model); t != nil {
			told = *t
		}
		model := total.model
		if model == "" {
			model = only
		}
		s.meter.tokens(model, total.tokens.Sub(told.tokens), total.costUSD-told.costUSD)
	}
}

// putAgentUsage writes the total of an agent. The convention of the newest version has no cache counts on agent spans,
// since they mislead over several models; they stand under own names.
func (s *Stream) putAgentUsage(m pcommon.Map, u spent) {
	if u.tokens == (events.Tokens{}) && !u.hasCost {
		return
	}
	m.PutInt(AttrGenAIInputTokens, u.tokens.Input)
	m.PutInt(AttrGenAIOutputTokens, u.tokens.Output)
	cacheRead, cacheWrite, reasoning := AttrUsageCacheRead, AttrUsageCacheWrite, AttrUsageReasoning
	if s.writer.semconv == SemconvV141 {
		cacheRead, cacheWrite, reasoning = AttrGenAICacheRead, attrCacheWriteV141, AttrGenAIReasoningTokens
	}
	putPositive(m, cacheRead, u.tokens.CacheRead)
	putPositive(m, cacheWrite, u.tokens.CacheWrite)
	putPositive(m, reasoning, u.tokens.Reasoning)
	if u.hasCost {
		m.PutDouble(AttrCostUSD, u.costUSD)
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
