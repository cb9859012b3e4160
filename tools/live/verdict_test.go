package live

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

var verdictLine = regexp.MustCompile(`(?m)^tailspan: (error|incomplete|denied|empty): .+$`)

// verdict returns what `tailspan run` must report about processes whose runs end like this; empty means nothing.
func (e *expectation) verdict() string {
	outcomes := map[string]string{"error": "error", "killed": "error", "incomplete": "incomplete", "interrupted": "incomplete"}
	for _, r := range e.runs {
		if word := outcomes[r.outcome]; word != "" {
			return word
		}
	}
	if e.denied > 0 {
		return "denied"
	}
	return ""
}

// compareVerdict checks the line on standard error, and the exit code of each process and on its span.
func (s *stage) compareVerdict(t *testing.T, want *expectation) {
	t.Helper()
	runs := runsOf(s.stream.all())
	for i := range s.processes {
		p, verdict := &s.processes[i], want.verdict()
		var verdicts []string
		for _, m := range verdictLine.FindAllStringSubmatch(p.messages, -1) {
			verdicts = append(verdicts, m[1])
		}
		assert.Equal(t, verdict, strings.Join(verdicts, " "), "verdict in %q", p.messages)
		own := p.exit // of a CLI that a signal ended
		for _, r := range runs {
			code, ok := r.Attributes().Get("process.exit.code")
			if ok && !r.end().Before(p.start) && !r.start().After(p.end) {
				own = int(code.Int())
			}
		}
		if want.exit != nil {
			assert.True(t, slices.Contains(want.exit, own), "exit code of the CLI: %d", own)
		}
		exit := own
		if own == 0 && verdict != "" {
			exit = 1
		}
		assert.Equal(t, exit, p.exit, "exit code of tailspan run --fail-on %s", failOn)
	}
}
