package gemini_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/gemini"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// TestUsageSums adds up the tokens of each fixture in a second way, with encoding/json over whole lines, and compares
// the sum with that of the events: nothing is counted twice, nothing is lost.
func TestUsageSums(t *testing.T) {
	for _, file := range parsertest.Recorded(t, gemini.Name, gemini.Name) {
		var sum rawSum
		var total events.UsageTotal
		p := newSource()
		for _, line := range parsertest.Lines(t, file) {
			for _, e := range p.ParseEvents(line) {
				if e.Kind == events.KindUsage {
					total.Add(e.Model, e.Usage)
				}
			}
			sum.add(line)
		}
		wantProvider, wantAll := sum.total()
		got := total.Sum()
		got.Provider.Reasoning = 0
		assert.Equal(t, wantProvider, got.Provider, file)
		assert.Equal(t, wantAll, got.Tokens.Input+got.Tokens.Output, "normalised input and output are the total of %s", file)
	}
}

type rawTokens struct {
	Input, Prompt, Output, Candidates, Cached, Thoughts, Tool, Total int64
}

type rawStats struct {
	Total    int64 `json:"total_tokens"`
	Input    int64 `json:"input_tokens"`
	Output   int64 `json:"output_tokens"`
	Cached   int64 `json:"cached"`
	Duration int64 `json:"duration_ms"`
	Models   map[string]struct {
		Tokens *rawTokens `json:"tokens"`
	} `json:"models"`
}

type rawMessage struct {
	ID     string     `json:"id"`
	Type   string     `json:"type"`
	Tokens *rawTokens `json:"tokens"`
}

// rawSum adds up the counts in the records: the results of a stream, the models of the single document, or the last
// tokens of each message.
type rawSum struct {
	results events.Tokens
	all     int64
	byID    map[string]rawTokens
}

func (s *rawSum) add(line []byte) {
	var r struct {
		rawMessage
		Stats    *rawStats    `json:"stats"`
		Messages []rawMessage `json:"messages"`
	}
	if json.Unmarshal(bytes.TrimSpace(line), &r) != nil {
		return
	}
	if s.byID == nil {
		s.byID = map[string]rawTokens{}
	}
	for _, m := range append(r.Messages, r.rawMessage) {
		if m.ID != "" && m.Type == "gemini" && m.Tokens != nil {
			s.byID[m.ID] = *m.Tokens // in no fixture a message's tokens decrease
		}
	}
	if r.Stats == nil {
		return
	}
	if r.Type == "result" {
		s.results.Add(events.Tokens{Input: r.Stats.Input, Output: r.Stats.Output, CacheRead: r.Stats.Cached})
		s.all += r.Stats.Total
		return
	}
	for _, m := range r.Stats.Models {
		s.results.Add(events.Tokens{Input: m.Tokens.Prompt, Output: m.Tokens.Candidates, CacheRead: m.Tokens.Cached})
		s.all += m.Tokens.Total
	}
}

func (s *rawSum) total() (provider events.Tokens, all int64) {
	provider, all = s.results, s.all
	for _, m := range s.byID {
		provider.Add(events.Tokens{Input: m.Input, Output: m.Output, CacheRead: m.Cached})
		all += m.Total
	}
	return provider, all
}

func TestUsageOfAMessageGrows(t *testing.T) {
	p := newSource()
	line := func(tokens string) []events.DisplayEvent {
		return p.ParseEvents([]byte(`{"id":"g1","type":"gemini","content":"","model":"m","tokens":` + tokens + `}`))
	}
	assert.Empty(t, line(`null`))
	first := line(`{"input":100,"output":7,"cached":40,"thoughts":5,"tool":3,"total":115}`)
	require.Len(t, first, 1)
	assert.Equal(t, events.Usage{
		Scope:    events.UsageScopeCall,
		Provider: events.Tokens{Input: 100, Output: 7, CacheRead: 40, Reasoning: 5},
		Tokens:   events.Tokens{Input: 103, Output: 12, CacheRead: 40, Reasoning: 5},
	}, *first[0].Usage)
	assert.Equal(t, "g1", first[0].ItemID)
	assert.Empty(t, line(`{"input":100,"output":7,"cached":40,"thoughts":5,"tool":3,"total":115}`), "a repeat adds nothing")
	grown := line(`{"input":100,"output":9,"cached":40,"thoughts":5,"tool":3,"total":117}`)
	require.Len(t, grown, 1)
	assert.Equal(t, events.Tokens{Output: 2}, grown[0].Usage.Tokens)
	assert.NotEqual(t, "g1", grown[0].ItemID, "the increment is a thing of its own")
	assert.Empty(t, line(`{"input":1,"output":1,"cached":0,"total":2}`), "less adds nothing")
	odd := line(`{"input":-5,"output":"x","cached":null}`)
	require.Len(t, odd, 1)
	assert.False(t, odd[0].Usage.Tokens.Plausible(), "package parser ignores it")
	grown = line(`{"input":100,"output":10,"cached":40,"thoughts":5,"tool":3,"total":118}`)
	require.Len(t, grown, 1)
	assert.Equal(t, events.Tokens{Output: 1}, grown[0].Usage.Tokens)
}

func TestUsageOfAResult(t *testing.T) {
	for _, tc := range []struct {
		name, stats string
		want        map[string]events.Tokens // normalised, by model
	}{
		{name: "a model", stats: `{"total_tokens":110,"input_tokens":100,"output_tokens":7,"cached":40,"models":{"pro":{"total_tokens":110,"input_tokens":100,"output_tokens":7,"cached":40}}}`,
			want: map[string]events.Tokens{"pro": {Input: 100, Output: 10, CacheRead: 40, Reasoning: 3}}},
		{name: "before models were reported", stats: `{"total_tokens":107,"input_tokens":100,"output_tokens":7,"cached":40}`,
			want: map[string]events.Tokens{"configured": {Input: 100, Output: 7, CacheRead: 40}}},
		{name: "models that are not the whole", stats: `{"total_tokens":107,"input_tokens":100,"output_tokens":7,"cached":40,"models":{"pro":{"input_tokens":90,"output_tokens":7,"cached":40}}}`,
			want: map[string]events.Tokens{"configured": {Input: 100, Output: 7, CacheRead: 40}}},
		{name: "no model was called", stats: `{"total_tokens":0,"input_tokens":0,"output_tokens":0,"cached":0,"models":{}}`,
			want: map[string]events.Tokens{"configured": {}}},
		{name: "none reported", stats: `null`, want: map[string]events.Tokens{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newSource()
			p.ParseEvents([]byte(`{"type":"init","timestamp":"2026-01-01T00:00:00.000Z","session_id":"s","model":"configured"}`))
			got := map[string]events.Tokens{}
			for _, e := range p.ParseEvents([]byte(`{"type":"result","status":"success","stats":` + tc.stats + `}`)) {
				if e.Kind == events.KindUsage {
					assert.Equal(t, events.UsageScopeRun, e.Usage.Scope)
					got[e.Model] = e.Usage.Tokens
				}
			}
			assert.Equal(t, tc.want, got)
		})
	}
}
