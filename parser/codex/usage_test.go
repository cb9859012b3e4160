package codex_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/codex"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// TestUsageSums adds up the tokens of each fixture in a second way, with encoding/json over whole lines, and compares
// the sum with that of the events: nothing is counted twice, nothing is lost.
func TestUsageSums(t *testing.T) {
	for _, file := range parsertest.Recorded(t, codex.Name, codex.Name) {
		var sum rawSum
		var total events.UsageTotal
		p := newSource()
		for _, line := range parsertest.Lines(t, file) {
			for _, e := range p.ParseEvents(line) {
				if e.Kind == events.KindUsage {
					total.Add(e.Model, e.Usage)
					assert.Equal(t, e.Usage.Provider, e.Usage.Tokens, "both arithmetics are one")
				}
			}
			sum.add(line)
		}
		assert.Equal(t, sum.total(), total.Sum().Provider, file)
	}
}

type rawUsage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cached_input_tokens"`
	CacheWrite int64 `json:"cache_write_input_tokens"`
	Reasoning  int64 `json:"reasoning_output_tokens"`
}

func (u rawUsage) tokens() events.Tokens {
	return events.Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Reasoning: u.Reasoning}
}

type rawCount struct {
	rawUsage
	Type string `json:"type"`
	Info *struct {
		Total rawUsage `json:"total_token_usage"`
	} `json:"info"`
}

type rawLine struct {
	Type    string    `json:"type"`
	Usage   *rawUsage `json:"usage"`
	Msg     *rawCount `json:"msg"`
	Payload *struct {
		rawCount
		ID       string    `json:"id"`
		Forked   string    `json:"forked_from_id"`
		Response string    `json:"response_id"`
		Usage    *rawUsage `json:"usage"`
	} `json:"payload"`
}

// rawSum adds up the counts in the lines, by the rules of the format: the last total of the thread in streams, the
// responses in R4, the last total of earlier rollouts minus that of a fork's parent, the responses of 0.29.
type rawSum struct {
	thread    *events.Tokens
	responses map[string]events.Tokens
	calls     events.Tokens
	rollout   events.Tokens

	heads  []string
	forked bool
	counts []events.Tokens
}

func (s *rawSum) add(line []byte) {
	var l rawLine
	if json.Unmarshal(line, &l) != nil {
		if end := len(line) - 1; end > 0 && line[end] == 0 { // NULs after the line
			s.add(line[:end])
		}
		return
	}
	switch {
	case l.Type == "turn.completed" && l.Usage != nil:
		t := l.Usage.tokens()
		s.thread = &t
	case l.Msg != nil && l.Msg.Type == "token_count" && l.Msg.Info == nil:
		s.calls.Add(l.Msg.tokens())
	case l.Msg != nil && l.Msg.Type == "token_count":
		s.rollout = l.Msg.Info.Total.tokens()
	case l.Type == "session_meta":
		s.heads = append(s.heads, l.Payload.ID)
		s.forked = s.forked || l.Payload.Forked != ""
	case l.Type == "token_usage_record":
		if s.responses == nil {
			s.responses = map[string]events.Tokens{}
		}
		s.responses[l.Payload.Response] = l.Payload.Usage.tokens()
	case l.Type == "event_msg" && l.Payload.Type == "token_count" && l.Payload.Info != nil:
		s.counts = append(s.counts, l.Payload.Info.Total.tokens())
	}
}

func (s *rawSum) total() events.Tokens {
	switch {
	case s.thread != nil:
		return *s.thread
	case s.responses != nil:
		var t events.Tokens
		for _, u := range s.responses {
			t.Add(u)
		}
		return t
	case len(s.counts) > 0 && len(s.heads) > 1: // the made-up forks copy one response
		return s.counts[len(s.counts)-1].Sub(s.counts[0])
	case len(s.counts) > 0:
		return s.counts[len(s.counts)-1]
	}
	t := s.calls
	t.Add(s.rollout)
	return t
}

func count(total, last int) string {
	return fmt.Sprintf(`{"timestamp":"2026-03-02T12:00:00Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":%d},"last_token_usage":{"input_tokens":%d}}}}`, total, last)
}

func record(response string, input, thread int) string {
	total := ""
	if thread > 0 {
		total = fmt.Sprintf(`,"thread_token_usage":{"input_tokens":%d}`, thread)
	}
	return fmt.Sprintf(`{"timestamp":"2026-03-02T12:00:00Z","type":"token_usage_record","payload":{"response_id":"resp_%s","usage":{"input_tokens":%d}%s}}`, response, input, total)
}

func TestTokenCountIsAnIncrement(t *testing.T) {
	meta := `{"timestamp":"2026-03-02T12:00:00Z","type":"session_meta","payload":{"id":"b","cli_version":"0.125.0"%s}}`
	for _, tc := range []struct {
		name  string
		meta  string
		lines []string
		want  []int64
	}{
		{"each is reported twice", "", []string{count(100, 100), count(100, 100), count(180, 80), count(180, 80)}, []int64{100, 80}},
		{"no info yet", "", []string{`{"timestamp":"2026-03-02T12:00:00Z","type":"event_msg","payload":{"type":"token_count","info":null}}`, count(5, 5)}, []int64{5}},
		{"a fork goes on counting", `,"forked_from_id":"a"`, []string{count(180, 80), count(200, 20)}, []int64{80, 20}},
		{"a counter that begins anew", "", []string{count(100, 100), count(30, 30)}, []int64{100, 30}},
		{"a total that no thread can have is compared with nothing", "", []string{count(100, 100), count(1<<56, 20), count(120, 20)}, []int64{100, 1 << 56, 20}},
		{"a sub-agent goes on counting", `,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"a","depth":1}}}`, []string{count(1100, 100), count(1150, 50)}, []int64{100, 50}},
		{"a paginated rollout without records", `,"history_mode":"paginated"`, []string{count(100, 100)}, []int64{100}},
		{"records alone count", "", []string{record("1", 100, 140), count(100, 100), record("2", 200, 340), count(300, 200)}, []int64{100, 200}},
		{"records in legacy mode", `,"history_mode":"legacy"`, []string{record("1", 100, 100), count(100, 100), record("2", 200, 300), count(300, 200)}, []int64{100, 200}},
		{"records without totals of the thread", "", []string{record("1", 100, 0), count(100, 100), record("2", 200, 0), count(300, 200)}, []int64{100, 200}},
		{"a record behind its count", "", []string{count(100, 100), record("1", 100, 100), count(300, 200), record("2", 200, 300)}, []int64{100, 200}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []int64
			for _, e := range all(t, append([]string{fmt.Sprintf(meta, tc.meta)}, tc.lines...)...) {
				if e.Kind == events.KindUsage {
					assert.Equal(t, events.UsageScopeCall, e.Usage.Scope)
					got = append(got, e.Usage.Provider.Input)
				}
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestResponseIsCountedOnce(t *testing.T) {
	record := `{"timestamp":"2026-03-02T12:00:00Z","type":"token_usage_record","payload":{"response_id":"resp_1","usage":{"input_tokens":7,"output_tokens":2}}}`
	got := all(t, record, record)
	require.Len(t, got, 1)
	assert.Equal(t, "resp_1", got[0].ItemID)
	assert.Equal(t, events.Tokens{Input: 7, Output: 2}, got[0].Usage.Tokens)
}

func TestStreamReportsTheTotalOfItsThread(t *testing.T) {
	got := all(t, `{"type":"turn.completed","usage":{"input_tokens":7,"cached_input_tokens":3,"cache_write_input_tokens":1,"output_tokens":2,"reasoning_output_tokens":1}}`)
	require.Len(t, got, 2)
	assert.Equal(t, events.UsageScopeSession, got[0].Usage.Scope)
	assert.Equal(t, events.Tokens{Input: 7, Output: 2, CacheRead: 3, CacheWrite: 1, Reasoning: 1}, got[0].Usage.Tokens)
	assert.Len(t, all(t, `{"type":"turn.completed","usage":null}`), 1, "no usage is not a usage of nothing")
}

// TestResponsesWithOneID: a server that reuses the ID of a response (issue 13) loses no tokens; a repeated record counts
// once.
func TestResponsesWithOneID(t *testing.T) {
	record := func(input, total int) string {
		return fmt.Sprintf(`{"timestamp":"2026-03-02T12:00:00Z","type":"token_usage_record","payload":{"response_id":"resp_1","usage":{"input_tokens":%d},"thread_token_usage":{"input_tokens":%d}}}`, input, total)
	}
	p, input := newSource(), int64(0)
	for _, line := range []string{record(7, 7), record(7, 7), record(7, 14), record(9, 23)} {
		for _, e := range p.ParseEvents([]byte(line)) {
			input += e.Usage.Tokens.Input
		}
	}
	assert.EqualValues(t, 23, input)
}
