package opencode_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/opencode"
)

// TestUsageSums adds up the tokens of each fixture in a second way, with encoding/json over all of it, and compares
// the sum with that of the events: nothing is counted twice, nothing is lost.
func TestUsageSums(t *testing.T) {
	for _, file := range parsertest.Recorded(t, opencode.Name, opencode.Name) {
		if strings.HasSuffix(file, ".export.json") {
			continue // a document, which is summed up below by its own columns
		}
		t.Run(strings.TrimPrefix(file, "../../testdata/opencode/"), func(t *testing.T) {
			lines := parsertest.Lines(t, file)
			sum := newRawSum()
			for _, line := range lines {
				sum.add(line)
			}
			assert.Equal(t, sum.total(), parsedSum(lines))
			if columns, ok := sessionColumns(lines); ok {
				assert.Equal(t, columns, parsedSum(lines), "the session's own columns")
			}
		})
	}
	export, err := os.ReadFile("../../testdata/opencode/parity.export.json")
	require.NoError(t, err)
	var reported struct {
		Info struct{ Tokens rawTokens } `json:"info"`
	}
	require.NoError(t, json.Unmarshal(export, &reported))
	require.NotZero(t, reported.Info.Tokens)
	assert.Equal(t, reported.Info.Tokens.tokens(), parsedSum([][]byte{export}), "an export")
}

// parsedSum returns the sum of the parser's events, without reasoning, which columns do not always have.
func parsedSum(lines [][]byte) events.Tokens {
	p := newSource()
	var sum events.Tokens
	add := func(all []events.DisplayEvent) {
		for _, e := range all {
			if e.Kind == events.KindUsage {
				sum.Add(e.Usage.Provider)
			}
		}
	}
	for _, line := range lines {
		add(p.ParseEvents(line))
	}
	add(p.Flush())
	sum.Reasoning = 0
	return sum
}

type rawTokens struct {
	Input, Output int64
	Cache         struct{ Read, Write int64 }
}

func (r rawTokens) tokens() events.Tokens {
	return events.Tokens{Input: r.Input, Output: r.Output, CacheRead: r.Cache.Read, CacheWrite: r.Cache.Write}
}

// rawSum holds the latest tokens of each step by the ID of its part, and of each message by its ID.
type rawSum struct {
	steps, messages map[string]events.Tokens
	stepsOf         map[string]bool
}

func newRawSum() *rawSum {
	return &rawSum{steps: map[string]events.Tokens{}, messages: map[string]events.Tokens{}, stepsOf: map[string]bool{}}
}

type rawPart struct {
	ID, Type, MessageID string
	Tokens              rawTokens
}

type rawInfo struct {
	ID, Role string
	Tokens   rawTokens
}

type rawChange struct {
	Part *rawPart
	Info *rawInfo
}

func (s *rawSum) add(line []byte) {
	var r struct {
		Table, ID, Data, Type string
		MessageID             string `json:"message_id"`
		rawChange
		Properties rawChange
		Messages   []struct {
			Info  rawInfo
			Parts []rawPart
		}
	}
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), []byte("data: "))))
	for dec.Decode(&r) == nil { // several on a line
		switch r.Table {
		case "part":
			part := rawPart{}
			if json.Unmarshal([]byte(r.Data), &part) == nil {
				part.ID, part.MessageID = r.ID, r.MessageID
				s.part(&part)
			}
		case "message":
			info := rawInfo{}
			if json.Unmarshal([]byte(r.Data), &info) == nil {
				info.ID = r.ID
				s.message(&info)
			}
		case "event":
			change := rawChange{}
			if json.Unmarshal([]byte(r.Data), &change) == nil {
				s.change(change)
			}
		default:
			s.change(r.rawChange)
			s.change(r.Properties)
		}
		for _, m := range r.Messages {
			s.message(&m.Info)
			for _, part := range m.Parts {
				s.part(&part)
			}
		}
		r.Part, r.Properties, r.Messages = nil, rawChange{}, nil
	}
}

func (s *rawSum) change(c rawChange) {
	if c.Part != nil {
		s.part(c.Part)
	}
	if c.Info != nil {
		s.message(c.Info)
	}
}

func (s *rawSum) part(p *rawPart) {
	if p.Type == "step-finish" {
		s.steps[p.ID] = p.Tokens.tokens()
		s.stepsOf[p.MessageID] = true
	}
}

func (s *rawSum) message(m *rawInfo) {
	if m.Role == "assistant" {
		s.messages[m.ID] = m.Tokens.tokens()
	}
}

// total returns the sum of all steps, and of the messages without steps.
func (s *rawSum) total() events.Tokens {
	var sum events.Tokens
	for _, t := range s.steps {
		sum.Add(t)
	}
	for id, t := range s.messages {
		if !s.stepsOf[id] {
			sum.Add(t)
		}
	}
	return sum
}

// sessionColumns adds up the tokens in the rows of sessions; files and made-up rows have no such columns.
func sessionColumns(lines [][]byte) (events.Tokens, bool) {
	var sum events.Tokens
	found := false
	for _, line := range lines {
		var columns map[string]json.RawMessage
		if json.Unmarshal(line, &columns) != nil || string(columns["table"]) != `"session"` || columns["tokens_input"] == nil {
			continue
		}
		found = true
		var reported events.Tokens
		for name, into := range map[string]*int64{
			"tokens_input": &reported.Input, "tokens_output": &reported.Output, "tokens_cache_read": &reported.CacheRead, "tokens_cache_write": &reported.CacheWrite,
		} {
			if json.Unmarshal(columns[name], into) != nil {
				return sum, false
			}
		}
		sum.Add(reported)
	}
	return sum, found
}

// TestArithmetic checks the tokens of a step in the arithmetic that all providers share.
func TestArithmetic(t *testing.T) {
	for _, tc := range []struct {
		name, version, provider, tokens string
		want                            events.Tokens
	}{
		{"cache beside input", "1.18.33", "mock", `{"input":10,"output":5,"reasoning":0,"cache":{"read":100,"write":7}}`, events.Tokens{Input: 117, Output: 5, CacheRead: 100, CacheWrite: 7}},
		{"reasoning beside output", "1.18.33", "mock", `{"total":27,"input":10,"output":5,"reasoning":9,"cache":{"read":3,"write":0}}`, events.Tokens{Input: 13, Output: 14, CacheRead: 3, Reasoning: 9}},
		{"reasoning within output", "1.18.33", "mock", `{"total":18,"input":10,"output":5,"reasoning":4,"cache":{"read":3,"write":0}}`, events.Tokens{Input: 13, Output: 5, CacheRead: 3, Reasoning: 4}},
		{"reasoning, no total", "1.0.1", "mock", `{"input":10,"output":5,"reasoning":4,"cache":{"read":3,"write":0}}`, events.Tokens{Input: 13, Output: 5, CacheRead: 3, Reasoning: 4}},
		{"cache within input", "0.5.29", "mock", `{"input":110,"output":5,"reasoning":0,"cache":{"read":100,"write":0}}`, events.Tokens{Input: 110, Output: 5, CacheRead: 100}},
		{"0.5 with Anthropic", "0.5.29", "anthropic", `{"input":10,"output":5,"reasoning":0,"cache":{"read":100,"write":0}}`, events.Tokens{Input: 110, Output: 5, CacheRead: 100}},
		{"0.6", "0.6.3", "mock", `{"input":10,"output":5,"reasoning":0,"cache":{"read":100,"write":0}}`, events.Tokens{Input: 110, Output: 5, CacheRead: 100}},
		{"0.15", "0.15.0", "mock", `{"input":10,"output":5,"reasoning":0,"cache":{"read":100,"write":0}}`, events.Tokens{Input: 110, Output: 5, CacheRead: 100}},
		{"nonsense", "1.0.0", "mock", `{"input":-4,"output":"many","cache":[]}`, events.Tokens{Input: 1 << 56}}, // ignored by package parser
	} {
		t.Run(tc.name, func(t *testing.T) {
			out := one(t,
				`{"table":"session","id":"ses_1","version":"`+tc.version+`"}`,
				`{"table":"message","id":"msg_1","session_id":"ses_1","data":{"role":"assistant","providerID":"`+tc.provider+`","modelID":"m"}}`,
				`{"table":"part","id":"prt_1","message_id":"msg_1","session_id":"ses_1","data":{"type":"step-finish","reason":"tool-calls","tokens":`+tc.tokens+`}}`)
			require.Len(t, out, 1)
			assert.Equal(t, tc.want, out[0].Usage.Tokens)
			assert.Equal(t, "m", out[0].Model)
			assert.False(t, out[0].Usage.HasCost)
		})
	}
}
