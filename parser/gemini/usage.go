package gemini

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/usage"
)

// tokens is a count as Gemini CLI reports it.
//
//	total = input + output + thoughts + tool
//
// input includes cached; output excludes thoughts; tool is the input that server-side tools took, beside the prompt.
type tokens struct {
	present                                      bool
	input, output, cached, thoughts, tool, total int64
}

// usage gives the tokens in the provider's arithmetic and in the one that all providers share:
//
//	input  = input + tool
//	output = output + thoughts
func (t tokens) usage(scope events.UsageScope) *events.Usage {
	return &events.Usage{
		Scope:    scope,
		Provider: events.Tokens{Input: t.input, Output: t.output, CacheRead: t.cached, Reasoning: t.thoughts},
		Tokens:   events.Tokens{Input: t.input + t.tool, Output: t.output + t.thoughts, CacheRead: t.cached, Reasoning: t.thoughts},
	}
}

// max raises every field of t to that of o and returns what was added, and whether anything was.
func (t *tokens) max(o tokens) (grown tokens, more bool) {
	if u := o.usage(events.UsageScopeCall); !u.Tokens.Plausible() || !u.Provider.Plausible() {
		return o, true // to be ignored: what comes later is compared with what was there before
	}
	grow := func(have *int64, now int64) int64 {
		if now <= *have {
			return 0
		}
		d := now - *have
		*have, more = now, true
		return d
	}
	grown = tokens{
		input: grow(&t.input, o.input), output: grow(&t.output, o.output), cached: grow(&t.cached, o.cached),
		thoughts: grow(&t.thoughts, o.thoughts), tool: grow(&t.tool, o.tool),
	}
	return grown, more
}

// The keys of usage objects: of a transcript's message, and of a model in the one document, which has other names for two
// of them (and means by input what was not cached); and of a result line's stats.
var (
	tokenCounts = usage.Map{
		"input": usage.Input, "prompt": usage.Prompt, "output": usage.Output, "candidates": usage.Output, "cached": usage.CacheRead,
		"thoughts": usage.Reasoning, "tool": usage.Tool, "total": usage.Total,
	}
	statCounts = usage.Map{
		"input_tokens": usage.Input, "output_tokens": usage.Output, "cached": usage.CacheRead, "total_tokens": usage.Total,
	}
)

// readTokens reads the usage object that comes next in s.
func readTokens(s *scan.Scanner) tokens {
	c, ok := tokenCounts.Read(s)
	t := tokensOf(&c)
	if t.present = ok; c.Has(usage.Prompt) {
		t.input = c.Of(usage.Prompt)
	}
	return t
}

func tokensOf(c *usage.Counts) tokens {
	return tokens{
		input: c.Of(usage.Input), output: c.Of(usage.Output), cached: c.Of(usage.CacheRead), thoughts: c.Of(usage.Reasoning),
		tool: c.Of(usage.Tool), total: c.Of(usage.Total),
	}
}

// streamStats emits the usage of a result line: each model's part where the parts add up to the whole (0.34 and
// later), else the whole. Sub-agents and helper models are in it.
func (st *stream) streamStats(stats scan.Value) {
	if stats.Kind != scan.KindObject {
		return
	}
	m := st.Members(stats)
	models, counts := m.Get("models"), statCounts.Members(m)
	whole := tokensOf(&counts)
	before := len(st.Out)
	if sum := st.modelStats(models); sum != whole.sum() || len(st.Out) == before {
		st.Out = st.Out[:before]
		e := st.Emit(events.KindUsage)
		e.Model, e.Usage = st.run.model, whole.withThoughts().usageOfStream()
	}
}

// modelStats emits the usage of each model of a result line, and returns their sum.
func (st *stream) modelStats(models scan.Value) (sum tokens) {
	if models.Kind != scan.KindObject {
		return sum
	}
	s := &st.Inner
	s.Reset(models.Raw)
	for s.Object(); s.Key(); {
		name := s.Name()
		c, ok := statCounts.Read(s)
		if !ok {
			continue
		}
		t := tokensOf(&c)
		sum.input, sum.output, sum.cached = sum.input+t.input, sum.output+t.output, sum.cached+t.cached
		e := st.Emit(events.KindUsage)
		e.Model, e.Usage = st.Strings.Unescape(name), t.withThoughts().usageOfStream()
	}
	return sum
}

// sum is what the parts of a result line are compared by.
func (t tokens) sum() tokens { return tokens{input: t.input, output: t.output, cached: t.cached} }

// withThoughts adds what the stream does not spell out: what is in the total, but neither input nor output, are thoughts.
// Input of server-side tools is in it too; nothing separates the two.
func (t tokens) withThoughts() tokens {
	t.thoughts = max(t.total-t.input-t.output, 0)
	return t
}

// usageOfStream is the usage of a run by a result line, whose own arithmetic has no thoughts.
func (t tokens) usageOfStream() *events.Usage {
	u := t.usage(events.UsageScopeRun)
	u.Provider.Reasoning = 0
	return u
}
