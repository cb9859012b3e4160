package stacktest_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// endWithin bounds how long a trace may lack a parent after its agent has ended.
const endWithin = 15 * time.Second

// samplePipelines are the pipelines of tools/agent/sessions.txt.
var samplePipelines = []string{"nightly", "review", "release", "deploy", "rollback"}

// openEnded lists the recordings of testdata that do not show the end of their last run: its calls are exported, and the run
// itself when it is closed. For testdata/spans the truth says this.
var openEnded = map[string][]string{
	"the last message has no stop reason": {
		"case-210-teammate", "case-222-fork", "claude.interactive-1.0.128.session", "claude.subagent-1.0.128.session",
		"opencode.parity-0.5.29.project",
	},
	"the version writes no end of a turn": {
		"codex.parity-0.29", "codex.parity-0.29.session", "codex.parity-0.34", "codex.parity-0.34.session",
		"codex.parity-0.42-experimental", "codex.parity-0.42.session", "codex.parity-0.58.session",
	},
	"the agent was ended by a signal": {
		"claude.killed", "claude.killed-in-text", "claude.terminated", "codex.killed", "codex.killed.session", "gemini.terminated",
		"gemini.terminated.session", "opencode.interrupted", "opencode.killed", "opencode.killed.log", "opencode.killed.session",
		"qwen.sigkill.session", "qwen.sigkill.stream",
	},
	"the last call was refused, and no answer followed": {
		"opencode.failures", "opencode.failures-1.1.65", "opencode.failures-1.1.65.storage", "opencode.failures.session",
	},
	"the last answer failed, which a session of Gemini CLI does not show": {
		"gemini.fatal-400.session", "gemini.loop.session", "gemini.masked.session",
	},
}

// hasEnd reports whether all runs of a recording show their end.
func (r recording) hasEnd() bool {
	for _, names := range openEnded {
		if slices.Contains(names, r.name) {
			return false
		}
	}
	for _, run := range r.truth.Runs {
		words, ok := run.Outcome.([]any)
		if !ok {
			words = []any{run.Outcome}
		}
		if slices.Contains(words, any("incomplete")) || slices.Contains(words, any("killed")) {
			return false
		}
	}
	return true
}

// checkEnded checks in Jaeger, while the collector still follows all files, that no span of an ended agent lacks its parent.
func checkEnded(t *testing.T, c client, all []recording) {
	pipelines := slices.Clone(samplePipelines)
	for _, r := range all {
		if r.hasEnd() {
			pipelines = append(pipelines, r.name)
		}
	}
	assert.Greater(t, len(pipelines), 150)
	waitUntil(t, endWithin, "no span lacks its parent", func(ctx context.Context) error {
		for len(pipelines) > 0 {
			spans, err := c.find(ctx, map[string]string{"cicd.pipeline.name": pipelines[0]})
			if err != nil {
				return err
			}
			if names := orphans(spans); len(names) > 0 {
				return fmt.Errorf("%s: the parents are missing of %q", pipelines[0], names)
			}
			pipelines = pipelines[1:]
		}
		return nil
	})
}

// orphans names the spans without their parent.
func orphans(spans []span) (names []string) {
	ids := map[string]bool{}
	for _, s := range spans {
		ids[s.ID] = true
	}
	for _, s := range spans {
		for _, parent := range s.Parents {
			if !ids[parent] {
				names = append(names, s.Operation)
			}
		}
	}
	return names
}
