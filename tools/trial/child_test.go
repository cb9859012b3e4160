package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/otlp"
)

// TestChildCases makes the receiver run the children of the cases. cmd/tailspan tests with the same scripts that `tailspan run` does
// the same.
func TestChildCases(t *testing.T) {
	built(t, "TAILSPAN_COLLECTOR")
	caseDir(t, ".")
	for name, play := range childPlays() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, name)
			if name == "077-stderr-flood" || name == "079-hang-after-result" {
				// The message of these two reports one more input token than the result does, and its call keeps what it reported.
				s.want.tokens["in"] = 3
			}
			play(s)
		})
	}
}

// childPlays returns the cases by folder.
func childPlays() map[string]func(*stage) {
	return map[string]func(*stage){
		"077-stderr-flood": func(s *stage) {
			begun := time.Now()
			s.startChild()
			s.awaitExit(time.Minute)
			assert.Less(s.t, time.Since(begun), 10*time.Second)
			s.stop()
			s.check(true)
			exit := s.exited()[0]
			assert.EqualValues(s.t, 3, exit[otlp.AttrProcessExitCode])
			kept, _ := exit[otlp.AttrProcessStderr].(string)
			assert.NotEmpty(s.t, kept)
			assert.LessOrEqual(s.t, len(kept), 8<<10)
			assert.NotContains(s.t, kept, "\x1b")
			assert.NotContains(s.t, s.c.log.String(), "\x1b[31mred")
		},
		"079-hang-after-result": func(s *stage) {
			s.startChild()
			require.Eventually(s.t, func() bool { return len(s.received()) == len(s.want.events) }, 30*time.Second, 10*time.Millisecond)
			assert.Empty(s.t, compareEvents(s.want.events, s.received(), true), "the end is exported while the child is running")
			assert.Empty(s.t, s.exited())
			s.endsWithin(10 * time.Second)
			s.check(true)
			assert.Len(s.t, s.exited(), 1)
		},
		"080-kill-process-group": playKilledGroup,
		"082-reader-goes-away":   playBlockedConsumer,
	}
}

// startChild makes the receiver run the case's child, with additional environment variables.
func (s *stage) startChild(environment ...string) {
	s.t.Helper()
	s.runCommand([]string{"sh", filepath.Join(s.caseDir, "child.sh")}, environment...)
}

func (s *stage) runCommand(words []string, environment ...string) {
	s.t.Helper()
	env := map[string]string{}
	for _, pair := range environment {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	command, err := json.Marshal(map[string]any{"command": words, "env": env, "dir": s.dir})
	require.NoError(s.t, err)
	s.setup.more = fmt.Sprintf("receivers: {agent_stream: {commands: [%s]}}", command)
	s.setup.gates = "receiver.agent_stream.commands"
	s.start()
}

func (s *stage) awaitExit(limit time.Duration) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return len(s.exited()) == 1 }, limit, 10*time.Millisecond)
}

// endsWithin stops the collector.
func (s *stage) endsWithin(limit time.Duration) {
	s.t.Helper()
	begun := time.Now()
	s.stop()
	assert.Less(s.t, time.Since(begun), limit, "the stop")
}

// playBlockedConsumer refuses everything until the child has ended, and for another 5 s, or the full 60 s.
func playBlockedConsumer(s *stage) {
	blocked := 5 * time.Second
	if whole() {
		blocked = time.Minute
	}
	done := filepath.Join(s.dir, "done")
	var open atomic.Bool
	s.refuse = func() error {
		if open.Load() {
			return nil
		}
		return errors.New("blocked")
	}
	over := time.After(blocked)
	s.runCommand([]string{"sh", "-c", `sh "$1"; : > "$2"`, "sh", filepath.Join(s.caseDir, "child.sh"), done})
	require.Eventually(s.t, func() bool { _, err := os.Stat(done); return err == nil }, blocked+time.Minute, 10*time.Millisecond, "the child to end while the consumer is blocked")
	<-over
	assert.Empty(s.t, s.received())
	open.Store(true)
	s.awaitExit(time.Minute)
	peak := s.c.usage().PeakRSS
	s.stop()
	s.t.Logf("peak memory %d MiB", peak>>20)
	assert.Less(s.t, peak, int64(200<<20))
	lines := make([]wanted, 100_000, 100_001)
	for i := range lines {
		lines[i] = wanted{event: event{Kind: "text", Text: fmt.Sprint("line ", i)}}
	}
	s.want.events = append(lines, s.want.events...)
	s.check(true)
}
