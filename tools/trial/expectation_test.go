package trial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// event is a neutral event as described by the cases: of kind text, tool_use, tool_result or session_end. The JSON
// names are those of `tailspan events`.
type event struct {
	Kind  string `json:"kind"`
	Text  string `json:"text,omitempty"`
	Name  string `json:"name,omitempty"`
	Arg   string `json:"arg,omitempty"`
	ID    string `json:"id,omitempty"`
	Error bool   `json:"error,omitempty"`
}

// expectation is the list of events in a case's expect.md.
type expectation struct {
	events []wanted
	tokens map[string]int // in, out, cache_read, cache_write; totals
}

// wanted is an event with the tolerance that the case allows.
type wanted struct {
	event
	runes    int  // length of the given beginning of a text
	optional bool // it may be missing
}

func (w wanted) matches(got event) bool {
	if w.runes > 0 {
		return got.Kind == w.Kind && strings.HasPrefix(got.Text, w.Text) && utf8.RuneCountInString(got.Text) == w.runes
	}
	return w.event == got
}

// caseDir returns the folder of a case.
func caseDir(t *testing.T, name string) string {
	t.Helper()
	cases := os.Getenv("TAILSPAN_CASES")
	if cases == "" {
		t.Skip("needs the folder of the cases in TAILSPAN_CASES: make cases SHARED=../shared")
	}
	dir := filepath.Join(cases, name)
	require.DirExists(t, dir)
	return dir
}

var eventsBlock = regexp.MustCompile("(?s)```events\n(.*?)```")

func readExpectation(t *testing.T, dir string) expectation {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "expect.md"))
	require.NoError(t, err)
	e, err := parseExpectation(string(text))
	require.NoError(t, err, dir)
	return e
}

func parseExpectation(text string) (expectation, error) {
	block := eventsBlock.FindStringSubmatch(text)
	if block == nil {
		return expectation{}, fmt.Errorf("no block of events")
	}
	e := expectation{tokens: map[string]int{}}
	for line := range strings.Lines(block[1]) {
		line, remark := cutRemark(strings.TrimSpace(line))
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "", "nothing":
			continue
		case "usage":
			for key, value := range fieldsOf(rest) {
				n, err := strconv.Atoi(value)
				if err != nil {
					return e, fmt.Errorf("%q: %w", line, err)
				}
				e.tokens[key] += n
			}
		case "text", "tool_use", "tool_result", "session_end":
			w, err := parseWanted(word, rest)
			if err != nil {
				return e, fmt.Errorf("%q: %w", line, err)
			}
			w.optional = strings.Contains(remark, "may be left out") || strings.Contains(remark, "accepted")
			e.events = append(e.events, w)
		default:
			return e, fmt.Errorf("%q: no such event", line)
		}
	}
	return e, nil
}

func parseWanted(kind, rest string) (wanted, error) {
	w := wanted{event: event{Kind: kind}}
	if kind == "text" && strings.HasPrefix(rest, `"`) {
		return w, json.NewDecoder(strings.NewReader(rest)).Decode(&w.Text)
	}
	fields := fieldsOf(rest)
	w.Name, w.Arg, w.ID, w.Error = fields["name"], fields["arg"], fields["id"], fields["error"] == "true"
	if kind == "text" {
		w.Text = fields["starts"]
		var err error
		w.runes, err = strconv.Atoi(fields["runes"])
		return w, err
	}
	return w, nil
}

// cutRemark cuts off a # that begins a word outside of quotes, and everything after it.
func cutRemark(line string) (event, remark string) {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && c == '#' && (i == 0 || line[i-1] == ' '):
			return strings.TrimSpace(line[:i]), line[i+1:]
		}
	}
	return line, ""
}

var fieldPattern = regexp.MustCompile(`(\w+)=("(?:[^"\\]|\\.)*"|\S*)`)

// fieldsOf returns the fields name=value, where a value is a JSON string or a word.
func fieldsOf(s string) map[string]string {
	fields := map[string]string{}
	for _, m := range fieldPattern.FindAllStringSubmatch(s, -1) {
		value := m[2]
		if strings.HasPrefix(value, `"`) {
			_ = json.Unmarshal([]byte(m[2]), &value) // anything but a JSON string is unchanged and matches nothing
		}
		fields[m[1]] = value
	}
	return fields
}

// compareEvents returns the differences: in order, or as sets that may contain an event several times. A file
// without an end may add an event with an error.
func compareEvents(want []wanted, got []event, ordered bool) (problems []string) {
	ends := slices.ContainsFunc(want, func(w wanted) bool { return w.Kind == "session_end" })
	if last := len(got) - 1; !ends && last >= 0 && got[last].Kind == "session_end" && got[last].Error {
		got = got[:last]
	}
	left := slices.Clone(got)
	for _, w := range want {
		if ordered {
			if len(left) > 0 && w.matches(left[0]) {
				left = left[1:]
				continue
			}
		} else if i := slices.IndexFunc(left, w.matches); i >= 0 {
			left[i] = left[len(left)-1]
			left = left[:len(left)-1]
			continue
		}
		if !w.optional {
			problems = append(problems, fmt.Sprintf("missing, or not in its place: %+.200v", w))
		}
	}
	for _, e := range left {
		problems = append(problems, fmt.Sprintf("too much: %+.200v", e))
	}
	return problems
}

// decodeEvents parses the output of `tailspan events`.
func decodeEvents(t *testing.T, out []byte) (all []event) {
	t.Helper()
	for line := range bytes.Lines(out) {
		var e event
		require.NoError(t, json.Unmarshal(line, &e), "%s", line)
		switch e.Kind {
		case "text", "tool_use", "tool_result", "session_end":
			all = append(all, e)
		}
	}
	return all
}

func TestParseExpectation(t *testing.T) {
	e, err := parseExpectation("# x\n```events\n# a remark\ntext \"a \\\"#\\\" b\" # free\ntext starts=\"zz\" runes=3\n" +
		"tool_use name=Bash arg=\"date\" id=c1 # leaving it out is accepted\nusage in=1 out=2\nusage in=3\nsession_end error=true\n```\n")
	require.NoError(t, err)
	assert.Equal(t, expectation{
		events: []wanted{
			{event: event{Kind: "text", Text: `a "#" b`}},
			{event: event{Kind: "text", Text: "zz"}, runes: 3},
			{event: event{Kind: "tool_use", Name: "Bash", Arg: "date", ID: "c1"}, optional: true},
			{event: event{Kind: "session_end", Error: true}},
		},
		tokens: map[string]int{"in": 4, "out": 2},
	}, e)
	for _, bad := range []string{"", "```events\nsong \"x\"\n```", "```events\nusage in=x\n```", "```events\ntext starts=\"x\"\n```", "```events\ntext \"x\n```"} {
		_, err := parseExpectation(bad)
		assert.Error(t, err, bad)
	}
}

func TestCompareEvents(t *testing.T) {
	text := func(s string) event { return event{Kind: "text", Text: s} }
	want := []wanted{{event: text("a")}, {event: event{Kind: "tool_use", ID: "1"}, optional: true}, {event: text("zz"), runes: 3}}
	tests := []struct {
		name     string
		got      []event
		ordered  bool
		problems int
	}{
		{name: "as wanted", got: []event{text("a"), {Kind: "tool_use", ID: "1"}, text("zzz")}, ordered: true},
		{name: "the optional one left out", got: []event{text("a"), text("zzz")}, ordered: true},
		{name: "the end of a file without an end", got: []event{text("a"), text("zzz"), {Kind: "session_end", Error: true}}, ordered: true},
		{name: "another order", got: []event{text("zzz"), text("a")}},
		{name: "another order where it counts", got: []event{text("zzz"), text("a")}, ordered: true, problems: 2},
		{name: "missing", got: []event{text("a")}, problems: 1},
		{name: "twice", got: []event{text("a"), text("zzz"), text("a")}, problems: 1},
		{name: "too long", got: []event{text("a"), text("zzzz")}, problems: 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Len(t, compareEvents(want, tt.got, tt.ordered), tt.problems)
		})
	}
}
