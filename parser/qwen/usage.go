package qwen

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Qwen Code's input counts include what was cached, and it writes no cache of its own: its arithmetic is the normal one,
// but for thinking, which some servers leave out of the output:
//
//	total = input + output               thinking is in the output
//	total = input + output + thinking    it is not
func normalise(t events.Tokens, total int64) events.Tokens {
	if t.Reasoning > 0 && total == t.Input+t.Output+t.Reasoning {
		t.Output += t.Reasoning
	}
	return t
}

// streamTokens reads the usage object of a stream's line.
func (p *Parser) streamTokens(usage scan.Value) events.Tokens {
	p.Members(usage)
	return events.Tokens{
		Input:      count(p.Nested.Get("input_tokens")),
		Output:     count(p.Nested.Get("output_tokens")),
		CacheRead:  count(p.Nested.Get("cache_read_input_tokens")),
		CacheWrite: count(p.Nested.Get("cache_creation_input_tokens")),
	}
}

// count reads a number of tokens; null is none.
func count(v scan.Value) int64 { return v.Count() }

// callUsage emits the usage of a call, which is on the last line of its response; all others have zeros.
func (p *Parser) callUsage(usage scan.Value) {
	if t := p.streamTokens(usage); t != (events.Tokens{}) {
		p.responses.end(p.Head.ParentID)
		p.Emit(events.KindUsage).Usage = &events.Usage{Scope: events.UsageScopeCall, Provider: t, Tokens: t}
	}
}

// totals emits the usage of a result: sub-agents included, and over all runs of a session that was resumed.
func (p *Parser) totals(usage scan.Value) {
	if usage.Kind != scan.KindObject {
		return
	}
	t := p.streamTokens(usage)
	e := p.Emit(events.KindUsage)
	e.Usage = &events.Usage{Scope: events.UsageScopeSession, Provider: t, Tokens: t}
	e.Model = p.model
}

// usageMetadata emits the usage of a transcript's message, if no telemetry line has it: those also count the calls of
// sub-agents.
func (p *Parser) usageMetadata(v scan.Value) {
	if v.Kind != scan.KindObject || p.telemetry.counts {
		return
	}
	p.Members(v)
	t := events.Tokens{
		Input:     count(p.Nested.Get("promptTokenCount")),
		Output:    count(p.Nested.Get("candidatesTokenCount")),
		CacheRead: count(p.Nested.Get("cachedContentTokenCount")),
		Reasoning: count(p.Nested.Get("thoughtsTokenCount")),
	}
	if t == (events.Tokens{}) {
		return
	}
	p.telemetry.early = t
	p.Emit(events.KindUsage).Usage = &events.Usage{
		Scope: events.UsageScopeCall, Provider: t, Tokens: normalise(t, count(p.Nested.Get("totalTokenCount"))),
	}
}
