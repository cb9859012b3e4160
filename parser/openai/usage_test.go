package openai_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/openai"
)

// TestUsageSums adds up the tokens of each fixture in a second way, with encoding/json, and compares the sum with that of
// the events. A file of whole bodies is the sum of its bodies; a file of pieces is one answer, whose maximum counts.
func TestUsageSums(t *testing.T) {
	for _, file := range parsertest.Recorded(t, folder, openai.Name) {
		var total events.UsageTotal
		p := newSource()
		lines := parsertest.Lines(t, file)
		add := func(out []events.DisplayEvent) {
			for _, e := range out {
				if e.Kind == events.KindUsage {
					total.Add(e.Model, e.Usage)
				}
			}
		}
		for _, line := range lines {
			add(p.ParseEvents(line))
		}
		add(p.Flush())
		got := total.Sum().Provider
		got.Reasoning = 0
		assert.Equal(t, rawTotal(t, file, lines), got, file)
	}
}

func rawTotal(t *testing.T, file string, lines [][]byte) (sum events.Tokens) {
	t.Helper()
	oneAnswer := filepath.Ext(file) == ".sse" || strings.HasSuffix(file, "chunks.jsonl")
	var data []byte
	for _, line := range lines {
		line = bytes.TrimSpace(line)
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, value...), '\n')
			if !json.Valid(data) {
				continue
			}
			line = data
		}
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		var body map[string]any
		err := decoder.Decode(&body)
		data = nil
		if err != nil {
			continue
		}
		reported := rawTokens(body)
		if oneAnswer {
			sum.Max(reported)
		} else {
			sum.Add(reported)
		}
	}
	return sum
}

// rawTokens reads the usage from all places where servers put it.
func rawTokens(body map[string]any) events.Tokens {
	if response, ok := body["response"].(map[string]any); ok {
		return rawTokens(response)
	}
	usage, ok := body["usage"].(map[string]any)
	if !ok {
		groq, _ := body["x_groq"].(map[string]any)
		if usage, ok = groq["usage"].(map[string]any); !ok {
			usage = body
		}
	}
	input, _ := first(usage, "prompt_tokens_details", "input_tokens_details").(map[string]any)
	return events.Tokens{
		Input:      rawNumber(first(usage, "prompt_tokens", "input_tokens", "prompt_eval_count")),
		Output:     rawNumber(first(usage, "completion_tokens", "output_tokens", "eval_count")),
		CacheRead:  max(rawNumber(input["cached_tokens"]), rawNumber(usage["cache_read_input_tokens"]), rawNumber(usage["prompt_cache_hit_tokens"])),
		CacheWrite: rawNumber(usage["cache_creation_input_tokens"]),
	}
}

func first(m map[string]any, keys ...string) any {
	for _, key := range keys {
		if v := m[key]; v != nil {
			return v
		}
	}
	return nil
}

func rawNumber(v any) int64 {
	word := ""
	switch v := v.(type) {
	case json.Number:
		word = v.String()
	case string:
		word = v
	}
	const noCount = 1 << 56 // replaces a number that is not a count
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		f, _ := strconv.ParseFloat(word, 64)
		n = int64(f)
	}
	if n < 0 || n > noCount {
		return noCount
	}
	return n
}

func TestNormalisedTokens(t *testing.T) {
	for _, tc := range []struct {
		name, usage string
		want        events.Tokens
	}{
		{"OpenAI", `{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":80},"completion_tokens_details":{"reasoning_tokens":30}}`,
			events.Tokens{Input: 100, Output: 50, CacheRead: 80, Reasoning: 30}},
		{"Responses", `{"input_tokens":100,"output_tokens":50,"total_tokens":150,"input_tokens_details":{"cached_tokens":80,"cache_write_tokens":5}}`,
			events.Tokens{Input: 100, Output: 50, CacheRead: 80, CacheWrite: 5}},
		{"Portkey over Anthropic: the cache is not in the prompt", `{"prompt_tokens":310,"completion_tokens":42,"total_tokens":2400,"cache_read_input_tokens":2048,"cache_creation_input_tokens":0}`,
			events.Tokens{Input: 2358, Output: 42, CacheRead: 2048}},
		{"more cache than prompt, no total", `{"prompt_tokens":3,"completion_tokens":4,"cache_read_input_tokens":10,"cache_creation_input_tokens":20}`,
			events.Tokens{Input: 33, Output: 4, CacheRead: 10, CacheWrite: 20}},
		{"xAI: thinking is not in the completion", `{"prompt_tokens":700,"completion_tokens":9,"total_tokens":1131,"prompt_tokens_details":{"cached_tokens":256},"completion_tokens_details":{"reasoning_tokens":422}}`,
			events.Tokens{Input: 700, Output: 431, CacheRead: 256, Reasoning: 422}},
		{"both outside", `{"prompt_tokens":1,"completion_tokens":2,"total_tokens":33,"cache_read_input_tokens":10,"completion_tokens_details":{"reasoning_tokens":20}}`,
			events.Tokens{Input: 11, Output: 22, CacheRead: 10, Reasoning: 20}},
		{"Gemini: only the total contains thinking", `{"prompt_tokens":95,"completion_tokens":28,"total_tokens":411}`,
			events.Tokens{Input: 95, Output: 316, Reasoning: 288}},
		{"DeepSeek", `{"prompt_tokens":15,"completion_tokens":2,"total_tokens":17,"prompt_cache_hit_tokens":12,"prompt_cache_miss_tokens":3}`,
			events.Tokens{Input: 15, Output: 2, CacheRead: 12}},
		{"words and nothing", `{"prompt_tokens":"12","completion_tokens":3.0,"total_tokens":null,"prompt_tokens_details":null}`, events.Tokens{Input: 12, Output: 3}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out := newSource().ParseEvents([]byte(`{"object":"chat.completion","choices":[],"usage":` + tc.usage + `}`))
			require.Len(t, out, 1)
			assert.Equal(t, tc.want, out[0].Usage.Tokens)
		})
	}
}
