package opencode

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// tokens is the object tokens of step-finish parts and messages.
type tokens struct {
	events.Tokens
	total scan.Value
}

func (t *tokens) read(s *scan.Scanner) {
	if !enter(s) {
		return
	}
	for s.Key() {
		switch string(s.Name()) {
		case "input":
			t.Input = count(s)
		case "output":
			t.Output = count(s)
		case "reasoning":
			t.Reasoning = count(s)
		case "total":
			t.total = s.Value()
		case "cache":
			t.readCache(s)
		default:
			s.Skip()
		}
	}
}

func (t *tokens) readCache(s *scan.Scanner) {
	if !enter(s) {
		return
	}
	for s.Key() {
		switch string(s.Name()) {
		case "read":
			t.CacheRead = count(s)
		case "write":
			t.CacheWrite = count(s)
		default:
			s.Skip()
		}
	}
}

// count reads a number of tokens.
func count(s *scan.Scanner) int64 { return s.Count() }

// normalise gives the tokens in the arithmetic that all providers share:
//
//	input  = input + cache.read + cache.write, or input alone where it holds the cached ones already
//	output = output, + reasoning where total shows that output lacks it: total = input + output + reasoning + cache
//
// Versions up to 0.5 took input as the model's server reported it, cached tokens included but for Anthropic's; later ones
// take them off.
func (t *tokens) normalise(inputHoldsCache bool) events.Tokens {
	n := t.Tokens
	if !inputHoldsCache {
		n.Input += n.CacheRead + n.CacheWrite
	}
	if n.Reasoning > 0 && t.total.Int() == t.Input+t.Output+t.Reasoning+t.CacheRead+t.CacheWrite {
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

// usage is one Usage event's payload. Models without a price cost 0 in the format, which is no price.
func (t *tokens) usage(cost scan.Value, inputHoldsCache bool) *events.Usage {
	u := &events.Usage{Scope: events.UsageScopeCall, Provider: t.Tokens, Tokens: t.normalise(inputHoldsCache)}
	if c := cost.Float(); c != 0 {
		u.CostUSD, u.HasCost = c, true
	}
	return u
}
