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

// ledger counts the tokens of a stream or transcript.
type ledger struct {
	*line
	session *session
	reports *reports
}

// streamTokens reads the usage object of a stream's line.
func (lg *ledger) streamTokens(usage scan.Value) events.Tokens {
	lg.Members(usage)
	return events.Tokens{
		Input:      count(lg.Nested.Get("input_tokens")),
		Output:     count(lg.Nested.Get("output_tokens")),
		CacheRead:  count(lg.Nested.Get("cache_read_input_tokens")),
		CacheWrite: count(lg.Nested.Get("cache_creation_input_tokens")),
	}
}

// count reads a number of tokens; null is none.
func count(v scan.Value) int64 { return v.Count() }

// callUsage emits the usage of a call, which is on the last line of its response; all others have zeros.
func (lg *ledger) callUsage(usage scan.Value) {
	if t := lg.streamTokens(usage); t != (events.Tokens{}) {
		lg.responses.end(lg.Head.ParentID)
		lg.Emit(events.KindUsage).Usage = &events.Usage{Scope: events.UsageScopeCall, Provider: t, Tokens: t}
	}
}

// totals emits the usage of a result: sub-agents included, and over all runs of a session that was resumed.
func (lg *ledger) totals(usage scan.Value) {
	if usage.Kind != scan.KindObject {
		return
	}
	t := lg.streamTokens(usage)
	e := lg.Emit(events.KindUsage)
	e.Usage = &events.Usage{Scope: events.UsageScopeSession, Provider: t, Tokens: t}
	e.Model = lg.session.model
}

// usageMetadata emits the usage of a transcript's message, if no telemetry line has it: those also count the calls of
// sub-agents.
func (lg *ledger) usageMetadata(v scan.Value) {
	if v.Kind != scan.KindObject || lg.reports.telemetry.counts {
		return
	}
	lg.Members(v)
	t := events.Tokens{
		Input:     count(lg.Nested.Get("promptTokenCount")),
		Output:    count(lg.Nested.Get("candidatesTokenCount")),
		CacheRead: count(lg.Nested.Get("cachedContentTokenCount")),
		Reasoning: count(lg.Nested.Get("thoughtsTokenCount")),
	}
	if t == (events.Tokens{}) {
		return
	}
	lg.reports.telemetry.early = t
	lg.Emit(events.KindUsage).Usage = &events.Usage{
		Scope: events.UsageScopeCall, Provider: t, Tokens: normalise(t, count(lg.Nested.Get("totalTokenCount"))),
	}
}
