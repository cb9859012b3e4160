package qwen

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/usage"
)

// normalise returns the tokens in the shared arithmetic. Qwen Code's input includes cached tokens, and it writes no
// cache itself. So the arithmetic is the shared one, except that some servers exclude thinking from the output:
//
//	total = input + output               output includes thinking
//	total = input + output + thinking    output excludes thinking
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

// The keys of usage objects: of a stream, of a transcript's messages, and of its telemetry.
var (
	streamCounts = usage.Map{
		"input_tokens": usage.Input, "cache_read_input_tokens": usage.CacheRead, "cache_creation_input_tokens": usage.CacheWrite,
		"output_tokens": usage.Output,
	}
	messageCounts = usage.Map{
		"promptTokenCount": usage.Input, "candidatesTokenCount": usage.Output, "cachedContentTokenCount": usage.CacheRead,
		"thoughtsTokenCount": usage.Reasoning, "totalTokenCount": usage.Total,
	}
	telemetryCounts = usage.Map{
		"input_token_count": usage.Input, "output_token_count": usage.Output, "cached_content_token_count": usage.CacheRead,
		"thoughts_token_count": usage.Reasoning, "total_token_count": usage.Total,
	}
)

// tokens reads the usage object of a stream's line; all counts are 0 if there is none.
func (lg *ledger) tokens(v scan.Value) events.Tokens {
	c := streamCounts.Members(lg.Members(v))
	return c.Tokens()
}

// callUsage emits the usage of a call, which is on the last line of its response; the other lines have zeros.
func (lg *ledger) callUsage(v scan.Value) {
	if t := lg.tokens(v); t != (events.Tokens{}) {
		lg.responses.end(lg.Head.ParentID)
		lg.Emit(events.KindUsage).Usage = &events.Usage{Scope: events.UsageScopeCall, Provider: t, Tokens: t}
	}
}

// totals emits the usage of a result: including sub-agents, over all runs of a resumed session.
func (lg *ledger) totals(v scan.Value) {
	if v.Kind != scan.KindObject {
		return
	}
	t := lg.tokens(v)
	e := lg.Emit(events.KindUsage)
	e.Usage = &events.Usage{Scope: events.UsageScopeSession, Provider: t, Tokens: t}
	e.Model = lg.session.model
}

// usageMetadata emits the usage of a transcript's message, unless telemetry lines have it, which also count the calls
// of sub-agents.
func (lg *ledger) usageMetadata(v scan.Value) {
	if v.Kind != scan.KindObject || lg.reports.telemetry.counts {
		return
	}
	c := messageCounts.Members(lg.Members(v))
	t := c.Tokens()
	if t == (events.Tokens{}) {
		return
	}
	lg.reports.telemetry.early = t
	lg.Emit(events.KindUsage).Usage = &events.Usage{
		Scope: events.UsageScopeCall, Provider: t, Tokens: normalise(t, c.Of(usage.Total)),
	}
}
