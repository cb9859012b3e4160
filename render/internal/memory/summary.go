package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/account"
	"github.com/tailspan/tailspan/render/internal/text"
	"github.com/tailspan/tailspan/render/style"
)

// maxSummaryTools is the maximum number of tools that a summary lists; the others are counted together.
const maxSummaryTools = 12

// Limits of the tools of a run that are counted separately; the others are counted together.
const (
	maxToolSums = 256
	otherTools  = "other tools"
)

// summary adds up what a run did. A new run begins after the end of the previous one. Running totals of the stream
// count by their increase since then.
type summary struct {
	nameOf   func(*events.Tool) string // returns a tool's name as shown in the lines of the log
	tools    map[string]*toolSum
	account  account.Account
	before   events.Usage // usage of earlier runs
	first    time.Time
	last     time.Time
	duration time.Duration  // from the end of the run
	totals   *events.Totals // from the end of the run
	any      bool           // there is something to show
	later    bool           // a run ended before in this log, so this one has no part before the log
}

// toolSum is what one tool did.
type toolSum struct {
	name          string
	calls, failed int
	took          time.Duration
}

func newSummary(nameOf func(*events.Tool) string, a account.Account) *summary {
	return &summary{tools: map[string]*toolSum{}, account: a, nameOf: nameOf}
}

// add applies one event. The event that ends a call has its duration.
func (s *summary) add(e *events.DisplayEvent, at time.Time) {
	if e.Copied {
		return // another session did it
	}
	if !at.IsZero() {
		if s.first.IsZero() || at.Before(s.first) {
			s.first = at
		}
		if at.After(s.last) {
			s.last = at
		}
	}
	s.any = s.account.Add(e) || s.any
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
	case events.KindSessionEnded:
		if e.End != nil && KeyOf(e) == (Key{}) {
			s.duration, s.totals = e.End.Duration, e.End.Totals
			s.any = s.any || !s.later && s.totals != nil && s.totals.ToolCalls > 0
		}
	}
}

// fail counts calls that failed since they have no result.
func (s *summary) fail(left []events.Tool) {
	for i := range left {
		if style.KnownName(&left[i]) != "" {
			s.tool(&left[i]).failed++
		}
	}
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

// next returns the summary for the next run.
func (s *summary) next() *summary {
	return &summary{tools: map[string]*toolSum{}, nameOf: s.nameOf, account: s.account, before: s.account.Usage(), later: true}
}

// text returns the summary, one line per fact.
func (s *summary) text() string {
	var b strings.Builder
	tools := make([]*toolSum, 0, len(s.tools))
	var all toolSum
	for _, t := range s.tools {
		if t.calls > 0 || t.failed > 0 || t.took >= text.LeastDuration { // otherwise it answers a call from before this log
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

// whole reports whether the totals cover everything that is summed up. They do not if earlier runs ended with their
// turn, as in transcripts, and are summed up with the last one.
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

// earlier returns what the run did before this log began, if the run's end has totals: the program that writes the log
// was restarted during the run.
func (s *summary) earlier(seen *toolSum) (t toolSum) {
	if s.totals == nil || s.totals.ToolCalls <= seen.calls {
		return t
	}
	return toolSum{calls: s.totals.ToolCalls - seen.calls, failed: max(s.totals.ToolErrors-seen.failed, 0)}
}

// elapsed returns the time between the first and the last event of this log.
func (s *summary) elapsed() time.Duration {
	if s.last.After(s.first) {
		return s.last.Sub(s.first)
	}
	return 0
}

// took returns the duration of the run: from its end, or from the events of this log.
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

// sum returns the usage of the run: from its end, or from the events of this log.
func (s *summary) sum() events.Usage {
	if s.whole() && (s.totals.Usage.Tokens != (events.Tokens{}) || s.totals.Usage.HasCost) {
		return s.totals.Usage
	}
	sum := s.account.Usage()
	sum.Tokens = sum.Tokens.Sub(s.before.Tokens)
	sum.CostUSD -= s.before.CostUSD
	return sum
}

// usageLines writes tokens and cost, if known.
func (s *summary) usageLines(b *strings.Builder) {
	sum := s.sum()
	if t := &sum.Tokens; t.Input > 0 || t.Output > 0 {
		b.WriteString("tokens    " + text.Tokens(t) + "\n")
	}
	if sum.HasCost && sum.CostUSD >= 0 {
		b.WriteString("cost      " + text.USD(sum.CostUSD, sum.CostEstimated) + "\n")
	}
}

// words returns "3 calls, 1 failed, 1.2s". For a call from before this log it only says how the call ended.
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
