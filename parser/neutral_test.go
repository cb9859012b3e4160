package parser_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

// TestNoLooks checks that no parser depends on how its events are displayed: no event of any fixture has a glyph, a
// control character or a prefix of a renderer that the input lacks, and names and previews have no control characters
// at all. Texts that a parser itself creates, such as those of notices, are plain ASCII.
func TestNoLooks(t *testing.T) {
	eachFixture(t, "*", func(t *testing.T, _ string, input []byte, all []events.DisplayEvent) {
		buffered := runesOf(input)
		for i := range all {
			e := &all[i]
			for _, s := range words(e) {
				require.True(t, utf8.ValidString(s))
				for _, r := range s {
					if (r >= utf8.RuneSelf || unicode.IsControl(r) && r != '\n') && r != utf8.RuneError {
						require.True(t, buffered[r], "%s holds %U, the input does not: %q", e.Kind, r, s)
					}
				}
				for _, prefix := range []string{"[tool:", "[result", "[phase", "[run failed", "[error:", "[warning:"} {
					assert.True(t, !strings.HasPrefix(s, prefix) || strings.Contains(string(input), prefix), "%s: %q", e.Kind, s)
				}
			}
			for _, s := range []string{e.Tool.Name, e.Tool.Arg(), e.Tool.Summary, e.Tool.Server, e.Tool.AgentType, e.Notice.Code} {
				assert.False(t, strings.ContainsFunc(s, unicode.IsControl), "%s: %q", e.Kind, s)
			}
		}
	})
}

// words returns the texts of an event that people see unchanged. Previews and summaries may end in our ellipsis.
func words(e *events.DisplayEvent) []string {
	all := []string{e.Text, e.Reasoning, e.Tool.Name, e.Tool.Target, e.Tool.Err, string(e.Tool.Output), e.Model, e.Notice.Code}
	if e.End != nil {
		all = append(all, e.End.Code, e.End.Result, e.End.Err, e.End.Principle)
	}
	if a := e.Approval; a != nil {
		all = append(all, a.Tool, a.Subject)
	}
	if e.Ask != nil {
		for _, q := range e.Ask.Questions {
			all = append(all, q.Header, q.Prompt)
		}
	}
	return all
}

var (
	unicodeEscape = regexp.MustCompile(`u([0-9a-fA-F]{4})(?:\\+u([0-9a-fA-F]{4}))?`)
	letterEscape  = map[byte]rune{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
)

// runesOf returns all runes that an input can represent: those in it, and those that are escaped, any number of times.
func runesOf(input []byte) map[rune]bool {
	buffered := map[rune]bool{}
	for _, r := range string(input) {
		buffered[r] = true
	}
	for _, m := range unicodeEscape.FindAllSubmatch(input, -1) {
		first := hex(m[1])
		buffered[first] = true
		if len(m[2]) > 0 {
			second := hex(m[2])
			buffered[second] = true
			buffered[utf16.DecodeRune(first, second)] = true
		}
	}
	for i := 0; i+1 < len(input); i++ {
		if r := letterEscape[input[i+1]]; input[i] == '\\' && r != 0 {
			buffered[r] = true
		}
	}
	return buffered
}

func hex(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits), 16, 32)
	return rune(n)
}
