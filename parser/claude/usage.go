package claude

import (
	"bytes"
	"slices"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
	"github.com/tailspan/tailspan/parser/internal/usage"
)

// normalise returns the tokens in the arithmetic that all providers share:
//
//	input  = input_tokens + cache_read_input_tokens + cache_creation_input_tokens
//	output = output_tokens, thinking included, unchanged
//
// Anthropic's input_tokens excludes tokens that were read from the cache or written to it.
func normalise(t events.Tokens) events.Tokens {
	t.Input += t.CacheRead + t.CacheWrite
	return t
}

// counted is what was reported for one message, or for another model's calls within it.
type counted struct {
	tokens    events.Tokens // the maximum of each count, placeholders included
	output    int64         // the maximum without placeholders
	reasoning int64
	hasOutput bool
	searches  int64
	fetches   int64
}

// ledger counts the tokens and the cost of a stream exactly once.
type ledger struct {
	*line
	counted memory.Table[counted]
	words   words
	last    lastUsage

	costs  []modelCost
	forked bool // the transcript began with another session's lines before any cost of its own
	cost   float64
	model  string // latest model of the main thread
}

// lastUsage identifies the usage that the last assistant line reported.
type lastUsage struct {
	message string
	nth     int  // number of the answer with that ID
	final   bool // it was complete
}

// words is a usage object of a message, a message_delta or a result.
type words struct {
	events.Usage
	advisors []advisor
}

// advisor is the sum of the calls of another model within a message. The message's own counts exclude it.
type advisor struct {
	model  string
	tokens events.Tokens
}

// readUsage parses a usage object. The result is valid until the next call.
func (l *ledger) readUsage(v scan.Value) *words {
	w := &l.words
	*w = words{advisors: w.advisors[:0]}
	s := &l.Inner
	s.Reset(v.Raw)
	var c usage.Counts
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "service_tier":
			w.ServiceTier = l.Strings.Intern(s.Value())
		case "speed":
			w.Speed = l.Strings.Intern(s.Value())
		case "server_tool_use":
			w.readServerTools(s)
		case "iterations":
			l.readIterations(s, w)
		default:
			tokenCounts.Key(s, &c)
		}
	}
	w.Tokens = c.Tokens()
	w.Provider = w.Tokens
	w.Provider.CacheWrite5m, w.Provider.CacheWrite1h = 0, 0 // they only split another count
	return w
}

// The keys of usage objects: of messages and results, and of the totals by model.
var (
	tokenCounts = usage.Map{
		"input_tokens": usage.Input, "output_tokens": usage.Output, "cache_read_input_tokens": usage.CacheRead,
		"cache_creation_input_tokens": usage.CacheWrite, "cache_creation.ephemeral_5m_input_tokens": usage.CacheWrite5m,
		"cache_creation.ephemeral_1h_input_tokens": usage.CacheWrite1h, "output_tokens_details.thinking_tokens": usage.Reasoning,
	}
	modelCounts = usage.Map{
		"inputTokens": usage.Input, "outputTokens": usage.Output, "cacheReadInputTokens": usage.CacheRead,
		"cacheCreationInputTokens": usage.CacheWrite, "cacheCreationEphemeral5mInputTokens": usage.CacheWrite5m,
		"cacheCreationEphemeral1hInputTokens": usage.CacheWrite1h, "thinkingTokens": usage.Reasoning,
	}
)

func (w *words) readServerTools(s *scan.Scanner) {
	for in := scan.Enter(s); in && s.Key(); {
		switch string(s.Name()) {
		case "web_search_requests":
			w.WebSearches = s.Count()
		case "web_fetch_requests":
			w.WebFetches = s.Count()
		default:
			s.Skip()
		}
	}
}

// maxAdvisors is the maximum number of other models within one message that are counted.
const maxAdvisors = 16

// readIterations reads the calls that make up a message. The message's own counts include those of its own model but
// not those of other models (getagentseal/codeburn#659, case 200).
func (l *ledger) readIterations(s *scan.Scanner, w *words) {
	if s.Peek() != scan.KindArray {
		s.Skip()
		return
	}
	for s.Array(); s.Element(); {
		var one advisor
		var c usage.Counts
		for in := scan.Enter(s); in && s.Key(); {
			if string(s.Name()) == "model" {
				one.model = l.Strings.Intern(s.Value())
			} else {
				tokenCounts.Key(s, &c)
			}
		}
		one.tokens = c.Tokens()
		if one.model != "" {
			w.addAdvisor(one)
		}
	}
}

func (w *words) addAdvisor(one advisor) {
	for i := range w.advisors {
		if w.advisors[i].model == one.model {
			w.advisors[i].tokens.Add(one.tokens)
			return
		}
	}
	if len(w.advisors) < maxAdvisors {
		w.advisors = append(w.advisors, one)
	}
}

// callUsage reports what a line adds to the tokens of its message. All lines of a message repeat its usage, most of them
// with a placeholder for the output, which is the API's first count (final is false). The maximum of each field counts.
// A message without an ID counts once per line.
//
// It returns what it reported, or nil if the line adds nothing.
func (l *ledger) callUsage(id scan.Value, nth int, w *words, final bool) *events.Usage {
	var known counted
	var key uint64
	if len(id.Body()) > 0 && w.Tokens.Plausible() { // implausible counts are ignored and must not affect later lines
		key = l.messageKey(id, nth)
		known, _ = l.counted.Get(key)
	}
	u := known.grow(w, final)
	if u == nil {
		return nil
	}
	if key != 0 {
		l.counted.Set(key, known)
	}
	l.Emit(events.KindUsage).Usage = u
	return u
}

// grow adds a usage object and returns the increase, or nil if there is none.
func (c *counted) grow(w *words, final bool) *events.Usage {
	u := w.Usage
	grown := c.tokens.Max(w.Tokens)
	u.Scope, u.Provider, u.Tokens = events.UsageScopeCall, grown, grown
	u.Provider.CacheWrite5m, u.Provider.CacheWrite1h = 0, 0
	u.Tokens.Output, u.Tokens.Reasoning = 0, 0
	first := final && !c.hasOutput && w.Tokens != (events.Tokens{})
	if final {
		u.Tokens.Output, u.Tokens.Reasoning = max(w.Tokens.Output-c.output, 0), max(w.Tokens.Reasoning-c.reasoning, 0)
		c.output, c.reasoning = max(c.output, w.Tokens.Output), max(c.reasoning, w.Tokens.Reasoning)
	}
	c.hasOutput = c.hasOutput || first
	u.OutputUnknown = !c.hasOutput
	u.Tokens = normalise(u.Tokens)
	u.WebSearches, u.WebFetches = max(w.WebSearches-c.searches, 0), max(w.WebFetches-c.fetches, 0)
	c.searches, c.fetches = max(c.searches, w.WebSearches), max(c.fetches, w.WebFetches)
	if grown == (events.Tokens{}) && !first && u.Tokens == (events.Tokens{}) && u.WebSearches == 0 && u.WebFetches == 0 {
		return nil
	}
	return &u
}

// advisorUsage reports the calls of other models within a message, under the message's ID.
func (l *ledger) advisorUsage(id scan.Value, nth int, w *words) {
	for i := range w.advisors {
		one := &w.advisors[i]
		var known counted
		var key uint64
		if len(id.Body()) > 0 {
			key = l.Keys.With(l.messageKey(id, nth), []byte(one.model))
			known, _ = l.counted.Get(key)
		}
		if u := known.grow(&words{Usage: events.Usage{Tokens: one.tokens}}, true); u != nil {
			if key != 0 {
				l.counted.Set(key, known)
			}
			e := l.Emit(events.KindUsage)
			e.Model, e.Usage = one.model, u
		}
	}
}

// maxLastUsage is the maximum size of a usage that is kept to recognise repetitions, in bytes. Real ones have some hundreds.
const maxLastUsage = 4 << 10

// repeatsUsage reports whether the previous line had the same usage of the same message, as most lines of a message do.
func (l *ledger) repeatsUsage(r *sdkstream.Envelope, final bool) bool {
	id := r.Message.ID.Body()
	if len(id) == 0 {
		return false
	}
	if l.last == (lastUsage{string(id), l.Head.Answer, final}) && bytes.Equal(r.Message.Usage.Raw, r.LastUsage) {
		return true
	}
	l.last = lastUsage{l.sticky(r.Message.ID), l.Head.Answer, final}
	r.LastUsage = r.LastUsage[:0]
	if len(r.Message.Usage.Raw) <= maxLastUsage {
		r.LastUsage = append(r.LastUsage, r.Message.Usage.Raw...)
	}
	return false
}

// totals reports the usage of a result. There are three forms; the first one that exists is used:
//
//	model_usage_since_last_result   2.1.3xx: this run, sub-agents and side calls included
//	modelUsage                      1.0.4x and later: since the process began (2.1.3xx: and before, if it was resumed)
//	usage                           before: the main loop of this turn alone
func (l *ledger) totals(r *sdkstream.Envelope) {
	if run := r.Rest.Get("model_usage_since_last_result"); run.Kind == scan.KindObject {
		if l.modelUsage(run, events.UsageScopeRun) == 0 { // no model was called: the total is zero
			l.Emit(events.KindUsage).Usage = &events.Usage{Scope: events.UsageScopeRun}
		}
		return
	}
	if l.modelUsage(r.Rest.Get("modelUsage"), events.UsageScopeProcess) > 0 {
		return
	}
	v := r.Rest.Get("usage")
	if v.Kind != scan.KindObject {
		return
	}
	w := l.readUsage(v)
	u := &events.Usage{Scope: events.UsageScopeRun, Provider: w.Provider, Tokens: normalise(w.Tokens)}
	u.CostUSD, u.HasCost = l.runCost(r)
	e := l.Emit(events.KindUsage)
	e.Usage = u
	if e.Model == "" {
		e.Model = l.model
	}
}

// runCost returns the growth of the cost since the last result, which has a running total of the process.
// Before 1.0.22 the total was named cost_usd and total_cost.
func (l *ledger) runCost(r *sdkstream.Envelope) (float64, bool) {
	for _, key := range [...]string{"total_cost_usd", "total_cost", "cost_usd"} {
		if v := r.Rest.Get(key); v.Kind == scan.KindNumber {
			total := v.Float()
			if !events.PlausibleCost(total) {
				return total, true // implausible: the next total is compared with the previous one
			}
			cost := total - l.cost
			if cost < 0 { // another process continues in the same stream
				cost = total
			}
			l.cost = total
			return cost, true
		}
	}
	return 0, false
}

// modelUsage emits the usage of each model in an object and returns the number of models.
func (l *ledger) modelUsage(object scan.Value, scope events.UsageScope) int {
	if object.Kind != scan.KindObject {
		return 0
	}
	n := 0
	s := &l.Inner
	s.Reset(object.Raw)
	for s.Object(); s.Key(); {
		name := s.Name()
		if s.Peek() != scan.KindObject {
			s.Skip()
			continue
		}
		u := &events.Usage{Scope: scope}
		var c usage.Counts
		for s.Object(); s.Key(); {
			switch string(s.Name()) {
			case "webSearchRequests":
				u.WebSearches = s.Count()
			case "costUSD":
				v := s.Value()
				u.CostUSD, u.HasCost = v.Float(), v.Kind == scan.KindNumber
			default:
				modelCounts.Key(s, &c)
			}
		}
		u.Provider, u.Tokens = c.Tokens(), normalise(c.Tokens())
		u.Provider.CacheWrite5m, u.Provider.CacheWrite1h = 0, 0
		e := l.Emit(events.KindUsage)
		e.Model, e.Usage = l.Strings.Unescape(name), u
		n++
	}
	return n
}

// costState reports the cost of a transcript's session since it was last written, sub-agents and side calls included. The format
// has a running total over all processes of a session. The total of a fork includes its parent's, which is in another file, so the
// first total of a fork is only a baseline (S9-resume). The tokens are in the messages and in the files of the sub-agents.
func (l *ledger) costState(r *sdkstream.Envelope) {
	if models := r.Rest.Get("modelUsage"); models.Kind == scan.KindObject {
		s := &l.Inner
		s.Reset(models.Raw)
		for s.Object(); s.Key(); {
			name, cost := s.Name(), 0.0
			for in := scan.Enter(s); in && s.Key(); {
				if string(s.Name()) == "costUSD" {
					cost = s.Value().Float()
				} else {
					s.Skip()
				}
			}
			if cost != 0 {
				l.sessionCost(l.Strings.Unescape(name), cost)
			}
		}
	}
	if total := r.Rest.Get("totalCostUSD").Float(); len(l.costs) == 0 && total != 0 {
		l.sessionCost("", total)
	}
	l.forked = false
}

// modelCost is the running total of a model's cost in a transcript.
type modelCost struct {
	model string
	total float64
}

// maxCosts limits the number of models whose cost is tracked separately; a session has one or a few.
const maxCosts = 64

// sessionCost emits the growth of a model's running total. It emits an implausible total unchanged, so that it is ignored
// and counted; the next total is compared with the previous plausible one.
func (l *ledger) sessionCost(model string, total float64) {
	if !events.PlausibleCost(total) {
		l.emitCost(model, total)
		return
	}
	i := slices.IndexFunc(l.costs, func(c modelCost) bool { return c.model == model })
	if i < 0 {
		if len(l.costs) == maxCosts {
			return
		}
		i = len(l.costs)
		l.costs = append(l.costs, modelCost{model: model})
	}
	grown := total - l.costs[i].total
	l.costs[i].total = total
	if grown > 0 && !l.forked {
		l.emitCost(model, grown)
	}
}

func (l *ledger) emitCost(model string, usd float64) {
	e := l.Emit(events.KindUsage)
	e.Model = model
	e.Usage = &events.Usage{Scope: events.UsageScopeRun, OutputUnknown: true, CostUSD: usd, HasCost: true}
}
