package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/text"
	"github.com/tailspan/tailspan/render/style"
)

// maxSummaryTools is how many tools a summary lists; the rest are counted together.
const maxSummaryTools = 12

// A run that uses more tools or models than these has the others counted together.
const (
	maxToolSums = 256
	maxModels   = 64
	otherTools  = "other tools"
)

// summary adds up what a run did. A new run begins after the end of the last one; running totals of the stream count as
// far as they have grown since.
type summary struct {
	nameOf   func(*events.Tool) string // a tool's name, as the lines of the log have it
	tools    map[string]*toolSum
	usage    events.UsageTotal
	models   map[string]struct{} // in usage
	before   events.Usage        // the usage of earlier runs
	first    time.Time
	last     time.Time
	duration time.Duration  // from the run's end
	totals   *events.Totals // the totals of the run, from its end
	any      bool           // there is something to say
	later    bool           // a run ended before in this log: what is not seen of this one was done nowhere else
}

// toolSum is what one tool did.
type toolSum struct {
	name          string
	calls, failed int
	took          time.Duration
}

func newSummary(nameOf func(*events.Tool) string) *summary {
	return &summary{tools: map[string]*toolSum{}, models: map[string]struct{}{}, nameOf: nameOf}
}

// add applies one event. The event that ends a call carries its duration.
func (s *summary) add(e *events.DisplayEvent, at time.Time) {
	if !at.IsZero() {
		if s.first.IsZero() || at.Before(s.first) {
			s.first = at
		}
		if at.After(s.last) {
			s.last = at
		}
	}
	switch e.Kind {
	case events.KindToolUse:
		if !e.Tool.Partial {
			s.tool(&e.Tool).calls++
			s.any = true
		}
	case events.KindToolResult:
		if style.KnownName(&e.Tool) == "" {
			return // the tool is unknown
		}
		t := s.tool(&e.Tool)
		t.took += e.Tool.Duration
		if e.Tool.Error {
			t.failed++
		}
		s.any = true
	case events.KindToolProgress:
		if e.Tool.State == events.ToolStateFailed && style.KnownName(&e.Tool) != "" {
			s.tool(&e.Tool).failed++
		}
	case events.KindUsage:
		if e.Usage != nil {
			s.usage.Add(s.model(e.Model), e.Usage)
			s.any = true
		}
	case events.KindSessionEnded:
		if e.End != nil && KeyOf(e) == (Key{}) {
			s.duration, s.totals = e.End.Duration, e.End.Totals
			s.any = s.any || !s.later && s.totals != nil && s.totals.ToolCalls > 0
		}
	}
}

// model is a model by which usage is added up.
func (s *summary) model(name string) string {
	name = text.BoundedID(name)
	if _, known := s.models[name]; !known {
		if len(s.models) >= maxModels {
			return ""
		}
		s.models[name] = struct{}{}
	}
	return name
}

func (s *summary) tool(t *events.Tool) *toolSum {
	name := s.nameOf(t)
	sum, ok := s.tools[name]
	if !ok && len(s.tools) >= maxToolSums {
		name = otherTools
		sum, ok = s.tools[name]
	}
	if !ok {
		sum = &toolSum{name: name}
		s.tools[name] = sum
	}
	return sum
}

// next is the summary of the run after this one.
func (s *summary) next() *summary {
	return &summary{tools: map[string]*toolSum{}, nameOf: s.nameOf, usage: s.usage, models: s.models, before: s.usage.Sum(), later: true}
}

// text is the summary, one line a fact.
func (s *summary) text() string {
	var b strings.Builder
	tools := make([]*toolSum, 0, len(s.tools))
	var all toolSum
	for _, t := range s.tools {
		if t.calls > 0 || t.failed > 0 || t.took >= text.LeastDuration { // else it answers a call from before this log
			tools = append(tools, t)
		}
		all.calls += t.calls
		all.failed += t.failed
		all.took += t.took
	}
	slices.SortFunc(tools, func(a, b *toolSum) int {
		return cmp.Or(cmp.Compare(b.calls, a.calls), cmp.Compare(b.took, a.took), strings.Compare(a.name, b.name))
	})
	earlier := s.earlier(&all)
	if s.whole() {
		all.calls, all.failed = s.totals.ToolCalls, s.totals.ToolErrors
	}
	b.WriteString("tools     " + all.words() + "\n")
	width := 0
	shown := tools[:min(len(tools), maxSummaryTools)]
	for _, t := range shown {
		width = max(width, text.Cells(t.name))
	}
	for _, t := range shown {
		b.WriteString("  " + t.name + strings.Repeat(" ", width-text.Cells(t.name)) + "  " + t.words() + "\n")
	}
	if n := len(tools) - len(shown); n > 0 {
		fmt.Fprintf(&b, "  and %d more\n", n)
	}
	if earlier.calls > 0 {
		b.WriteString("  before this log began  " + earlier.words() + "\n")
	}
	s.usageLines(&b)
	if took := s.took(); took >= text.LeastDuration {
		fmt.Fprintf(&b, "duration  %s\n", text.Short(took))
	}
	return b.String()
}

// whole reports whether the totals are of all that is summed up: not where earlier runs ended by their turn, as those of
// transcripts do, and are summed up with the last one.
func (s *summary) whole() bool {
	if s.totals == nil {
		return false
	}
	seen := 0
	for _, t := range s.tools {
		seen += t.calls
	}
	return s.totals.ToolCalls >= seen
}

// earlier is what the run did before this log began, where the run's end has totals: the program that writes the log was
// restarted during the run.
func (s *summary) earlier(seen *toolSum) (t toolSum) {
	if s.totals == nil || s.totals.ToolCalls <= seen.calls {
		return t
	}
	return toolSum{calls: s.totals.ToolCalls - seen.calls, failed: max(s.totals.ToolErrors-seen.failed, 0)}
}

// elapsed is the time between the first and the last event of this log.
func (s *summary) elapsed() time.Duration {
	if s.last.After(s.first) {
		return s.last.Sub(s.first)
	}
	return 0
}

// took is the duration of the run: from its end, else from the events of this log.
func (s *summary) took() time.Duration {
	switch {
	case s.duration > 0:
		return s.duration
	case s.totals != nil:
		return max(s.elapsed(), s.totals.Elapsed)
	default:
		return s.elapsed()
	}
}

// sum is the usage of the run: from its end, else from the events of this log.
func (s *summary) sum() events.Usage {
	if s.whole() && (s.totals.Usage.Tokens != (events.Tokens{}) || s.totals.Usage.HasCost) {
		return s.totals.Usage
	}
	sum := s.usage.Sum()
	sum.Tokens = sum.Tokens.Sub(s.before.Tokens)
	sum.CostUSD -= s.before.CostUSD
	return sum
}

// usageLines writes tokens and cost, where known.
func (s *summary) usageLines(b *strings.Builder) {
	sum := s.sum()
	if t := &sum.Tokens; t.Input > 0 || t.Output > 0 {
		b.WriteString("tokens    " + text.Tokens(t) + "\n")
	}
	if sum.HasCost && sum.CostUSD >= 0 {
		b.WriteString("cost      " + text.USD(sum.CostUSD, sum.CostEstimated) + "\n")
	}
}

// words is "3 calls, 1 failed, 1.2s". For a call from before this log it is only how the call ended.
func (t *toolSum) words() string {
	var words []string
	if t.calls > 0 || t.failed == 0 && t.took < text.LeastDuration {
		words = append(words, text.Plural(t.calls, "call"))
	}
	if t.failed > 0 {
		words = append(words, strconv.Itoa(t.failed)+" failed")
	}
	if t.took >= text.LeastDuration {
		words = append(words, text.Short(t.took))
	}
	return strings.Join(words, ", ")
}
