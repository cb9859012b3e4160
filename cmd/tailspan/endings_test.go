//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Lines of Claude Code from which the streams of these tests are made.
const (
	startLine  = `{"type":"system","subtype":"init","session_id":"s1","model":"claude-x","cwd":"/w","tools":[],"uuid":"u0"}`
	wordsLine  = `{"type":"assistant","session_id":"s1","uuid":"u1","message":{"id":"m1","role":"assistant","model":"claude-x","usage":{"input_tokens":10,"output_tokens":1},"content":[{"type":"text","text":"Working."}]}}`
	callLine   = `{"type":"assistant","session_id":"s1","uuid":"u2","message":{"id":"m2","role":"assistant","model":"claude-x","usage":{"input_tokens":10,"output_tokens":1},"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"go test"}}]}}`
	deniedLine = `{"type":"user","session_id":"s1","uuid":"u3","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"Permission to use Bash with command go test has been denied."}]},"tool_result_meta":[{"id":"t1","non_execution_kind":"permission-rule"}]}`
	okLine     = `{"type":"result","subtype":"success","is_error":false,"session_id":"s1","uuid":"u4","result":""}`
	failedLine = `{"type":"result","subtype":"success","is_error":true,"session_id":"s1","uuid":"u4","result":"Credit balance is too low"}`
)

// ending is a way in which an agent can end.
type ending struct {
	name    string
	lines   []string
	half    string // start of a line without an end
	then    string // what the shell does after the lines
	code    int
	verdict string
	outcome string
	said    string // the agent's text
	quiet   string // the line of mode quiet
}

var endings = []ending{
	{"ok", []string{startLine, wordsLine, okLine}, "", "", 0, "", "ok", "Working.\n", "Run finished (session s1)"},
	{"crash", []string{startLine, wordsLine}, "", "kill -SEGV $$", 139, "error: killed by SIGSEGV", "killed", "Working.\n", "Run failed: ended by SIGSEGV before its result"},
	{"killed", []string{startLine, wordsLine, callLine}, "", "kill -KILL $$", 137, "error: killed by SIGKILL in Bash: go test", "killed", "Working.\n", "Run failed: ended by SIGKILL before its result"},
	{"no result", []string{startLine, wordsLine}, "", "", 0, "incomplete: ended without a result", "incomplete", "Working.\n", "Run incomplete: ended without a result"},
	{"half a line", []string{startLine, wordsLine}, okLine[:40], "", 0, "incomplete: ended without a result", "incomplete", "Working.\n", "Run incomplete: ended without a result"},
	{"error with exit 1", []string{startLine, wordsLine, failedLine}, "", "exit 1", 1, "error: Credit balance is too low", "error", "Working.\n", "Run failed: Credit balance is too low (session s1)"},
	{"error with exit 0", []string{startLine, wordsLine, failedLine}, "", "", 0, "error: Credit balance is too low", "error", "Working.\n", "Run failed: Credit balance is too low (session s1)"},
	{"refused calls", []string{startLine, wordsLine, callLine, deniedLine, okLine}, "", "", 0, "denied: 1 refused call (Bash)", "ok", "Working.\n", "Run finished (session s1)"},
	{"nothing done", []string{startLine, okLine}, "", "", 0, "empty: did nothing", "ok", "", "Run finished (session s1)"},
	{"another signal", []string{startLine, wordsLine}, "", "kill -USR1 $$", 128 + int(syscall.SIGUSR1), "error: killed by SIGUSR1", "killed", "Working.\n", "Run failed: ended by SIGUSR1 before its result"},
}

// script returns a command that ends this way.
func (e *ending) script(t *testing.T) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stream.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(e.lines, "\n")+"\n"+e.half), 0o600))
	return []string{"sh", "-c", `cat "$0"; ` + e.then, path}
}
