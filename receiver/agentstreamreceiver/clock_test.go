package agentstreamreceiver_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
)

// timedSpan is what the tests of clocks compare of a span.
type timedSpan struct {
	name, parent, trace string
	start, end          time.Time
	clamped, background bool
}

func (s *timedSpan) lasts() time.Duration { return s.end.Sub(s.start) }

// clockChange is a change of the clock of a session's agent.
type clockChange struct {
	after    time.Time // the last time before it
	again    time.Time // the last time before a second one; zero if there is none
	by       time.Duration
	identity otlp.Identity
}

// play reads the files of the session, parents first. times are those of its events without the change.
func (c clockChange) play(t *testing.T, paths []string) (spans map[string]timedSpan, times []time.Time) {
	t.Helper()
	e := readFamily(t, paths, func(files []*reading) (int, int) {
		for _, f := range files {
			f.identity = c.identity
			f.written = func(at *time.Time) {
				if !clock.Plausible(*at) {
					return
				}
				if times = append(times, *at); at.After(c.after) {
					*at = at.Add(c.by)
				}
				if !c.again.IsZero() && times[len(times)-1].After(c.again) {
					*at = at.Add(c.by)
				}
			}
		}
		return 0, 1 << 30
	})
	require.Empty(t, otlpjson.Check(e.traces...), "changed by %s after %s", c.by, c.after)
	spans = map[string]timedSpan{}
	for _, td := range e.traces {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					_, clamped := s.Attributes().Get(otlp.AttrTimeClamped)
					_, background := s.Attributes().Get(otlp.AttrBackground)
					spans[s.SpanID().String()] = timedSpan{
						s.Name(), s.ParentSpanID().String(), s.TraceID().String(), s.StartTimestamp().AsTime(), s.EndTimestamp().AsTime(), clamped, background,
					}
				}
			}
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	return spans, slices.Compact(times)
}

// clockTolerance is the smallest step that proves a change of the clock.
const clockTolerance = time.Minute

// problems compares the spans of a session with those without the change. A sub-agent in a separate file may end after its call if
// the clock was set back during that call: the parent's file then does not show how long the call lasted.
func (c clockChange) problems(want, got map[string]timedSpan, apart bool) (problems []string) {
	note := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for id, w := range want {
		g, ok := got[id]
		up, above := want[w.parent], got[w.parent]
		beyond := max(above.start.Sub(g.start), g.end.Sub(above.end))
		switch {
		case !ok:
			note("no %s", w.name)
		case g.parent != w.parent || g.trace != w.trace:
			note("%s is elsewhere", w.name)
		case g.background && !w.background && !(apart && (beyond < clockTolerance || !c.after.Before(up.start) && c.after.Before(up.end))):
			note("%s is outside of its parent by %s", w.name, beyond)
		case g.lasts() < 0 || g.lasts() > w.lasts()+clockTolerance:
			note("%s lasts %s, not %s", w.name, g.lasts(), w.lasts())
		case g.clamped && !c.after.Before(w.end):
			note("%s is marked, but ended before", w.name)
		}
		for other, later := range want {
			if o := got[other]; later.trace == w.trace && !w.end.After(later.start) && g.start.Sub(o.start) > clockTolerance {
				note("%s begins %s after %s", w.name, g.start.Sub(o.start), o.name)
			}
		}
	}
	return problems
}

// clockCases are the sessions of agents that write times, without some whose times are made up, or copied from another session.
func clockCases(t *testing.T) map[string][]string {
	all := families(t)
	delete(all, "claude/fork")
	for _, path := range fixtures(t) {
		provider, name := filepath.Base(filepath.Dir(path)), filepath.Base(path)
		if provider == "openai" || provider == "opencode" && strings.HasPrefix(name, "case-") || name == "resume-fork.session.jsonl" || name == "case-end-before-start.jsonl" {
			continue
		}
		all[provider+"/"+name] = []string{path}
	}
	return all
}

// TestClockSetBack sets the agent's clock back after each time of each session, also of sessions in a pipeline. No span contains the
// two hours. The IDs, the tree and the order of the spans are as without the change, and the spans after it are marked.
func TestClockSetBack(t *testing.T) {
	pipeline := otlp.NewIdentity(
		otlp.Attribute{Key: otlp.AttrPipelineName, Value: "nightly"}, otlp.Attribute{Key: otlp.AttrPipelineRunID, Value: "7"},
		otlp.Attribute{Key: otlp.AttrTaskName, Value: "fix"},
	)
	marked := map[string]int{}
	for name, paths := range clockCases(t) {
		provider, _, _ := strings.Cut(name, "/")
		for place, identity := range map[string]otlp.Identity{"alone": {}, "in a pipeline": pipeline} {
			if place != "alone" && (strings.HasSuffix(name, "-child.session.jsonl") || name == "claude/subagent-2.0.50") {
				continue // a pipeline does not know the clocks of streams that nothing links
			}
			t.Run(name+"/"+place, func(t *testing.T) {
				change := clockChange{identity: identity}
				want, times := change.play(t, paths)
				for _, change.after = range times {
					change.by = -2 * time.Hour
					got, _ := change.play(t, paths)
					require.Len(t, got, len(want))
					assert.Empty(t, change.problems(want, got, len(paths) > 1), "set back after %s", change.after)
					for _, s := range got {
						if s.clamped {
							marked[provider]++
						}
					}
				}
			})
		}
	}
	for _, provider := range []string{"claude", "codex", "gemini", "opencode", "qwen"} {
		assert.Greater(t, marked[provider], 100, provider)
	}
}

// TestClockSetBackTwice sets the agent's clock back twice during a session, by a little and by a lot. No span contains the change.
func TestClockSetBackTwice(t *testing.T) {
	for name, paths := range clockCases(t) {
		if len(paths) > 1 {
			continue // it is unknown how many of the changes a sub-agent saw while its run was silent
		}
		if strings.HasPrefix(name, "opencode/") {
			continue // it lists the end of a long call, which shows both changes as one, before what happened between them
		}
		t.Run(name, func(t *testing.T) {
			want, times := clockChange{}.play(t, paths)
			for i := 0; i+4 < len(times); i++ {
				for _, by := range []time.Duration{-2 * time.Minute, -24 * time.Hour} {
					change := clockChange{after: times[i], again: times[i+3], by: by}
					got, _ := change.play(t, paths)
					assert.Empty(t, change.problems(want, got, false), "set back by %s after %s and %s", by, change.after, change.again)
				}
			}
		})
	}
}
