package claude

import (
	"bytes"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// normalise gives the tokens in the arithmetic that all providers share:
//
//	input  = input_tokens + cache_read_input_tokens + cache_creation_input_tokens
//	output = output_tokens, thinking included, as told
//
// Anthropic's input_tokens counts only what was neither read from the cache nor written to it.
func normalise(t events.Tokens) events.Tokens {
	t.Input += t.CacheRead + t.CacheWrite
	return t
}

// messageTokens reads the usage object of a message, a message_delta or a result.
func (p *Parser) messageTokens(usage scan.Value) events.Tokens {
	var t events.Tokens
	s := &p.inner
	s.Reset(usage.Raw)
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "input_tokens":
			t.Input = count(s)
		case "output_tokens":
			t.Output = count(s)
		case "cache_read_input_tokens":
			t.CacheRead = count(s)
		case "cache_creation_input_tokens":
			t.CacheWrite = count(s)
		case "output_tokens_details":
			if s.Peek() != scan.KindObject {
				s.Skip()
				continue
			}
			for s.Object(); s.Key(); {
				if string(s.Name()) == "thinking_tokens" {
					t.Reasoning = count(s)
				} else {
					s.Skip()
				}
			}
		default:
			s.Skip()
		}
	}
	return t
}

// count reads a number of tokens; null, which synthetic lines have, is none.
func count(s *scan.Scanner) int64 { return s.Count() }

// callUsage tells what a line adds to the tokens of its message. All lines of a message repeat its usage, with a
// placeholder for the output on most; the largest value of each field counts. A message without an id counts once a line.
//
// It returns what it told, nil if the line adds nothing.
func (p *Parser) callUsage(id scan.Value, nth int, told events.Tokens) *events.Usage {
	grown := told
	if len(id.Body()) > 0 && told.Plausible() { // else it is ignored, and is not what later lines are compared with
		key := p.messageKey(id, nth)
		known, _ := p.usage.Get(key)
		if grown = known.Max(told); grown != (events.Tokens{}) {
			p.usage.Set(key, known)
		}
	}
	if grown == (events.Tokens{}) {
		return nil
	}
	u := &events.Usage{Scope: events.UsageScopeCall, Provider: grown, Tokens: normalise(grown)}
	p.emit(events.KindUsage).Usage = u
	return u
}

// maxLastUsage is the longest usage that is kept to tell a repeat, in bytes. Real ones have some hundreds.
const maxLastUsage = 4 << 10

// toldUsage reports whether the line before told the same usage of the same message, as most lines of a message do.
func (p *Parser) toldUsage(r *record) bool {
	id := r.messageID.Body()
	if len(id) == 0 {
		return false
	}
	if string(id) == p.usageOf && p.head.Answer == p.usageNth && bytes.Equal(r.usage.Raw, r.lastUsage) {
		return true
	}
	p.usageOf, p.usageNth = p.sticky(r.messageID), p.head.Answer
	r.lastUsage = r.lastUsage[:0]
	if len(r.usage.Raw) <= maxLastUsage {
		r.lastUsage = append(r.lastUsage, r.usage.Raw...)
	}
	return false
}

// totals tells what a result says was used. Three forms exist, and the first that is there is the truth:
//
//	model_usage_since_last_result   2.1.3xx: this run, sub-agents and side calls included
//	modelUsage                      1.0.4x and later: since the process began (2.1.3xx: and before, if it was resumed)
//	usage                           before: the main loop of this turn alone
func (p *Parser) totals(r *record) {
	if run := r.rest.Get("model_usage_since_last_result"); run.Kind == scan.KindObject {
		if p.modelUsage(run, events.UsageScopeRun) == 0 { // no model was called: a total of nothing
			p.emit(events.KindUsage).Usage = &events.Usage{Scope: events.UsageScopeRun}
		}
		return
	}
	if p.modelUsage(r.rest.Get("modelUsage"), events.UsageScopeProcess) > 0 {
		return
	}
	usage := r.rest.Get("usage")
	if usage.Kind != scan.KindObject {
		return
	}
	t := p.messageTokens(usage)
	u := &events.Usage{Scope: events.UsageScopeRun, Provider: t, Tokens: normalise(t)}
	u.CostUSD, u.HasCost = p.runCost(r)
	e := p.emit(events.KindUsage)
	e.Usage = u
	if e.Model == "" {
		e.Model = p.model
	}
}

// runCost is what the cost has grown by since the last result: it is told as a total of the process. Its name was
// cost_usd and total_cost before 1.0.22.
func (p *Parser) runCost(r *record) (float64, bool) {
	for _, key := range [...]string{"total_cost_usd", "total_cost", "cost_usd"} {
		if v := r.rest.Get(key); v.Kind == scan.KindNumber {
			total := v.Float()
			if !events.PlausibleCost(total) {
				return total, true // to be ignored: the next total is compared with the one before
			}
			cost := total - p.cost
			if cost < 0 { // another process goes on in the same stream
				cost = total
			}
			p.cost = total
			return cost, true
		}
	}
	return 0, false
}

// modelUsage tells the usage of each model of an object, and how many there are.
func (p *Parser) modelUsage(object scan.Value, scope events.UsageScope) int {
	if object.Kind != scan.KindObject {
		return 0
	}
	n := 0
	s := &p.inner
	s.Reset(object.Raw)
	for s.Object(); s.Key(); {
		name := s.Name()
		if s.Peek() != scan.KindObject {
			s.Skip()
			continue
		}
		u := &events.Usage{Scope: scope}
		for s.Object(); s.Key(); {
			switch string(s.Name()) {
			case "inputTokens":
				u.Provider.Input = count(s)
			case "outputTokens":
				u.Provider.Output = count(s)
			case "cacheReadInputTokens":
				u.Provider.CacheRead = count(s)
			case "cacheCreationInputTokens":
				u.Provider.CacheWrite = count(s)
			case "thinkingTokens":
				u.Provider.Reasoning = count(s)
			case "costUSD":
				v := s.Value()
				u.CostUSD, u.HasCost = v.Float(), v.Kind == scan.KindNumber
			default:
				s.Skip()
			}
		}
		u.Tokens = normalise(u.Provider)
		e := p.emit(events.KindUsage)
		e.Model, e.Usage = p.strings.Unescape(name), u
		n++
	}
	return n
}
