package redact_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/redact"
)

// script is a source that returns prepared events, one list per line.
type script struct {
	lines   [][]events.DisplayEvent
	pending []events.DisplayEvent
}

func (s *script) ParseEvents([]byte) []events.DisplayEvent {
	evs := s.lines[0]
	s.lines = s.lines[1:]
	return evs
}

func (s *script) Flush() []events.DisplayEvent { return s.pending }

func (s *script) LineStatus() events.LineStatus { return events.LineIgnored }

func piece(message, text string) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindText, Delta: true, MessageID: message, Text: text}
}

// short returns events in short form: kind, "+" for a piece, and the text.
func short(evs []events.DisplayEvent) (out []string) {
	for _, e := range evs {
		mark := ""
		if e.Delta {
			mark = "+"
		}
		out = append(out, e.Kind.String()+mark+":"+e.Text)
	}
	return out
}

func run(j interface {
	events.DisplayEventSource
	events.Flusher
}, lines int) (out []string) {
	for range lines {
		out = append(out, short(j.ParseEvents(nil))...)
	}
	return append(out, short(j.Flush())...)
}

func TestJoiner(t *testing.T) {
	use := events.DisplayEvent{Kind: events.KindToolUse}
	usage := events.DisplayEvent{Kind: events.KindUsage}
	thought := events.DisplayEvent{Kind: events.KindReasoning, Delta: true, MessageID: "m", Text: "hm"}
	child := piece("c", "child")
	child.ParentID = "t"
	whole := events.DisplayEvent{Kind: events.KindText, MessageID: "m", Text: "whole"}
	for _, tc := range []struct {
		name  string
		lines [][]events.DisplayEvent
		want  []string
	}{
		{"whole texts pass", [][]events.DisplayEvent{{whole, use}}, []string{"text:whole", "tool_use:"}},
		{"pieces", [][]events.DisplayEvent{{piece("m", "a")}, {piece("m", "b")}}, []string{"text:ab"}},
		{"a call ends the text", [][]events.DisplayEvent{{piece("m", "a"), use}, {piece("m", "b")}}, []string{"text:a", "tool_use:", "text:b"}},
		{"usage does not", [][]events.DisplayEvent{{piece("m", "a"), usage, piece("m", "b")}}, []string{"usage:", "text:ab"}},
		{"another message", [][]events.DisplayEvent{{piece("m", "a"), piece("n", "b")}}, []string{"text:a", "text:b"}},
		{"reasoning, then text", [][]events.DisplayEvent{{thought, thought, piece("m", "a")}}, []string{"reasoning:hmhm", "text:a"}},
		{"a child beside its parent", [][]events.DisplayEvent{{piece("m", "a"), child, piece("m", "b"), child}}, []string{"text:ab", "text:childchild"}},
		{"the closing message", [][]events.DisplayEvent{{piece("m", "a"), {Kind: events.KindMessage, MessageID: "m", Text: "a"}}}, []string{"text:a", "message:a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n := len(tc.lines)
			assert.Equal(t, tc.want, run(redact.NewJoiner(&script{lines: tc.lines}, redact.JoinSettings{}), n))
		})
	}
}

func TestJoinerQuiet(t *testing.T) {
	now := time.Unix(0, 0)
	src := &script{lines: [][]events.DisplayEvent{{piece("m", "one\ntwo\nthr")}, {piece("m", "ee\n-----BEGIN PRIVATE KEY-----\nAAAA\n")}, {piece("m", "end")}}}
	j := redact.NewJoiner(src, redact.JoinSettings{Clock: func() time.Time { return now }})
	assert.Empty(t, j.ParseEvents(nil))
	now = now.Add(redact.DefaultQuiet - 1)
	assert.Empty(t, j.Tick(), "not quiet for long enough")
	now = now.Add(1)
	assert.Equal(t, []string{"text+:one\ntwo\n"}, short(j.Tick()))
	assert.Empty(t, j.Tick(), "no whole line is left")
	assert.Empty(t, j.ParseEvents(nil))
	now = now.Add(redact.DefaultQuiet)
	assert.Equal(t, []string{"text+:three\n"}, short(j.Tick()), "the key block stays")
	assert.Empty(t, j.ParseEvents(nil))
	assert.Equal(t, []string{"text+:-----BEGIN PRIVATE KEY-----\nAAAA\nend"}, short(j.Flush()))
	assert.Equal(t, events.LineIgnored, j.LineStatus())
	assert.Same(t, src, j.Unwrap())
}

func TestJoinerLimits(t *testing.T) {
	j := redact.NewJoiner(&script{lines: [][]events.DisplayEvent{{piece("m", "a\nbcdefgh"), piece("m", "ijklmnop")}}, pending: []events.DisplayEvent{piece("m", "q")}}, redact.JoinSettings{MaxBytes: 8})
	assert.Equal(t, []string{"text+:a\n", "text+:bcdefghijklmnop", "text+:q"}, run(j, 1))

	var many []events.DisplayEvent
	for _, parent := range []string{"a", "b", "c"} {
		e := piece("m", parent)
		e.ParentID = parent
		many = append(many, e)
	}
	j = redact.NewJoiner(&script{lines: [][]events.DisplayEvent{many}}, redact.JoinSettings{MaxTexts: 2})
	assert.Equal(t, []string{"text:a"}, short(j.ParseEvents(nil)))
	assert.Equal(t, []string{"text:b", "text:c"}, short(j.Flush()))
}

// A secret that spans pieces is whole when it is searched for.
func TestSecretAcrossPieces(t *testing.T) {
	const secret = "ghp_" + alnum36
	for cut := range len(secret) {
		src := &script{lines: [][]events.DisplayEvent{{piece("m", "x "+secret[:cut]), piece("m", secret[cut:]+" y")}}}
		s := redact.New(redact.NewJoiner(src, redact.JoinSettings{}), newRedactor(t, redact.Settings{}))
		got := strings.Join(run(s, 1), "")
		assert.Equal(t, "text:x [redacted:github] y", got)
		assert.Equal(t, 1, s.Redacted())
	}
}
