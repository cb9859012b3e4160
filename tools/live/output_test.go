package live

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/tools/internal/mockmodel"
)

// event is the compared part of a line of `tailspan events`.
type event struct {
	Kind, Text, ID   string
	Synthetic, Delta bool
	Parent           string `json:"parent"`
	Agent            string `json:"agent_id"`

	Unknown, Malformed, Passed int // of the summary
}

// events returns the events of a stream or transcript.
func (s *stage) events(t *testing.T, path string) (list []event) {
	t.Helper()
	for line := range strings.Lines(s.tailspan(t, "events", path)) {
		var e event
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		list = append(list, e)
	}
	require.NotEmpty(t, list, "events")
	summary := list[len(list)-1]
	require.Equal(t, "summary", summary.Kind)
	assert.Zero(t, summary.Unknown, "lines of unknown types")
	assert.Zero(t, summary.Malformed, "malformed lines")
	assert.Zero(t, summary.Passed, "lines that are not recognised")
	return list[:len(list)-1]
}

// compareOutput compares what `tailspan run` shows of each process, and the output of `tailspan events` and `tailspan render`
// for its stream, with what the model served in that time.
func (s *stage) compareOutput(t *testing.T, want *expectation) {
	t.Helper()
	for i := range s.processes {
		p := &s.processes[i]
		events := s.events(t, p.raw)
		s.compareEvents(t, want, p, events)
		assert.Equal(t, lines(textsOf(events)...), lines(p.log), "standard output has the words of the model, and nothing else")
		calls := 0
		for _, e := range events {
			calls += count(e.Kind == "tool_use")
		}
		verbose := s.tailspan(t, "render", "--mode", "verbose", p.raw)
		assert.Len(t, marker.FindAllString(verbose, -1), calls, "markers of calls in\n%s", verbose)
	}
}

var marker = regexp.MustCompile(`(?m)^\s*\[tool: .+\]$`)

// lines returns the non-blank lines of texts, without the margin of sub-agents.
func lines(texts ...string) (list []string) {
	for line := range strings.Lines(strings.Join(texts, "\n")) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// textsOf returns the texts of events, with pieces joined.
func textsOf(events []event) (texts []string) {
	piece := false
	for _, e := range events {
		switch {
		case e.Kind != "text":
			piece = false
		case piece && e.Delta:
			texts[len(texts)-1] += e.Text
		default:
			texts, piece = append(texts, e.Text), e.Delta
		}
	}
	return texts
}

// compareEvents compares texts, calls and results of a stream, in order, with what the model served in that time.
func (s *stage) compareEvents(t *testing.T, want *expectation, p *process, events []event) {
	t.Helper()
	require.NotEmpty(t, events)
	assert.Equal(t, "session_start", events[0].Kind, "first event")
	assert.Equal(t, "session_end", events[len(events)-1].Kind, "last event")
	var agent, delegate []mockmodel.Served
	for _, c := range s.calls() {
		switch {
		case c.At.Before(p.start) || c.At.After(p.end) || c.Turn.Status != 0:
		case delegated(&c.Request):
			delegate = append(delegate, c)
		default:
			agent = append(agent, c)
		}
	}
	compare := func(served []mockmodel.Served, shown []event, who string) {
		expected, seen := s.servedDeeds(served), s.deedsOf(shown)
		if want.runs[len(want.runs)-1].outcome != "ok" { // the last call may have no result
			expected, seen = strings.TrimSuffix(expected, "result\n"), strings.TrimSuffix(seen, "result\n")
		}
		if want.lost > 0 && len(delegate) == 0 { // the scenario determines which call is not shown
			expected, seen = calls.ReplaceAllLiteralString(expected, ""), calls.ReplaceAllLiteralString(seen, "")
		}
		assert.Equal(t, expected, seen, "texts, calls and results of %s", who)
	}
	compare(agent, slices.DeleteFunc(slices.Clone(events), event.delegated), "the agent")
	if want.agents > 0 {
		shown := slices.DeleteFunc(slices.Clone(events), func(e event) bool { return !e.delegated() })
		if want.not.words {
			delegate, shown = slices.Clone(delegate), slices.DeleteFunc(shown, func(e event) bool { return e.Kind == "text" })
			for i := range delegate {
				delegate[i].Turn.Text = ""
			}
		}
		compare(delegate, shown, "its sub-agents")
	}
}

// delegated reports whether an event belongs to a sub-agent.
func (e event) delegated() bool { return e.Parent != "" || e.Agent != "" }

var calls = regexp.MustCompile(`(?m)^(call|result)\n`)

// servedDeeds returns the texts, calls and results that follow from the model's answers, one per line. The results of
// several calls come after the calls. It ignores summaries.
func (s *stage) servedDeeds(served []mockmodel.Served) string {
	var b strings.Builder
	for _, c := range served {
		if s.cli.summarises(&c.Request) {
			continue
		}
		if c.Turn.Text != "" {
			b.WriteString(c.Turn.Text + "\n")
		}
		b.WriteString(strings.Repeat("call\n", len(c.Turn.Calls)))
		b.WriteString(strings.Repeat("result\n", len(c.Turn.Calls)))
	}
	return b.String()
}

// deedsOf returns those of events, without what the CLI itself says. Between two texts it uses the order of servedDeeds, since
// some CLIs write a call together with its result.
func (s *stage) deedsOf(events []event) string {
	var b strings.Builder
	called, answered := 0, 0
	flush := func() {
		b.WriteString(strings.Repeat("call\n", called) + strings.Repeat("result\n", answered))
		called, answered = 0, 0
	}
	for i, e := range events {
		switch e.Kind {
		case "text":
			if e.Synthetic || strings.HasPrefix(e.Text, summary) || s.cli.compact.says != "" && strings.HasPrefix(e.Text, s.cli.compact.says) {
				continue
			}
			flush()
			b.WriteString(e.Text)
			if !e.Delta || i+1 == len(events) || events[i+1].Kind != "text" {
				b.WriteString("\n")
			}
		case "tool_use":
			called++
		case "tool_result":
			answered++
		}
	}
	flush()
	return b.String()
}
