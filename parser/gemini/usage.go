package gemini

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/usage"
)

// tokens holds token counts as Gemini CLI reports them.
//
//	total = input + output + thoughts + tool
//
// input includes cached; output excludes thoughts; tool is the input of server-side tools, in addition to the prompt.
type tokens struct {
	present                                      bool
	input, output, cached, thoughts, tool, total int64
}

// usage returns the tokens in the provider's arithmetic and in the one that all providers share:
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

// max raises each count of t to that of o if that is larger. It returns the increase and whether there is one.
func (t *tokens) max(o tokens) (grown tokens, more bool) {
	if u := o.usage(events.UsageScopeCall); !u.Tokens.Plausible() || !u.Provider.Plausible() {
		return o, true // implausible: later counts are compared with the previous ones
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

// The keys of usage objects: those of a transcript's message and of a model in the single document, which has two
// different names and where input excludes cached tokens; and those of a result line's stats.
var (
	tokenCounts = usage.Map{
		"input": usage.Input, "prompt": usage.Prompt, "output": usage.Output, "candidates": usage.Output, "cached": usage.CacheRead,
		"thoughts": usage.Reasoning, "tool": usage.Tool, "total": usage.Total,
	}
	statCounts = usage.Map{
		"input_tokens": usage.Input, "output_tokens": usage.Output, "cached": usage.CacheRead, "total_tokens": usage.Total,
	}
)

// readTokens reads the next value of s as a usage object.
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

// streamStats emits the usage of a result line: that of each model if they add up to the total (0.34 and
// later), otherwise the total. Both include sub-agents and helper models.
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

// modelStats emits the usage of each model of a result line and returns their sum.
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

// sum returns the counts that streamStats compares.
func (t tokens) sum() tokens { return tokens{input: t.input, output: t.output, cached: t.cached} }

// withThoughts adds a count that the stream lacks: the part of the total that is neither input nor output is thoughts. It
// includes the input of server-side tools, which nothing distinguishes.
func (t tokens) withThoughts() tokens {
	t.thoughts = max(t.total-t.input-t.output, 0)
	return t
}

// usageOfStream returns the usage of a run from a result line, whose own arithmetic has no thoughts.
func (t tokens) usageOfStream() *events.Usage {
	u := t.usage(events.UsageScopeRun)
	u.Provider.Reasoning = 0
	return u
}
