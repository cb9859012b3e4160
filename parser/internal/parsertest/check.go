package parsertest

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

// Checker checks the promises of package events over one stream.
type Checker struct {
	calls map[string]callState // by session and ID: what is known of the latest call
}

type callState struct {
	body             string // name and input
	called, answered bool
}

// Check checks the events of one line. hasESC reports whether the line contains an escape character, raw or as \u001b.
func (c *Checker) Check(t testing.TB, all []events.DisplayEvent, hasESC bool) {
	t.Helper()
	if c.calls == nil {
		c.calls = map[string]callState{}
	}
	for i := range all {
		e := &all[i]
		require.NotEqual(t, events.KindUnspecified, e.Kind)
		require.Contains(t, events.Kinds(), e.Kind)
		require.False(t, e.Tool.Partial, "parsers never emit partial calls")
		require.LessOrEqual(t, utf8.RuneCountInString(e.Tool.Arg()), events.PreviewRunes)
		require.LessOrEqual(t, utf8.RuneCountInString(e.Tool.Summary), events.SummaryRunes)
		require.False(t, strings.ContainsFunc(e.Tool.Name+e.Tool.Arg()+e.Tool.Summary, unicode.IsControl), "control character in %q", e.Tool)
		for _, s := range texts(e) { // dozens per event, so assert only on a failure
			if !utf8.ValidString(s) {
				require.Fail(t, "no valid UTF-8", "%q", s)
			}
			if !hasESC && strings.Contains(s, "\x1b") {
				require.Fail(t, "an escape that the line does not hold", "%q", s)
			}
		}
		require.Equal(t, e.Kind == events.KindUsage, e.Usage != nil)
		require.Equal(t, slices.Contains([]events.Kind{events.KindTurnDone, events.KindTurnAborted, events.KindSessionEnded}, e.Kind), e.End != nil)
		c.call(t, e)
	}
}

// call checks that an open call has one ToolUse and at most one result, which may come first. The ID of an answered
// call, or of one of another session in the same stream, may be reused for another call.
func (c *Checker) call(t testing.TB, e *events.DisplayEvent) {
	id := e.Tool.ID
	if id == "" {
		return
	}
	key := e.SessionID + "\x00" + id
	was := c.calls[key]
	switch e.Kind {
	case events.KindToolUse:
		body := e.Tool.Name + string(e.Tool.Input)
		require.False(t, was.called && !was.answered && was.body == body, "a second ToolUse for the open call %q", id)
		c.calls[key] = callState{body: body, called: true, answered: was.answered && !was.called}
	case events.KindToolResult:
		require.False(t, was.answered, "a second ToolResult for %q", id)
		was.answered = true
		c.calls[key] = was
	}
}

// texts returns all strings of an event.
func texts(e *events.DisplayEvent) []string {
	all := []string{
		e.SessionID, e.TurnID, e.MessageID, e.ItemID, e.ParentID, e.AgentID, e.Model, e.ModelProvider, e.Text, e.Reasoning, e.Notice.Code,
		e.Tool.ID, e.Tool.Name, e.Tool.Target, e.Tool.AgentType, e.Tool.AgentID, e.Tool.Server, e.Tool.Err, e.Tool.Summary, string(e.Tool.Output),
	}
	if u := e.Usage; u != nil {
		all = append(all, u.ServiceTier, u.Speed)
	}
	if s := e.Session; s != nil {
		all = append(all, s.Version, s.WorkingDir, s.PermissionMode, s.PreviousID, s.ParentID, s.AgentName, s.Branch)
	}
	if d := e.End; d != nil {
		all = append(all, d.Code, d.Result, d.Err, d.Principle, string(d.Cause))
	}
	if a := e.Approval; a != nil {
		all = append(all, a.ID, a.Tool, a.Subject)
	}
	if a := e.Ask; a != nil {
		all = append(all, a.ID)
		for _, q := range a.Questions {
			all = append(all, q.ID, q.Header, q.Prompt)
			for _, o := range q.Options {
				all = append(all, o.Label, o.Description)
			}
		}
		for _, answer := range a.Answers {
			all = append(append(all, answer.QuestionID), answer.Selected...)
		}
	}
	return all
}

// HasESC reports whether a line contains an escape character, raw or escaped.
func HasESC(line []byte) bool {
	return bytes.IndexByte(line, 0x1b) >= 0 || bytes.Contains(bytes.ToLower(line), []byte(`\u001b`))
}

// Feed parses lines with a source and checks the events. It returns the dump of each line's events and that of Flush.
func Feed(t testing.TB, src *Source, lines [][]byte) (perLine [][]string, flushed []string) {
	t.Helper()
	var c Checker
	anyESC := false
	for _, line := range lines {
		hasESC := HasESC(line)
		anyESC = anyESC || hasESC
		out := src.ParseEvents(line)
		c.Check(t, out, hasESC)
		perLine = append(perLine, DumpAll(out))
	}
	out := src.Flush()
	c.Check(t, out, anyESC)
	return perLine, DumpAll(out)
}

// Kept checks that strings of events do not change when the parser continues and the memory of the line is reused.
func Kept(t *testing.T, src *Source, lines [][]byte) {
	t.Helper()
	var kept []events.DisplayEvent
	want := []string{}
	buffer := make([]byte, 0, 1<<20)
	for _, line := range lines {
		buffer = append(buffer[:0], line...)
		for _, e := range src.ParseEvents(buffer) {
			e.Tool.Input, e.Tool.Output = nil, nil
			kept = append(kept, e)
			want = append(want, strings.Clone(Dump(&e)))
		}
		for i := range buffer {
			buffer[i] = '#'
		}
	}
	assert.Equal(t, want, DumpAll(kept))
}
