package claude_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/claude"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// TestUsageSums adds up the tokens of each fixture in a second way, with encoding/json over whole lines, and compares
// the sum with that of the events: nothing is counted twice, nothing is lost.
func TestUsageSums(t *testing.T) {
	for _, file := range parsertest.Recorded(t, claude.Name, claude.Name) {
		var sum rawSum
		var total events.UsageTotal
		p := newSource()
		for _, line := range parsertest.Lines(t, file) {
			for _, e := range p.ParseEvents(line) {
				if e.Kind == events.KindUsage {
					total.Add(e.Model, e.Usage)
					assert.Equal(t, e.Usage.Provider.Input+e.Usage.Provider.CacheRead+e.Usage.Provider.CacheWrite, e.Usage.Tokens.Input, "input includes the cache")
				}
			}
			sum.add(line)
		}
		got := total.Sum().Provider
		got.Reasoning = 0
		assert.Equal(t, sum.total(), got, file)
	}
}

type rawUsage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`

	Iterations []struct {
		rawUsage
		Model string `json:"model"`
	} `json:"iterations"`
}

type rawModelUsage struct {
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	CacheRead  int64 `json:"cacheReadInputTokens"`
	CacheWrite int64 `json:"cacheCreationInputTokens"`
}

type rawMessage struct {
	ID    string    `json:"id"`
	Usage *rawUsage `json:"usage"`
}

type rawLine struct {
	Type    string          `json:"type"`
	UUID    string          `json:"uuid"`
	Message json.RawMessage `json:"message"`
	API     string          `json:"api_message_id"`
	Event   *struct {
		Type    string     `json:"type"`
		Message rawMessage `json:"message"`
		Usage   *rawUsage  `json:"usage"`
	} `json:"event"`
	Usage *rawUsage                `json:"usage"`
	Since map[string]rawModelUsage `json:"model_usage_since_last_result"`
	Model map[string]rawModelUsage `json:"modelUsage"`
}

// rawSum adds up the counts in the lines, by the rules of the format: runs, or the last process total, or the turns, or
// the largest usage of each message.
type rawSum struct {
	seen    map[string]bool
	calls   map[string]rawUsage
	current string
	anon    []rawUsage

	run                events.Tokens
	process, before    events.Tokens // before is the sum of earlier processes
	hasRun, hasProcess bool
	results            int
}

func (s *rawSum) add(line []byte) {
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))))
	for {
		var l rawLine
		if err := decoder.Decode(&l); err != nil {
			var list []json.RawMessage
			if json.Unmarshal(line, &list) == nil {
				for _, one := range list {
					s.add(one)
				}
			}
			return
		}
		s.record(&l)
	}
}

func (s *rawSum) record(l *rawLine) {
	if s.seen == nil {
		s.seen, s.calls = map[string]bool{}, map[string]rawUsage{}
	}
	if l.UUID != "" && s.seen[l.Type+l.UUID] {
		return
	}
	s.seen[l.Type+l.UUID] = true
	switch l.Type {
	case "assistant":
		var m rawMessage
		if json.Unmarshal(l.Message, &m) == nil {
			s.call(m.ID, m.Usage)
		}
	case "stream_event":
		if l.Event.Type == "message_start" {
			s.current = l.Event.Message.ID
			s.call(s.current, l.Event.Message.Usage)
		}
		if l.Event.Type == "message_delta" {
			s.call(s.current, l.Event.Usage)
		}
	case "result":
		s.results++
		switch {
		case l.Since != nil:
			s.hasRun = true
			s.run.Add(sumModels(l.Since))
		case len(l.Model) > 0:
			s.hasProcess = true
			now := sumModels(l.Model)
			if now.Input < s.process.Input { // another process
				s.before.Add(s.process)
			}
			s.process = now
		case l.Usage != nil:
			s.hasRun = true
			s.run.Add(events.Tokens{Input: l.Usage.Input, Output: l.Usage.Output, CacheRead: l.Usage.CacheRead, CacheWrite: l.Usage.CacheWrite})
		}
	}
}

func (s *rawSum) call(id string, u *rawUsage) {
	if u == nil {
		return
	}
	if id == "" {
		s.anon = append(s.anon, *u)
		return
	}
	for _, one := range u.Iterations {
		if one.Model != "" { // an advisor's, which the message's counts exclude
			s.call(id+"/"+one.Model, &one.rawUsage)
		}
	}
	c := s.calls[id]
	c.Input, c.Output = max(c.Input, u.Input), max(c.Output, u.Output)
	c.CacheRead, c.CacheWrite = max(c.CacheRead, u.CacheRead), max(c.CacheWrite, u.CacheWrite)
	s.calls[id] = c
}

func sumModels(models map[string]rawModelUsage) events.Tokens {
	var t events.Tokens
	for _, u := range models {
		t.Add(events.Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite})
	}
	return t
}

func (s *rawSum) total() events.Tokens {
	if s.hasRun || s.hasProcess {
		t := s.run
		t.Add(s.process)
		t.Add(s.before)
		return t
	}
	var t events.Tokens
	for _, u := range s.calls {
		t.Add(events.Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite})
	}
	for _, u := range s.anon {
		t.Add(events.Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite})
	}
	return t
}

func TestUsageIsAnIncrement(t *testing.T) {
	p := newSource()
	line := func(uuid string, out int) []byte {
		return must(json.Marshal(map[string]any{"type": "assistant", "uuid": uuid, "session_id": "s", "message": map[string]any{
			"id": "msg_1", "role": "assistant", "content": []any{}, "usage": map[string]any{"input_tokens": 4, "output_tokens": out}}}))
	}
	first := p.ParseEvents(line("a", 1))
	require.Len(t, first, 1)
	assert.Equal(t, events.Tokens{Input: 4, Output: 1}, first[0].Usage.Provider)
	assert.Empty(t, p.ParseEvents(line("b", 1)), "a repeat adds nothing")
	grown := p.ParseEvents(line("c", 310))
	require.Len(t, grown, 1)
	assert.Equal(t, events.Tokens{Output: 309}, grown[0].Usage.Provider)
	assert.Empty(t, p.ParseEvents(line("d", 20)), "less adds nothing")
}

// TestPlaceholder has a message whose output is first unknown and then known, in the two forms of a stream.
func TestPlaceholder(t *testing.T) {
	type usage struct {
		input, output, provider int64
		unknown                 bool
	}
	usages := func(lines ...string) (got []usage) {
		p := newSource()
		for _, l := range lines {
			for _, e := range p.ParseEvents([]byte(l)) {
				if u := e.Usage; u != nil {
					got = append(got, usage{u.Tokens.Input, u.Tokens.Output, u.Provider.Output, u.OutputUnknown})
				}
			}
		}
		return got
	}
	const (
		start = `{"type":"stream_event","session_id":"s","uuid":"1","event":{"type":"message_start","message":{"id":"m","model":"x","usage":{"input_tokens":10,"output_tokens":3}}}}`
		block = `{"type":"assistant","session_id":"s","uuid":"2","message":{"id":"m","model":"x","stop_reason":null,"content":[{"type":"text","text":"Hi."}],"usage":{"input_tokens":10,"output_tokens":3}}}`
		last  = `{"type":"assistant","session_id":"s","uuid":"3","message":{"id":"m","model":"x","stop_reason":"end_turn","content":[{"type":"text","text":"Bye."}],"usage":{"input_tokens":10,"output_tokens":3}}}`
		delta = `{"type":"stream_event","session_id":"s","uuid":"4","event":{"type":"message_delta","usage":{"output_tokens":90}}}`
		whole = `{"type":"assistant","sessionId":"s","uuid":"5","message":{"id":"m","model":"x","stop_reason":null,"content":[{"type":"text","text":"Hi."}],"usage":{"input_tokens":10,"output_tokens":7}}}`
	)
	assert.Equal(t, []usage{{10, 0, 3, true}}, usages(block, block), "a stream that ends early")
	assert.Equal(t, []usage{{10, 0, 3, true}, {0, 90, 87, false}}, usages(start, block, delta), "partial messages")
	assert.Equal(t, []usage{{10, 0, 3, true}, {0, 3, 0, false}}, usages(block, last), "an answer that is as short as the placeholder")
	assert.Equal(t, []usage{{10, 7, 7, false}}, usages(whole), "a transcript")
}

func TestCostOfATranscript(t *testing.T) {
	costs := func(lines ...string) (got []float64) {
		p := newSource()
		for _, l := range lines {
			for _, e := range p.ParseEvents([]byte(l)) {
				if e.Usage != nil && e.Usage.CostAlone() {
					got = append(got, e.Usage.CostUSD)
				}
			}
		}
		return got
	}
	state := func(cost string) string {
		return `{"type":"cost-state","sessionId":"s","totalCostUSD":9,"modelUsage":{"m":{"inputTokens":5,"costUSD":` + cost + `}}}`
	}
	const copied = `{"type":"user","sessionId":"s","requestSessionId":"other","uuid":"1","message":{"role":"user","content":"x"}}`
	assert.Equal(t, []float64{0.25, 0.5}, costs(state("0.25"), state("0.25"), state("0.75")), "by how much it grew")
	assert.Equal(t, []float64{0.25}, costs(copied, state("0.5"), state("0.75")), "a fork goes on from its parent's")
	assert.Equal(t, []float64{9}, costs(`{"type":"cost-state","sessionId":"s","totalCostUSD":9}`), "without models")
	assert.Empty(t, costs(`{"type":"cost-state","sessionId":"s","totalCostUSD":0}`))
}
