package telemetry_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/program"
)

// parted returns an account of a session in which one model call says texts, with a tool call after each.
func parted(recorded bool, message string, texts ...string) script {
	start := started()
	start.Session.Recorded, start.ItemID = recorded, message
	sc := script{line(start), line(use(1, message, message+"-call", "shell", "ls"))}
	for i, words := range texts {
		sec := float64(2 + 2*i)
		sc = append(sc, line(text(sec, message, words)), line(use(sec+1, message, fmt.Sprint(message, i), "shell", "ls"+fmt.Sprint(i))))
	}
	return append(sc, line(ended("")))
}

// TestTextsOfTwins: text that a stream and a transcript both contain, however they split it, is exported once. Text
// that only one contains is exported.
func TestTextsOfTwins(t *testing.T) {
	agent := program.Agent{Provider: "gemini", ServiceName: "gemini", StreamIDs: true}
	const whole = "I look at the test first. It fails. So the sum is wrong."
	pieces := []string{"I look at the test first. ", "It fails. ", "So the sum is wrong."}
	for _, tt := range []struct {
		name          string
		first, second []string
		want          []string // of the second
	}{
		{"equal", pieces, pieces, nil},
		{"the first whole", []string{whole}, pieces, nil},
		{"the second whole", pieces, []string{whole}, nil},
		{"white space and what is invisible", []string{"a\u200bb c"}, []string{"ab", "\tc\n"}, nil},
		{"a text more", pieces[:2], pieces, pieces[2:]},
		{"a text in the middle", []string{pieces[0], pieces[2]}, pieces, pieces[1:2]},
		{"another text in its place", []string{pieces[0], "It passes."}, pieces[:2], pieces[1:2]},
		{"one that begins alike", []string{"I look at the test first, and the sum."}, []string{whole}, []string{whole}},
		{"a part lost of the first", []string{pieces[0], pieces[2]}, []string{whole}, []string{whole}},
		{"a part lost of the second", []string{whole}, pieces[:2], pieces[:2]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, recorded := range []bool{true, false} {
				streams := map[string]script{"first": parted(recorded, "one", tt.first...), "second": parted(!recorded, "two", tt.second...)}
				var got []string
				for _, r := range readAll(t, agent, streams, "first", "second").records {
					if r.EventName() == "tailspan."+events.KindText.String() {
						got = append(got, r.Body().AsString())
					}
				}
				assert.Equal(t, append(append([]string(nil), tt.first...), tt.want...), got, "the first is a transcript: %v", recorded)
			}
		})
	}
}

// TestCallsOfTwins: the number of exported similar calls is that of the account that has more of them.
func TestCallsOfTwins(t *testing.T) {
	agent := program.Agent{Provider: "codex", ServiceName: "codex", StreamIDs: true}
	type made struct{ tool, target string }
	account := func(recorded bool, prefix string, calls []made) script {
		start := started()
		start.Session.Recorded, start.ItemID = recorded, prefix
		sc := script{line(start), line(text(1, prefix, "I look."))}
		for i, c := range calls {
			sc = append(sc, line(use(float64(2+i), prefix, fmt.Sprint(prefix, i), c.tool, c.target)))
		}
		return append(sc, line(ended("")))
	}
	for _, tt := range []struct {
		name          string
		first, second []made
		want          []string
	}{
		{"other names and paths", []made{{"command_execution", "go test"}, {"file_change", "/srv/a.go"}}, []made{{"exec_command", "go test"}, {"apply_patch", "a.go"}}, []string{"edit", "shell"}},
		{"one more of the like", []made{{"shell", "go test"}}, []made{{"shell", "go test"}, {"shell", "go test"}}, []string{"shell", "shell"}},
		{"one less of the like", []made{{"shell", "go test"}, {"shell", "go test"}}, []made{{"shell", "go test"}}, []string{"shell", "shell"}},
		{"another file of the name", []made{{"read", "a/x.go"}}, []made{{"read", "a/x.go"}, {"read", "b/x.go"}}, []string{"read", "read"}},
		{"a file read and written", []made{{"edit", "x.go"}}, []made{{"read", "x.go"}, {"edit", "x.go"}}, []string{"edit", "read"}},
		{"without targets", []made{{"add", ""}, {"add", ""}}, []made{{"mcp__tally__add", ""}, {"mcp__tally__add", ""}}, []string{"other", "other"}},
		{"without targets, and one more", []made{{"add", ""}}, []made{{"mcp__tally__add", ""}, {"mcp__tally__add", ""}}, []string{"other", "other"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, recorded := range []bool{true, false} {
				streams := map[string]script{"first": account(recorded, "one", tt.first), "second": account(!recorded, "two", tt.second)}
				var kinds []string
				for _, s := range readAll(t, agent, streams, "first", "second").spans {
					if attr(s, otlp.AttrGenAIToolCallID) != "" {
						kinds = append(kinds, attr(s, otlp.AttrToolKind))
					}
				}
				slices.Sort(kinds)
				assert.Equal(t, tt.want, kinds, "the first is a transcript: %v", recorded)
			}
		})
	}
}

// TestCallsOfTwinsByID: if both accounts have the IDs of calls, a call that the first lacks is exported even if a
// similar one follows (fuzzer, seed 9995165: a transcript of Gemini CLI without its first lines).
func TestCallsOfTwinsByID(t *testing.T) {
	agent := program.Agent{Provider: "gemini", ServiceName: "gemini", StreamIDs: true, CallIDs: true}
	account := func(recorded bool, prefix string, ids ...string) script {
		start := started()
		start.Session.Recorded, start.ItemID = recorded, prefix
		sc := script{line(start), line(text(1, prefix, "I look."))}
		for i, id := range ids {
			id, target, named := strings.Cut(id, " ")
			if !named {
				target = "README.md"
			}
			sc = append(sc, line(use(float64(2+i), prefix, id, "read_file", target)))
		}
		return append(sc, line(ended("")))
	}
	for _, tt := range []struct{ first, second, want []string }{
		{[]string{"b"}, []string{"a", "b"}, []string{"a", "b"}},
		{[]string{"a", "c"}, []string{"a", "b", "c"}, []string{"a", "b", "c"}},
		{[]string{"a", "a"}, []string{"a"}, []string{"a", "a"}},
		{[]string{"a other.go"}, []string{"a"}, []string{"a", "a"}}, // an ID proves nothing
	} {
		for _, recorded := range []bool{true, false} {
			streams := map[string]script{"first": account(recorded, "one", tt.first...), "second": account(!recorded, "two", tt.second...)}
			var ids []string
			for _, s := range readAll(t, agent, streams, "first", "second").spans {
				if id := attr(s, otlp.AttrGenAIToolCallID); id != "" {
					ids = append(ids, id)
				}
			}
			slices.Sort(ids)
			assert.Equal(t, tt.want, ids, "the first is a transcript: %v", recorded)
		}
	}
}

// TestTwinsWithReasoning: content that only one account has, such as reasoning, does not prevent the match.
func TestTwinsWithReasoning(t *testing.T) {
	agent := program.Agent{Provider: "gemini", ServiceName: "gemini", StreamIDs: true}
	start := started()
	start.Session.Recorded, start.ItemID = true, "row"
	thought := text(1, "two", "It may be the sum.")
	thought.Kind = events.KindReasoning
	streams := map[string]script{
		"stream":     {line(started()), line(text(2, "one", "I look.")), line(ended(""))},
		"transcript": {line(start), line(thought), line(text(2, "two", "I look.")), line(ended(""))},
	}
	for _, order := range [][]string{{"stream", "transcript"}, {"transcript", "stream"}} {
		kinds := map[string]int{}
		for _, r := range readAll(t, agent, streams, order...).records {
			kinds[r.EventName()]++
		}
		assert.Equal(t, 1, kinds["tailspan.text"], order)
		assert.Equal(t, 1, kinds["tailspan.reasoning"], order)
	}
}

// TestTwinsWithEqualKeys: if neither account names messages or turns, their runs have one key, but their IDs still differ.
func TestTwinsWithEqualKeys(t *testing.T) {
	agent := program.Agent{Provider: "codex", ServiceName: "codex", StreamIDs: true}
	account := func(recorded bool, call string, before ...[]events.DisplayEvent) script {
		start, said, used := started(), text(2, "", "I look."), use(3, "", call, "shell", "ls")
		start.Session.Recorded, start.ItemID, said.ItemID, used.ItemID = recorded, "", "", ""
		return append(append(script{line(start)}, before...), line(said), line(used), line(ended("")))
	}
	streams := map[string]script{"stream": account(false, "item_0"), "transcript": account(true, "call_1", line(prompt(1, "")))}
	for _, order := range [][]string{{"stream", "transcript"}, {"transcript", "stream"}} {
		f := readAll(t, agent, streams, order...)
		texts := 0
		for _, r := range f.records {
			if r.EventName() == "tailspan.text" {
				texts++
			}
		}
		assert.Equal(t, 1, texts, order)
		assert.Len(t, f.spans, 2, "%v: a run and a call: %s", order, f.names())
	}
}

// TestTwinOfASubAgent: a stream that says what the file of a sub-agent says, and does not name the sub-agent, has a run of its
// own. The receiver ended with a panic (fuzzer, seed 11002540: a transcript of Gemini CLI whose first line was lost).
func TestTwinOfASubAgent(t *testing.T) {
	agent := claude
	agent.StreamIDs = true
	main, child := twoFiles()
	alone := script{line(recorded())}
	for _, evs := range child {
		ev := evs[0]
		ev.AgentID, ev.MessageID, ev.ItemID = "", "other", "other-"+ev.ItemID
		alone = append(alone, line(ev), line(used(7, "other", 10, 3)))
	}
	f := readAll(t, agent, map[string]script{"main": main, "child": child, "alone": alone}, "main", "child", "alone")
	assert.Equal(t, 2, strings.Count(f.names(), "invoke_agent claude-code"), f.names())
}
