package trial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/tools/internal/otlpsink"
)

// TestCases plays the cases that need a running collector: those with steps, and those that expect.md describes in prose.
func TestCases(t *testing.T) {
	built(t, "TAILSPAN_COLLECTOR")
	caseDir(t, ".")
	for name, play := range plays() {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they mostly wait
			folder, _, _ := strings.Cut(name, "/")
			play(newStage(t, folder))
		})
	}
}

// TestCasesAreAllPlayed: a case with a writer or a child that is not played is missing.
func TestCasesAreAllPlayed(t *testing.T) {
	played := map[string]bool{}
	for _, all := range []map[string]func(*stage){plays(), childPlays()} {
		for name := range all {
			folder, _, _ := strings.Cut(name, "/")
			played[folder] = true
		}
	}
	for _, script := range []string{"steps.sh", "child.sh"} {
		paths, err := filepath.Glob(filepath.Join(caseDir(t, "."), "*", script))
		require.NoError(t, err)
		require.NotEmpty(t, paths)
		for _, path := range paths {
			assert.True(t, played[filepath.Base(filepath.Dir(path))], path)
		}
	}
}

// plays returns the cases by folder, some in several variants.
func plays() map[string]func(*stage) {
	return map[string]func(*stage){
		"206-codex-revert-truncates": func(s *stage) {
			s.start()
			s.finish(s.steps())
			s.check(false)
		},
		"214-claude-transcript-relocated": func(s *stage) {
			s.start()
			s.finish(s.steps())
			s.check(false)
		},
		"222-claude-fork-with-new-session-id": func(s *stage) {
			s.start()
			s.finish(s.steps())
			s.check(false)
		},
		"230-claude-workflow-subagents": func(s *stage) {
			s.start()
			s.finish(s.steps())
			s.check(false)
		},
		"231-overlay-copy-up": func(s *stage) {
			s.start()
			s.finish(s.steps())
			s.check(false)
		},
		"232-clock-ahead-then-set-back": func(s *stage) {
			s.start()
			s.finish(s.steps())
			s.check(false)
		},
		"067-half-line-then-rest": func(s *stage) {
			s.start()
			s.finish(s.steps())
			s.check(true)
			assert.Zero(s.t, s.malformed)
		},
		"067-half-line-then-rest/restart": func(s *stage) { // while the line is incomplete, three times
			s.setup.store = filepath.Join(s.t.TempDir(), "store")
			s.start()
			cmd := s.steps()
			for _, half := range []string{`"userType":"external"`, "é\xf0\x9f", "09:00:02.00"} {
				s.ends("s.jsonl", half)
				s.stop()
				s.start()
			}
			s.finish(cmd)
			s.check(true)
			assert.Zero(s.t, s.malformed)
		},
		"068-flush-timer-splits-line":  playOneFile,
		"070-rewrite-same-or-larger":   playOneFile,
		"071-inode-reuse-and-twins":    playTwins,
		"073-many-files":               func(s *stage) { playManyFiles(s, "end") },
		"073-many-files/beginning":     func(s *stage) { playManyFiles(s, "beginning") },
		"074-huge-transcript":          func(s *stage) { playHugeFile(s, false) },
		"074-huge-transcript/restart":  func(s *stage) { playHugeFile(s, true) },
		"076-codex-archive-move":       playOneFile,
		"076-codex-archive-move/alone": playWithoutArchive,
		"037-codex-forked-rollout":     playFork,
		"041-gemini-json-rewritten":    playRewrites,
	}
}

func playOneFile(s *stage) {
	s.start()
	s.finish(s.steps())
	s.check(true)
}

func playTwins(s *stage) {
	s.start()
	s.finish(s.steps())
	s.check(false)
	assert.Less(s.t, s.warnings, 5, "a storm of warnings:\n%s", s.c.log)
}

// playManyFiles limits the open files. The old files for start_at: end are those from before the start. Read from their
// beginnings they are as many open sessions, so the case's limit on the heap applies too: half of it may be live, since the
// heap grows to twice that before it is collected. In addition a process needs memory for its program and for what the garbage
// collector has not returned. An exporter takes 512 KiB for each of its connections, of which there are hundreds here, but not
// because of the sessions.
func playManyFiles(s *stage, startAt string) {
	const files = 5000
	s.setup.files, s.setup.gctrace = 256, true
	s.setup.more = fmt.Sprintf("receivers: {agent_stream: {start_at: %s}}\nexporters: {otlp_http: {write_buffer_size: 4096}}", startAt)
	var cmd *exec.Cmd
	limit := int64(100 << 20)
	if startAt == "end" {
		cmd = s.steps()
		s.ends("p199/24.jsonl", "\n")
		s.start()
	} else {
		s.start()
		cmd = s.steps()
		for range files {
			s.want.events = append(s.want.events, wanted{event: event{Kind: "text", Text: "One."}})
		}
		s.want.tokens = nil
		limit = 150 << 20
	}
	require.Eventually(s.t, func() bool { return len(s.received()) >= len(s.want.events) }, time.Minute, 50*time.Millisecond)
	require.NoError(s.t, cmd.Wait())
	before, start := s.c.usage(), time.Now()
	s.settle()
	after := s.c.usage()
	load := float64(after.CPU-before.CPU) / float64(time.Since(start))
	s.stop()
	heap := s.c.liveHeap()
	s.t.Logf("start_at %s: idle CPU %.1f %% of a core, live heap %d MiB and peak memory %d MiB at most", startAt, 100*load, heap, after.PeakRSS>>20)
	assert.Less(s.t, load, 0.05, "idle CPU")
	assert.Less(s.t, heap, 100/2, "live heap")
	assert.Less(s.t, after.PeakRSS, limit, "memory")
	s.check(false)
	assert.NotContains(s.t, s.c.log.String(), "too many open files")
}

// playHugeFile writes 64 MiB, or the full 1 GiB. It counts texts and checks that none is exported twice.
func playHugeFile(s *stage, restart bool) {
	lines := 1 << 15
	if whole() {
		lines = 1 << 19
	}
	if restart {
		s.setup.store = filepath.Join(s.t.TempDir(), "store")
	}
	texts := 0
	s.server.Config.Handler = otlpsink.Handler(func(r *http.Request, b otlpsink.Batch) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, record := range b.Records() {
			if record.EventName() == "tailspan.text" {
				texts++
			}
		}
		return nil
	})
	count := func() int { s.mu.Lock(); defer s.mu.Unlock(); return texts }
	s.start()
	cmd := s.steps(fmt.Sprint("N=", lines))
	if restart {
		require.Eventually(s.t, func() bool { return count() > lines/3 }, 5*time.Minute, time.Millisecond)
		s.stop()
		assert.Less(s.t, count(), lines, "it was to be stopped in the middle")
		s.start()
	}
	require.NoError(s.t, cmd.Wait())
	require.Eventually(s.t, func() bool { return count() > lines }, 5*time.Minute, 10*time.Millisecond)
	s.settle()
	peak := s.c.usage().PeakRSS
	s.stop()
	assert.Equal(s.t, lines+1, count(), "texts")
	s.t.Logf("%d lines of 2 KB: peak memory %d MiB", lines, peak>>20)
	assert.Less(s.t, peak, int64(200<<20), "memory")
}

// playWithoutArchive watches only the folder that the file is moved out of.
func playWithoutArchive(s *stage) {
	s.setup.include = []string{filepath.Join(s.dir, "sessions", "**", "*.jsonl")}
	playOneFile(s)
}

// playFork creates both files before the start.
func playFork(s *stage) {
	for _, name := range []string{"a-parent.jsonl", "b-fork.jsonl"} {
		content, err := os.ReadFile(filepath.Join(s.caseDir, name))
		require.NoError(s.t, err)
		require.NoError(s.t, os.WriteFile(filepath.Join(s.dir, name), content, 0o600))
	}
	s.start()
	s.settle()
	s.stop()
	s.check(false)
}

// playRewrites plays the steps in expect.md: copied, replaced by rename, rewritten in two halves.
func playRewrites(s *stage) {
	path := filepath.Join(s.dir, "session-x.json")
	s.setup.include = []string{filepath.Join(s.dir, "*.json")}
	version := func(n int) []byte {
		content, err := os.ReadFile(filepath.Join(s.caseDir, fmt.Sprintf("v%d.json", n)))
		require.NoError(s.t, err)
		return content
	}
	polls := func() { <-time.After(500 * time.Millisecond) } // more than two of them
	s.start()
	require.NoError(s.t, os.WriteFile(path, version(1), 0o600))
	polls()
	require.NoError(s.t, os.WriteFile(path+".tmp", version(2), 0o600))
	require.NoError(s.t, os.Rename(path+".tmp", path))
	polls()
	last := version(3)
	f, err := os.Create(path)
	require.NoError(s.t, err)
	_, err = f.Write(last[:len(last)/2])
	require.NoError(s.t, err)
	<-time.After(300 * time.Millisecond)
	_, err = f.Write(last[len(last)/2:])
	require.NoError(s.t, err)
	require.NoError(s.t, f.Close())
	s.settle()
	s.stop()
	s.check(true)
	assert.LessOrEqual(s.t, s.malformed, 1)
}

// TestCaseOfTwoBodies plays case 053, which has two inputs for the command.
func TestCaseOfTwoBodies(t *testing.T) {
	command := built(t, "TAILSPAN_COMMAND")
	dir := caseDir(t, "053-openai-body-and-cut-call")
	var got []event
	malformed := -1
	for _, input := range []string{"body.json", "cut.sse"} {
		out, err := exec.Command(command, "events", "--provider", "openai_compatible", filepath.Join(dir, input)).Output()
		if exit := new(exec.ExitError); err != nil {
			require.ErrorAs(t, err, &exit) // the exit code shows a truncated stream too
		}
		got = append(got, decodeEvents(t, out)...)
		if input == "body.json" {
			var summary struct{ Malformed int }
			lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
			require.NoError(t, json.Unmarshal(lines[len(lines)-1], &summary))
			malformed = summary.Malformed
		}
	}
	assert.Empty(t, compareEvents(readExpectation(t, dir).events, got, true))
	assert.Zero(t, malformed, "lines of body.json")
}
