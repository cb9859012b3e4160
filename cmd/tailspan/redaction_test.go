package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/internal/terminaltest"
)

// The key is made up. It has the shape of a real one and is cut in two, like a model's pieces.
const (
	pieceOne = `{"type":"message","timestamp":"2026-01-01T00:00:00.000Z","role":"assistant","content":"first line\nkey sk-ant-api03-zzdemo00","delta":true}`
	pieceTwo = `{"type":"message","timestamp":"2026-01-01T00:00:01.000Z","role":"assistant","content":"00000000000000000000000000000000 end","delta":true}`
	keyStart = "sk-ant-api03-zzdemo00"
	pieces   = pieceOne + "\n" + pieceTwo + "\n"
)

func TestRedactFlag(t *testing.T) {
	for _, tc := range []struct {
		name  string
		args  []string
		stays bool
	}{
		{"events is the plain view", []string{"events", "--provider", "gemini", "-"}, true},
		{"events without secrets", []string{"events", "--provider", "gemini", "--redact", "-"}, false},
		{"render has none", []string{"render", "--provider", "gemini", "-"}, false},
		{"render with them", []string{"render", "--provider", "gemini", "--redact=false", "-"}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, stdout, stderr := tailspan(pieces, tc.args...)
			require.Equal(t, cli.ExitOK, code, stderr)
			assert.Contains(t, stdout, "first line")
			assert.Equal(t, tc.stays, strings.Contains(stdout, keyStart), stdout)
			assert.Equal(t, !tc.stays, strings.Contains(stdout, "[redacted:anthropic]"), stdout)
		})
	}
}

// TestRedactLines checks that lines that are shown unchanged contain no secrets either.
func TestRedactLines(t *testing.T) {
	const key = keyStart + "00000000000000000000000000000000"
	_, stdout, _ := tailspan("words with "+key+"\n", "render", "-")
	assert.Equal(t, "words with [redacted:anthropic]\n", stdout)
	for _, flag := range []string{"--redact=false", "--mode=json"} { // json copies the input unchanged
		_, stdout, _ = tailspan("words with "+key+"\n", "render", flag, "-")
		assert.Equal(t, "words with "+key+"\n", stdout, flag)
	}
	_, stdout, _ = tailspan("words with "+key+"\n", "events", "--redact", "-")
	assert.Contains(t, stdout, `{"kind":"raw","line":"words with [redacted:anthropic]"}`)
}

// TestRedactLive checks that a text in pieces is released at a line end while its agent is quiet: viewers must not wait
// for its end.
func TestRedactLive(t *testing.T) {
	for _, command := range []string{"events", "render"} {
		synctest.Test(t, func(t *testing.T) {
			stdin, w := io.Pipe()
			args := []string{command, "--provider", "gemini", "--redact", "-"}
			var stdout, stderr terminaltest.Buffer
			ended := make(chan int)
			go func() { ended <- run(args, stdin, &stdout, &stderr) }()
			_, err := io.WriteString(w, pieceOne+"\n")
			require.NoError(t, err)
			synctest.Wait()
			assert.NotContains(t, stdout.String(), "first line", "it may go on")
			time.Sleep(2 * time.Second) // of the bubble's clock
			synctest.Wait()
			assert.Contains(t, stdout.String(), "first line")
			assert.NotContains(t, stdout.String(), keyStart, "the line has not ended")
			_, err = io.WriteString(w, pieceTwo+"\n")
			require.NoError(t, err)
			require.NoError(t, w.Close())
			assert.Equal(t, cli.ExitOK, <-ended, stderr.String())
			assert.Contains(t, stdout.String(), "[redacted:anthropic]")
			assert.NotContains(t, stdout.String(), keyStart)
		})
	}
}

// TestRedactKeyInLines checks that a private key in plain text, of which each line is shown on its own, is redacted.
func TestRedactKeyInLines(t *testing.T) {
	part := strings.Repeat("MadeUp0123456789", 4)
	text := "it is:\n-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(part+"\n", 8) + "-----END RSA PRIVATE KEY-----\nthat is all\n"
	for _, args := range [][]string{{"render"}, {"render", "--mode", "verbose", "--style", "transcript"}, {"events", "--redact"}} {
		for _, before := range []string{"", pieceOne + "\n"} {
			_, stdout, stderr := tailspan(before+text, append(args, "-")...)
			assert.NotContains(t, stdout+stderr, part[:16], "%v", args)
			if before == "" {
				assert.Contains(t, stdout, "that is all", "%v", args)
				assert.Contains(t, stdout, "[redacted:private-key]", "%v", args)
			}
		}
	}
}

// TestDoctorShowsNoSecret checks that doctor, whose output is meant for reports of problems, shows none from the files that it reads.
func TestDoctorShowsNoSecret(t *testing.T) {
	const secret = "ghp_" + "MadeUpMadeUp0123456789MadeUpMadeUp01"
	path := filepath.Join(t.TempDir(), "run.jsonl")
	sample, err := os.ReadFile(filepath.Join("..", "..", "testdata", "claude", "parity.jsonl"))
	require.NoError(t, err)
	lines := regexp.MustCompile(`"claude_code_version":"`).ReplaceAllString(string(sample), "${0}"+secret+" ")
	require.Contains(t, lines, secret)
	lines += `{"type":"new ` + secret + `","session_id":"s"}` + "\n"
	require.NoError(t, os.WriteFile(path, []byte(lines), 0o600))
	_, stdout, stderr := tailspan("", "doctor", path)
	assert.NotContains(t, stdout+stderr, secret[:12])
	assert.Contains(t, stdout, "version [redacted:github]")
	assert.Contains(t, stdout, "new [redacted:github]")
}
