package events_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
)

func TestSanitize(t *testing.T) {
	usage := func(u events.Usage) events.DisplayEvent {
		return events.DisplayEvent{Kind: events.KindUsage, Usage: &u}
	}
	result := func(t events.Tool) events.DisplayEvent {
		return events.DisplayEvent{Kind: events.KindToolResult, Tool: t}
	}
	for _, tc := range []struct {
		name     string
		ev, want events.DisplayEvent
		ignored  events.IgnoredNumbers
		dropped  bool
	}{
		{name: "good", ev: usage(events.Usage{Tokens: events.Tokens{Input: events.MaxTokens}, CostUSD: events.MaxCostUSD, HasCost: true}),
			want: usage(events.Usage{Tokens: events.Tokens{Input: events.MaxTokens}, CostUSD: events.MaxCostUSD, HasCost: true})},
		{name: "what is part of an ignored number", ev: usage(events.Usage{Tokens: events.Tokens{Input: 1 << 55, CacheRead: 7, Output: 3, Reasoning: 1}, Provider: events.Tokens{Input: 1, CacheRead: 7, Output: 3}}),
			want: usage(events.Usage{Tokens: events.Tokens{Output: 3, Reasoning: 1}, Provider: events.Tokens{Output: 3}}), ignored: events.IgnoredNumbers{events.NumberTokens: 1}},
		{name: "no number", ev: usage(events.Usage{CostUSD: math.NaN(), HasCost: true}), want: usage(events.Usage{}), ignored: events.IgnoredNumbers{events.NumberCost: 1}},
		{name: "running total", ev: usage(events.Usage{Scope: events.UsageScopeSession, Tokens: events.Tokens{Output: -1}}),
			want: usage(events.Usage{Scope: events.UsageScopeSession}), ignored: events.IgnoredNumbers{events.NumberTokens: 1}, dropped: true},
		{name: "cache of a session", ev: usage(events.Usage{SessionCacheHit: -1, SessionCacheMiss: 4}), want: usage(events.Usage{}), ignored: events.IgnoredNumbers{events.NumberTokens: 1}},
		{name: "no usage", ev: events.DisplayEvent{Kind: events.KindUsage}, want: events.DisplayEvent{Kind: events.KindUsage}},
		{name: "result", ev: result(events.Tool{Duration: -1, Lines: -1, HasLines: true, ExitCode: 1 << 32, HasExitCode: true}), want: result(events.Tool{}),
			ignored: events.IgnoredNumbers{events.NumberDuration: 1, events.NumberCount: 2}},
		{name: "exit code of Windows", ev: result(events.Tool{ExitCode: 0xC0000005, HasExitCode: true}), want: result(events.Tool{ExitCode: 0xC0000005, HasExitCode: true})},
		{name: "before 1970", ev: events.DisplayEvent{Kind: events.KindText, Time: time.Unix(-1, 0)}, want: events.DisplayEvent{Kind: events.KindText}, ignored: events.IgnoredNumbers{events.NumberTime: 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got events.IgnoredNumbers
			assert.Equal(t, !tc.dropped, got.Sanitize(&tc.ev))
			assert.Equal(t, tc.want, tc.ev)
			assert.Equal(t, tc.ignored, got)
		})
	}
}
