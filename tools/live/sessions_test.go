package live

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compareSessions checks other commands on the sessions in the home folder: `tailspan doctor` finds them in their usual place,
// and `tailspan report` and `tailspan usage` show the tokens that the model served.
func (s *stage) compareSessions(t *testing.T, want *expectation) {
	t.Helper()
	found := regexp.MustCompile(`(?m)^` + s.cli.provider + ` .* ` + s.cli.provider + `: [1-9]`)
	assert.Regexp(t, found, s.tailspan(t, "doctor"))
	if want.not.sum {
		return
	}
	var sum, total counts
	for _, n := range s.served(want) {
		total.add(n)
	}
	for _, row := range tokenRow.FindAllStringSubmatch(s.tailspan(t, append([]string{"report", "--format", "markdown"}, s.sessions()...)...), -1) {
		if row[1] == "Total" {
			continue
		}
		sum.add(counts{input: number(t, row[2]), cached: number(t, row[3]), output: number(t, row[4])})
	}
	assert.Equal(t, total, sum, "tokens of tailspan report")
	var usage struct {
		Total struct {
			Input  int `json:"input_tokens"`
			Cached int `json:"cache_read_tokens"`
			Output int `json:"output_tokens"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(s.tailspan(t, "usage", "--json")), &usage))
	assert.Equal(t, total, counts{usage.Total.Input, usage.Total.Output, usage.Total.Cached}, "tokens of tailspan usage")
}

// tokenRow matches the row of a model: input, cached input, written to the cache, output.
var tokenRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([0-9,]+) \\| ([0-9,]+) \\| [0-9,]+ \\| ([0-9,]+) \\|")

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	require.NoError(t, err)
	return n
}

// sessions returns globs of the transcripts.
func (s *stage) sessions() (globs []string) {
	for _, glob := range s.cli.sessions {
		globs = append(globs, filepath.Join(s.home, glob))
	}
	return globs
}
