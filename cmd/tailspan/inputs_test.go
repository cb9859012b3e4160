//go:build unix

package main

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// TestSeveralInputs reads files in order, folders, globs and standard input, and names each of several. The others are shown even
// if one cannot be read.
func TestSeveralInputs(t *testing.T) {
	plainEnvironment(t)
	dir := t.TempDir()
	one := writeFile(t, filepath.Join(dir, "one.jsonl"), claudeLines("s1", "One."))
	two := writeFile(t, filepath.Join(dir, "deep", "two.jsonl"), claudeLines("s2", "Two."))
	torn := writeFile(t, filepath.Join(dir, "torn", "x.jsonl.gz"), "no gzip")
	for _, tc := range []struct {
		name   string
		args   []string
		code   int
		stdout string
	}{
		{"files in their order, each once", []string{two, one, two}, cli.ExitOK, "--- [two] ---\nTwo.\n--- [one] ---\nOne.\n"},
		{"a glob", []string{filepath.Join(dir, "**", "*.jsonl")}, cli.ExitOK, "--- [two] ---\nTwo.\n--- [one] ---\nOne.\n"},
		{"a glob of one file", []string{filepath.Join(dir, "o*.jsonl")}, cli.ExitOK, "One.\n"},
		{"a folder", []string{filepath.Join(dir, "deep")}, cli.ExitOK, "Two.\n"},
		{"standard input among them", []string{one, "-"}, cli.ExitOK, "--- [one] ---\nOne.\n--- [standard input] ---\nThree.\n"},
		{"one that can't be read", []string{torn, one}, cli.ExitFailure, "--- [one] ---\nOne.\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, stdout, stderr := tailspan(claudeLines("s3", "Three."), append([]string{"render"}, tc.args...)...)
			assert.Equal(t, tc.code, code, stderr)
			assert.Equal(t, tc.stdout, stdout)
			assert.Equal(t, tc.code != cli.ExitOK, strings.Contains(stderr, "x.jsonl.gz"), stderr)
			code, stdout, _ = tailspan(claudeLines("s3", "Three."), append([]string{"events"}, tc.args...)...)
			assert.Equal(t, tc.code, code)
			assert.Equal(t, float64(3*strings.Count(tc.stdout, ".\n")), lastLine(t, stdout)["lines"])
		})
	}
	_, raw, _ := tailspan("", "render", "--mode", "json", one, two)
	assert.Equal(t, claudeLines("s1", "One.")+claudeLines("s2", "Two."), raw)
}

// TestNamesOfInputs: each of several inputs has a name of its own in the log, in every mode that has names.
func TestNamesOfInputs(t *testing.T) {
	plainEnvironment(t)
	dir := t.TempDir()
	one := writeFile(t, filepath.Join(dir, "1", "fix.jsonl"), claudeLines("s1", "One."))
	two := writeFile(t, filepath.Join(dir, "2", "fix.jsonl"), claudeLines("s2", "Two."))
	step := `{"type":"tailspan","attributes":{"cicd.pipeline.task.name":"deploy"}}` + "\n"
	three := writeFile(t, filepath.Join(dir, "three.jsonl"), step+claudeLines("s3", "Three."))
	t.Setenv("GITHUB_ACTIONS", "true")
	t.Setenv("GITHUB_JOB", "the job of all")
	for _, tc := range []struct{ mode, want string }{
		{"default", "--- [1/fix] ---\nOne.\n--- [2/fix] ---\nTwo.\n--- [deploy] ---\nThree.\n"},
		{"verbose", "--- [1/fix] ---\nOne.\n--- [2/fix] ---\nTwo.\n--- [deploy] ---\nThree.\n"},
		{"quiet", "[1/fix] Run finished (session s1)\n[2/fix] Run finished (session s2)\n[deploy] Run finished (session s3)\n"},
	} {
		code, stdout, stderr := tailspan("", "render", "--summary=false", "--mode", tc.mode, one, two, three)
		assert.Equal(t, cli.ExitOK, code, stderr)
		assert.Equal(t, tc.want, stdout, tc.mode)
	}
	secret := writeFile(t, filepath.Join(dir, "my plan.jsonl"), claudeLines("s4", "Four."))
	code, stdout, _ := tailspan("", "render", "--summary=false", "--show", "names", one, two, three, secret)
	assert.Equal(t, cli.ExitOK, code)
	var headings []string
	for line := range strings.Lines(stdout) {
		if strings.HasPrefix(line, "--- ") {
			headings = append(headings, line)
		}
	}
	assert.Equal(t, []string{"--- [fix] ---\n", "--- [fix-2] ---\n", "--- [deploy] ---\n", "--- [unknown] ---\n"}, headings, "no folder, and no words")
	assert.NotContains(t, stdout, "plan")
}

// TestIdentityOfInputs checks the identity of events and of the log: from flags, the in-band line and the CI system.
func TestIdentityOfInputs(t *testing.T) {
	plainEnvironment(t)
	t.Setenv("GITHUB_ACTIONS", "true")
	t.Setenv("GITHUB_WORKFLOW", "nightly")
	t.Setenv("GITHUB_JOB", "build")
	inBand := `{"type":"tailspan","attributes":{"cicd.pipeline.task.name":"fix","gen_ai.agent.name":"fixer","team":"ops"}}` + "\n"
	path := writeFile(t, filepath.Join(t.TempDir(), "run.jsonl"), inBand+claudeLines("s1", "One."))
	for _, tc := range []struct {
		args                    []string
		pipeline, step, persona any
	}{
		{nil, "nightly", "fix", "fixer"},
		{[]string{"--step", "other", "--pipeline", "own", "--persona", "me"}, "own", "other", "me"},
		{[]string{"--in-band", "off"}, "nightly", "build", nil},
	} {
		code, stdout, stderr := tailspan("", append(append([]string{"events"}, tc.args...), path)...)
		require.Equal(t, cli.ExitOK, code)
		assert.Contains(t, stderr, ": ignored ")
		for line := range strings.Lines(stdout) {
			event := map[string]any{}
			require.NoError(t, json.Unmarshal([]byte(line), &event))
			assert.Equal(t, "claude", event["provider"], line)
			if event["kind"] != "summary" {
				assert.Equal(t, []any{tc.pipeline, tc.step, tc.persona}, []any{event["pipeline"], event["step"], event["persona"]}, line)
				assert.NotContains(t, event, "file")
			}
		}
		_, log, _ := tailspan("", append(append([]string{"render", "--mode", "quiet"}, tc.args...), path)...)
		assert.True(t, strings.HasPrefix(log, "["+tc.step.(string)+"] Run finished"), log)
	}
	_, stdout, _ := tailspan("", "events", filepath.Dir(path))
	assert.Contains(t, stdout, `"file":"`+path+`"`)
}

// TestFollow shows growing files and one that is created later, until a signal ends it.
func TestFollow(t *testing.T) {
	plainEnvironment(t)
	dir := t.TempDir()
	one := writeFile(t, filepath.Join(dir, "one.jsonl"), claudeLines("s1", "One."))
	writeFile(t, filepath.Join(dir, "document.json"), "{}")
	for _, tc := range []struct{ command, want1, want2, want3 string }{
		{"render", "One.\n", "Two.\n", "Three.\n"},
		{"events", `"text":"One."`, `"text":"Two."`, `"text":"Three."`},
		{"render --mode json", `"text":"One."`, `"text":"Two."`, `"text":"Three."`},
	} {
		t.Run(tc.command, func(t *testing.T) {
			var stdout, stderr output
			code := make(chan int, 1)
			args := append(strings.Fields(tc.command), "--follow", filepath.Join(dir, "*.jsonl"))
			go func() { code <- run(args, nil, &stdout, &stderr) }()
			stdout.has(t, tc.want1)
			file, err := os.OpenFile(one, os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = file.WriteString(claudeLines("s2", "Two."))
			require.NoError(t, err)
			require.NoError(t, file.Close())
			stdout.has(t, tc.want2)
			two := writeFile(t, filepath.Join(dir, "two.jsonl"), claudeLines("s3", "Three."))
			stdout.has(t, tc.want3)
			require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
			assert.Equal(t, cli.ExitOK, <-code, stderr.String())
			assert.Empty(t, stderr.String())
			if tc.command == "events" {
				assert.EqualValues(t, 9, lastLine(t, stdout.String())["lines"])
				assert.EqualValues(t, 2, lastLine(t, stdout.String())["files"])
			}
			require.NoError(t, os.Remove(two))
			require.NoError(t, os.WriteFile(one, []byte(claudeLines("s1", "One.")), 0o600))
		})
	}
}

// TestFollowDocuments shows documents that are written at once, in parts and again, and the sessions of a database, each item once.
func TestFollowDocuments(t *testing.T) {
	fixture := func(name string) string {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "gemini", name))
		require.NoError(t, err)
		return string(data)
	}
	for _, command := range []string{"render", "events"} {
		t.Run(command, func(t *testing.T) {
			plainEnvironment(t)
			dir := t.TempDir()
			session := writeFile(t, filepath.Join(dir, "session-a.json"), fixture("case-rewritten-2.session.json"))
			unpackDatabase(t, filepath.Join(dir, "opencode.db"))
			odd := filepath.Join(t.TempDir(), "a database")
			unpackDatabase(t, odd)
			text := filepath.Join(t.TempDir(), "out.txt")
			var stdout, stderr output
			code := make(chan int, 1)
			go func() { code <- run([]string{command, "--follow", dir, odd, text}, nil, &stdout, &stderr) }()
			stdout.has(t, "Going.")
			require.Eventually(t, func() bool { return strings.Count(stdout.String(), "The helpers agree") == 2 }, patience, patience/1e4, "two databases")
			writeFile(t, session, fixture("case-rewritten-3.session.json"))
			stdout.has(t, "Gone.")
			writeFile(t, filepath.Join(dir, "new.json"), fixture("parity.result.json"))
			stdout.has(t, "All tests pass now.")
			result := strings.Replace(fixture("parity.result.json"), "All tests pass now.", "Another answer.", 1)
			writeFile(t, text, result)
			stderr.has(t, text+`" is one document, which is shown once it ends with a newline`)
			file, err := os.OpenFile(text, os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = file.WriteString("\n")
			require.NoError(t, err)
			require.NoError(t, file.Close())
			stdout.has(t, "Another answer.")
			require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
			assert.Equal(t, cli.ExitOK, <-code, stderr.String())
			assert.Equal(t, 2, strings.Count(stderr.String(), "\n"), stderr.String()) // including the message that the file does not exist yet
			for _, once := range []string{"Going.", "Gone."} {
				assert.Equal(t, 1, strings.Count(stdout.String(), once), once)
			}
		})
	}
}

// TestFollowNamesSessions: each session of a database that is followed has a name of its own in the log.
func TestFollowNamesSessions(t *testing.T) {
	plainEnvironment(t)
	database := filepath.Join(t.TempDir(), "opencode.db")
	unpackDatabase(t, database)
	for _, mode := range []string{"default", "verbose"} {
		var stdout, stderr output
		code := make(chan int, 1)
		go func() { code <- run([]string{"render", "--mode", mode, "--follow", database}, nil, &stdout, &stderr) }()
		stdout.has(t, "The helpers agree")
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
		assert.Equal(t, cli.ExitOK, <-code, stderr.String())
		assert.Regexp(t, `(?m)^--- \[opencode\.db(/ses_\w+)?\] ---\nI'll start with the failing code\.$`, stdout.String())
		assert.Regexp(t, `(?m)^--- \[opencode\.db(/ses_\w+)?\] ---\nI'll delegate\.$`, stdout.String())
	}
}

// TestFollowEndsWithItsReader checks that the command ends when the reader of its output does.
func TestFollowEndsWithItsReader(t *testing.T) {
	path := writeFile(t, filepath.Join(t.TempDir(), "one.jsonl"), claudeLines("s1", "One."))
	for _, command := range []string{"render", "events"} {
		var stderr output
		assert.Equal(t, cli.ExitOK, run([]string{command, "--follow", path}, nil, brokenPipe{}, &stderr))
		assert.Empty(t, stderr.String())
	}
}

// TestFollowUTF16 checks the same for files that are followed.
func TestFollowUTF16(t *testing.T) {
	plainEnvironment(t)
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "run.jsonl"), inUTF16(binary.LittleEndian, claudeLines("s1", "One.")))
	writeFile(t, filepath.Join(dir, "run.json"), inUTF16(binary.LittleEndian, claudeLines("s2", "Two.")))
	writeFile(t, filepath.Join(dir, "other.jsonl"), claudeLines("s3", "Three."))
	var stdout, stderr output
	code := make(chan int, 1)
	go func() {
		code <- run([]string{"render", "--follow", filepath.Join(dir, "*.json*")}, nil, &stdout, &stderr)
	}()
	stdout.has(t, "Three.")
	require.Eventually(t, func() bool { return strings.Count(stderr.String(), "is UTF-16") == 2 }, patience, patience/1e4, "one message for each file")
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	assert.Equal(t, cli.ExitOK, <-code)
	assert.NotContains(t, stdout.String(), "One")
	assert.NotContains(t, stdout.String(), "O\x00n")
	assert.Equal(t, 2, strings.Count(stderr.String(), "\n"), stderr.String())
}
