package openai

import (
	"bytes"
	"strconv"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// counts is what an answer told of its cost, in the server's own arithmetic.
type counts struct {
	tokens   events.Tokens
	total    int64
	cost     float64
	hasCost  bool
	duration time.Duration
}

// grow raises c to what a later chunk told: usage on chunks is a running total, and may come twice.
func (c *counts) grow(o counts) {
	c.tokens.Max(o.tokens)
	c.total = max(c.total, o.total)
	if o.hasCost {
		c.cost, c.hasCost = max(c.cost, o.cost), true
	}
	c.duration = max(c.duration, o.duration)
}

// normalise gives the tokens in the arithmetic that all providers share: input with what was cached, output with what
// was thought. OpenAI's own counts are that already. Where the total is larger than prompt and completion, the total
// tells what stands outside of them:
//
//	total = prompt + completion + cached      the cache is not in the prompt (Portkey over Anthropic)
//	total = prompt + completion + reasoning   thinking is not in the completion (xAI)
//	total = prompt + completion + x           no reasoning told: x was thought (Gemini)
func (c *counts) normalise() events.Tokens {
	t := c.tokens
	cached := t.CacheRead + t.CacheWrite
	switch extra := c.total - t.Input - t.Output; {
	case extra <= 0:
		if cached > t.Input {
			t.Input += cached
		}
	case extra == cached:
		t.Input += cached
	case extra == t.Reasoning:
		t.Output += extra
	case extra == cached+t.Reasoning:
		t.Input += cached
		t.Output += t.Reasoning
	case t.Reasoning == 0:
		t.Output += extra
		t.Reasoning = extra
	}
	return t
}

// countsOf reads what a chunk or a body tells: usage, else Groq's usage beside it, else the counts of Ollama's own API;
// and how long the server worked, where it says so.
func (p *Parser) countsOf(r *record) counts {
	var c counts
	switch {
	case r.usage.Kind == scan.KindObject:
		c = p.readUsage(r.usage)
	case r.rest.Get("x_groq").Kind == scan.KindObject:
		p.nested = p.inner.MembersOf(r.rest.Get("x_groq"), p.nested[:0])
		c = p.readUsage(p.nested.Get("usage"))
	default:
		c.tokens.Input = number(r.rest.Get("prompt_eval_count"))
		c.tokens.Output = number(r.rest.Get("eval_count"))
	}
	if v := r.rest.Get("total_duration"); v.Kind == scan.KindNumber { // Ollama, in nanoseconds
		c.duration = time.Duration(max(v.Int(), 0))
	}
	if v := r.rest.Get("timings"); v.Kind == scan.KindObject { // llama.cpp
		p.nested = p.inner.MembersOf(v, p.nested[:0])
		c.duration = span(p.nested.Get("prompt_ms").Float()+p.nested.Get("predicted_ms").Float(), time.Millisecond)
	}
	return c
}

// readUsage reads a usage object of chat completions or of Responses.
func (p *Parser) readUsage(v scan.Value) counts {
	var c counts
	p.nested = p.inner.MembersOf(v, p.nested[:0])
	usage := p.nested
	t := &c.tokens
	t.Input = number(usage.AnyOf("prompt_tokens", "input_tokens"))
	t.Output = number(usage.AnyOf("completion_tokens", "output_tokens"))
	c.total = number(usage.Get("total_tokens"))
	c.duration = span(usage.Get("total_time").Float(), time.Second) // Groq
	hit := usage.Get("prompt_cache_hit_tokens")
	read, written := usage.Get("cache_read_input_tokens"), usage.Get("cache_creation_input_tokens")
	cost := usage.Get("cost")
	input := usage.AnyOf("prompt_tokens_details", "input_tokens_details")
	output := usage.AnyOf("completion_tokens_details", "output_tokens_details")

	p.nested = p.inner.MembersOf(input, p.nested[:0])
	t.CacheRead = number(firstNumber(p.nested.Get("cached_tokens"), read, hit))
	t.CacheWrite = number(firstNumber(written, p.nested.Get("cache_write_tokens")))
	p.nested = p.inner.MembersOf(output, p.nested[:0])
	t.Reasoning = number(p.nested.Get("reasoning_tokens"))
	if cost.Kind == scan.KindObject { // Perplexity
		p.nested = p.inner.MembersOf(cost, p.nested[:0])
		cost = p.nested.Get("total_cost")
	}
	if cost.Kind == scan.KindNumber {
		c.cost, c.hasCost = max(cost.Float(), 0), true
	}
	return c
}

func firstNumber(values ...scan.Value) scan.Value {
	for _, v := range values {
		if v.Kind == scan.KindNumber || v.Kind == scan.KindString {
			return v
		}
	}
	return scan.Value{}
}

// number reads a count that may be a float, or a string of digits; what is less than nothing is nothing.
func number(v scan.Value) int64 {
	if v.Kind == scan.KindString {
		n, err := strconv.ParseInt(string(bytes.TrimSpace(v.Body())), 10, 64)
		if err != nil {
			return 0
		}
		return max(n, 0)
	}
	return max(v.Int(), 0)
}

// span makes a duration of a number of units; what no duration can hold is none.
func span(n float64, unit time.Duration) time.Duration {
	if n <= 0 || n*float64(unit) >= 1<<62 {
		return 0
	}
	return time.Duration(n * float64(unit))
}

// tokens tells what an answer used.
func (p *Parser) tokens(c *counts) {
	if c.tokens == (events.Tokens{}) && !c.hasCost {
		return
	}
	p.emit(events.KindUsage).Usage = &events.Usage{
		Scope: events.UsageScopeCall, Provider: c.tokens, Tokens: c.normalise(), CostUSD: c.cost, HasCost: c.hasCost,
	}
}
