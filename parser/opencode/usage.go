package opencode

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/usage"
)

// tokenCounts are the keys of the object tokens of step-finish parts and messages.
var tokenCounts = usage.Map{
	"input": usage.Input, "output": usage.Output, "reasoning": usage.Reasoning, "total": usage.Total,
	"cache.read": usage.CacheRead, "cache.write": usage.CacheWrite,
}

// tokens is the object tokens of a step-finish part or a message.
type tokens struct {
	events.Tokens
	total int64
}

func (t *tokens) read(s *scan.Scanner) {
	if c, ok := tokenCounts.Read(s); ok {
		t.Tokens, t.total = c.Tokens(), c.Of(usage.Total)
	}
}

// normalise returns the tokens in the arithmetic that all providers share:
//
//	input  = input + cache.read + cache.write, or input alone if it already includes cached tokens
//	output = output, plus reasoning if total shows that output excludes it: total = input + output + reasoning + cache
//
// Versions up to 0.5 use input as the model's server reports it, which includes cached tokens except for Anthropic; later
// versions subtract them.
func (t *tokens) normalise(inputHoldsCache bool) events.Tokens {
	n := t.Tokens
	if !inputHoldsCache {
		n.Input += n.CacheRead + n.CacheWrite
	}
	if n.Reasoning > 0 && t.total == t.Input+t.Output+t.Reasoning+t.CacheRead+t.CacheWrite {
		n.Output += n.Reasoning
	}
	return n
}

// holdsCache reports whether a session's version counts cached tokens as input, for the servers of a provider.
func holdsCache(version, provider string) bool {
	minor, ok := strings.CutPrefix(version, "0.")
	if !ok || len(minor) < 2 || minor[0] < '0' || minor[0] > '5' || minor[1] != '.' {
		return false
	}
	return !strings.Contains(provider, "anthropic") && !strings.Contains(provider, "bedrock")
}

// usage returns the payload of a Usage event. The format gives models without a price the cost 0, which is ignored.
func (t *tokens) usage(cost scan.Value, inputHoldsCache bool) *events.Usage {
	u := &events.Usage{Scope: events.UsageScopeCall, Provider: t.Tokens, Tokens: t.normalise(inputHoldsCache)}
	if c := cost.Float(); c != 0 {
		u.CostUSD, u.HasCost = c, true
	}
	return u
}
