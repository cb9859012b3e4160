package openai

import (
	"bytes"
	"strconv"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/fields"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// counts is the usage of an answer, in the server's own arithmetic.
type counts struct {
	tokens   events.Tokens
	total    int64
	cost     float64
	hasCost  bool
	duration time.Duration
}

// grow raises c to the counts of a later chunk: usage on chunks is a running total and may be repeated.
func (c *counts) grow(o counts) {
	c.tokens.Max(o.tokens)
	c.total = max(c.total, o.total)
	if o.hasCost {
		if !c.hasCost || o.cost > c.cost {
			c.cost = o.cost
		}
		c.hasCost = true
	}
	c.duration = max(c.duration, o.duration)
}

// normalise returns the tokens in the arithmetic that all providers share: input includes cached tokens, output includes
// reasoning. OpenAI's own counts are like that. If the total exceeds prompt plus completion, it shows which count these exclude:
//
//	total = prompt + completion + cached      prompt excludes cached (Portkey over Anthropic)
//	total = prompt + completion + reasoning   completion excludes reasoning (xAI)
//	total = prompt + completion + x           no reasoning is reported: x is reasoning (Gemini)
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

// ledger reads the usage of an answer.
type ledger struct {
	*line
	usage  usage // the current object
	fields *fields.Table
}

// countsOf reads the usage of a chunk or a body: usage, or Groq's usage next to it, or the counts of Ollama's own API. It
// also reads how long the server worked, if it says so.
func (lg *ledger) countsOf(r *record) counts {
	var c counts
	switch {
	case r.usage.Kind == scan.KindObject:
		c = lg.counts(r.usage)
	case r.rest.Get("x_groq").Kind == scan.KindObject:
		lg.Members(r.rest.Get("x_groq"))
		c = lg.counts(lg.Nested.Get("usage"))
	default:
		c.tokens.Input = number(r.rest.Get("prompt_eval_count"))
		c.tokens.Output = number(r.rest.Get("eval_count"))
	}
	if v := r.rest.Get("total_duration"); v.Kind == scan.KindNumber { // Ollama, in nanoseconds
		c.duration = v.Duration(time.Nanosecond)
	}
	if v := r.rest.Get("timings"); v.Kind == scan.KindObject { // llama.cpp
		lg.Members(v)
		c.duration = scan.Span(lg.Nested.Get("prompt_ms").Float()+lg.Nested.Get("predicted_ms").Float(), time.Millisecond)
	}
	return c
}

// usage is a usage object of chat completions or of Responses as raw spans; the two use different names for the same counts.
type usage struct {
	prompt, input, completion, output, total         scan.Value
	promptDetails, inputDetails                      usageDetails
	completionDetails, outputDetails                 usageDetails
	cacheHit, cacheRead, cacheWritten, cost, seconds scan.Value
}

// usageDetails is an object of details.
type usageDetails struct{ value, cached, written, reasoning scan.Value }

// there reports whether the object exists and is not null.
func (d *usageDetails) there() bool { return d.value.Exists() && d.value.Kind != scan.KindNull }

func (u *usage) fields() *fields.Table {
	return fields.New(
		"prompt_tokens", &u.prompt, "input_tokens", &u.input, "completion_tokens", &u.completion, "output_tokens", &u.output,
		"total_tokens", &u.total, "prompt_cache_hit_tokens", &u.cacheHit, "cache_read_input_tokens", &u.cacheRead,
		"cache_creation_input_tokens", &u.cacheWritten, "cost", &u.cost, "total_time", &u.seconds, // Groq
		"prompt_tokens_details", &u.promptDetails.value, "prompt_tokens_details.cached_tokens", &u.promptDetails.cached,
		"prompt_tokens_details.cache_write_tokens", &u.promptDetails.written,
		"input_tokens_details", &u.inputDetails.value, "input_tokens_details.cached_tokens", &u.inputDetails.cached,
		"input_tokens_details.cache_write_tokens", &u.inputDetails.written,
		"completion_tokens_details", &u.completionDetails.value, "completion_tokens_details.reasoning_tokens", &u.completionDetails.reasoning,
		"output_tokens_details", &u.outputDetails.value, "output_tokens_details.reasoning_tokens", &u.outputDetails.reasoning,
	)
}

// counts reads a usage object.
func (lg *ledger) counts(v scan.Value) counts {
	var c counts
	if v.Kind != scan.KindObject {
		return c
	}
	u := &lg.usage
	*u = usage{}
	lg.Inner.Reset(v.Raw)
	lg.fields.Read(&lg.Inner)
	input, output := &u.promptDetails, &u.completionDetails
	if !input.there() {
		input = &u.inputDetails
	}
	if !output.there() {
		output = &u.outputDetails
	}
	t := &c.tokens
	t.Input, t.Output, c.total = number(firstOf(u.prompt, u.input)), number(firstOf(u.completion, u.output)), number(u.total)
	t.CacheRead = number(firstNumber(input.cached, u.cacheRead, u.cacheHit))
	t.CacheWrite = number(firstNumber(u.cacheWritten, input.written))
	t.Reasoning = number(output.reasoning)
	c.duration = u.seconds.Duration(time.Second)
	cost := u.cost
	if cost.Kind == scan.KindObject { // Perplexity
		lg.Members(cost)
		cost = lg.Nested.Get("total_cost")
	}
	if cost.Kind == scan.KindNumber {
		c.cost, c.hasCost = cost.Float(), true
	}
	return c
}

// firstOf returns a, or b if a is missing or null.
func firstOf(a, b scan.Value) scan.Value {
	if a.Exists() && a.Kind != scan.KindNull {
		return a
	}
	return b
}

func firstNumber(values ...scan.Value) scan.Value {
	for _, v := range values {
		if v.Kind == scan.KindNumber || v.Kind == scan.KindString {
			return v
		}
	}
	return scan.Value{}
}

// number reads a count, which may be a float or a string of digits.
func number(v scan.Value) int64 {
	if v.Kind == scan.KindString {
		v = scan.Value{Kind: scan.KindNumber, Raw: bytes.TrimSpace(v.Body())}
		if _, err := strconv.ParseInt(string(v.Raw), 10, 64); err != nil {
			return 0
		}
	}
	return v.Count()
}

// tokens emits the usage of an answer.
func (lg *ledger) tokens(c *counts) {
	if c.tokens == (events.Tokens{}) && !c.hasCost {
		return
	}
	lg.Emit(events.KindUsage).Usage = &events.Usage{
		Scope: events.UsageScopeCall, Provider: c.tokens, Tokens: c.normalise(), CostUSD: c.cost, HasCost: c.hasCost,
	}
}
