package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/otlp"
)

// writeExport writes a trace of two spans. The parent of the second is parent.
func writeExport(t *testing.T, parent [8]byte) string {
	t.Helper()
	return exportUnder(t, [8]byte{}, parent)
}

// exportUnder writes a trace of a span for each parent; all are of pipelines.
func exportUnder(t *testing.T, parents ...[8]byte) string {
	t.Helper()
	td := ptrace.NewTraces()
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	ss.Scope().SetName(otlp.ScopeName)
	for i, above := range parents {
		s := ss.Spans().AppendEmpty()
		s.SetTraceID([16]byte{1})
		s.SetSpanID([8]byte{byte(i + 1)})
		s.SetParentSpanID(above)
		s.SetStartTimestamp(100)
		s.SetEndTimestamp(200)
		s.Attributes().PutStr(otlp.AttrPipelineName, "nightly")
	}
	raw, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "spans.jsonl")
	require.NoError(t, os.WriteFile(path, append(raw, '\n'), 0o600))
	return path
}

func TestDoctorChecksAnExport(t *testing.T) {
	write := func(content string) string {
		path := filepath.Join(t.TempDir(), "export.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	exported := exportUnder(t, [8]byte{})
	content, err := os.ReadFile(exported)
	require.NoError(t, err)
	for _, tc := range []struct {
		name  string
		paths []string
		code  int
		want  string
	}{
		{"whole", []string{writeExport(t, [8]byte{1})}, cli.ExitOK, "no problems"},
		{"compressed", []string{write(string(gzipped(t, content)))}, cli.ExitOK, "1 spans in 1 traces"},
		{"broken compressed", []string{write(string(gzipped(t, content)[:40]))}, cli.ExitUsage, ""},
		{"sent twice", []string{exported, exported}, cli.ExitOK, "note: 1 span repeated with the same IDs and content\nno problems"},
		{"an orphan", []string{writeExport(t, [8]byte{9})}, cli.ExitFailure, "problem: missing_parent"},
		{"a run that is not over", []string{exportUnder(t, [8]byte{9}, [8]byte{8}, [8]byte{1})}, cli.ExitFailure, "problem: no_root: trace 01000000000000000000000000000000; 2 of its spans miss their parents: the run was not over"},
		{"under a span of someone else", []string{exportUnder(t, [8]byte{9}, [8]byte{1}, [8]byte{9})}, cli.ExitOK, "note: outer_parent: trace 01000000000000000000000000000000 hangs under span 0900000000000000, which is not in the export\nno problems"},
		{"a stream of an agent", []string{filepath.Join("..", "..", "testdata", "claude", "background.jsonl")}, cli.ExitFailure, "background.jsonl\" holds no OTLP request"},
		{"the same beside an export", []string{writeExport(t, [8]byte{1}), write(`{"type":"result"}`)}, cli.ExitFailure, "export.jsonl\" holds no OTLP request"},
		{"an export with a foreign line", []string{write(`{"resourceMetrics":[]}` + "\n{}\n")}, cli.ExitFailure, "1 objects in"},
		{"empty", []string{write("")}, cli.ExitFailure, "export.jsonl\" is empty"},
		{"blank", []string{write("\n \n")}, cli.ExitFailure, "export.jsonl\" is empty"},
		{"metrics alone", []string{write(`{"resourceMetrics":[]}`)}, cli.ExitOK, "no problems"},
		{"no file", []string{"nowhere.jsonl"}, cli.ExitUsage, ""},
		{"no argument", nil, cli.ExitUsage, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			assert.Equal(t, tc.code, run(append([]string{"doctor", "--otlp"}, tc.paths...), nil, &out, &errs), errs.String())
			assert.Contains(t, out.String(), tc.want)
			if tc.code == cli.ExitFailure {
				assert.NotContains(t, out.String(), "no problems")
				assert.Contains(t, errs.String(), "problems were found: 1")
			}
		})
	}
}

// sessions creates a home folder with sessions of agents.
func sessions(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(name, home)
	}
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME", "OPENCODE_DB", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		t.Setenv(name, "")
	}
	return home
}

func copyTo(t *testing.T, to string, from ...string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "testdata"}, from...)...))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o700))
	require.NoError(t, os.WriteFile(to, data, 0o600))
}

func runDoctor(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(append([]string{"doctor"}, args...), nil, &out, &errs)
	return code, out.String(), errs.String()
}

// TestDoctorLooksAtThePlaces has an agent with sessions, one without, and others that are not installed.
func TestDoctorLooksAtThePlaces(t *testing.T) {
	home := sessions(t)
	copyTo(t, filepath.Join(home, ".claude", "projects", "x", "a.jsonl"), "claude", "background.jsonl")
	copyTo(t, filepath.Join(home, ".claude", "projects", "x", "b", "c.jsonl"), "claude", "background.jsonl")
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".codex", "sessions"), 0o700))
	code, out, errs := runDoctor()
	assert.Equal(t, cli.ExitOK, code, errs)
	assert.Regexp(t, `claude +\S+projects +1 session, 2 files, .* kB, newest just now, version 2\.\d+\.\d+, claude: 2\n`, out)
	assert.Regexp(t, `codex +\S+codex +there, but no session in it\n`, out)
	assert.Regexp(t, `gemini +\S+tmp +not there\n`, out)
	assert.Contains(t, out, "run sends nothing: OTEL_EXPORTER_OTLP_ENDPOINT is not set")
	assert.Contains(t, out, "no problems\n")

	t.Setenv("CLAUDE_CONFIG_DIR", filepath.Join(home, "elsewhere"))
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:made-up@collector.invalid:4318")
	code, out, _ = runDoctor()
	assert.Equal(t, cli.ExitFailure, code)
	assert.Regexp(t, `claude +\S+elsewhere\S+projects +not there\n`, out)
	assert.Contains(t, out, "note: no_sessions: ")
	assert.Contains(t, out, "run sends to http://collector.invalid:4318/v1/traces")
	assert.Contains(t, out, "problem: endpoint: send traces: ")
	assert.NotContains(t, out, "made-up")
}

// TestDoctorSaysWhyNot has files that are not sessions of any agent.
func TestDoctorSaysWhyNot(t *testing.T) {
	home := sessions(t)
	projects := filepath.Join(home, ".claude", "projects")
	copyTo(t, filepath.Join(projects, "a.jsonl"), "claude", "background.jsonl")
	require.NoError(t, os.WriteFile(filepath.Join(projects, "notes.jsonl"), []byte("not of an agent\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(projects, "new.jsonl"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(projects, "torn.jsonl.gz"), []byte("no gzip"), 0o600))
	code, out, errs := runDoctor(projects)
	assert.Equal(t, cli.ExitFailure, code)
	assert.Regexp(t, `4 files, .*claude: 1, empty: 1, unknown: 1\n`, out)
	assert.Contains(t, out, `problem: unknown_format: "`+filepath.Join(projects, "notes.jsonl")+`": its first lines match no known agent`)
	assert.Contains(t, out, "problem: unreadable: unpack")
	assert.Contains(t, errs, "problems were found: 2")

	code, out, _ = runDoctor(filepath.Join(projects, "a.*"))
	assert.Equal(t, cli.ExitOK, code, out)
	code, out, _ = runDoctor(filepath.Join(projects, "x.*"))
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, out, "problem: nothing_there: ")
	code, out, _ = runDoctor(filepath.Join(projects, "gone"))
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, out, "not there")
}

// TestDoctorOfDocuments has a file named like a document that contains lines, a truncated document, and a complete one.
func TestDoctorOfDocuments(t *testing.T) {
	dir := t.TempDir()
	lines := `{"n":1}` + "\n" + `{"n":2}` + "\n"
	for name, content := range map[string]string{"lines.json": lines, "half.json": `{"messages":[`, "empty.json": "\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	code, out, _ := runDoctor(dir)
	assert.Equal(t, cli.ExitFailure, code)
	for _, name := range []string{"lines.json", "half.json"} {
		assert.Contains(t, out, `problem: incomplete: "`+filepath.Join(dir, name)+`": it is not a complete JSON document`)
	}
	assert.Equal(t, 2, strings.Count(out, "problem: incomplete: "))
	copyTo(t, filepath.Join(dir, "whole.json"), "gemini", "parity-0.38.2.session.json")
	code, out, _ = runDoctor(filepath.Join(dir, "whole.json"))
	assert.Equal(t, cli.ExitOK, code, out)
}

// TestDoctorListsAFew has more problems than anybody reads.
func TestDoctorListsAFew(t *testing.T) {
	const listed = 10
	dir := t.TempDir()
	for i := range listed + 5 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", i)), []byte("no\n"), 0o600))
	}
	code, out, errs := runDoctor(dir)
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, errs, "problems were found: 15\n")
	assert.Equal(t, listed+1, strings.Count(out, "problem: unknown_format: "))
	assert.Contains(t, out, ": 5 more\n")
}

// TestDoctorIsSafeForATerminal checks that neither the name nor the content of a file reaches the terminal unescaped.
func TestDoctorIsSafeForATerminal(t *testing.T) {
	dir := t.TempDir()
	line := `{"type":"system","subtype":"init","session_id":"s","cwd":"/x","tools":[],"model":"m","claude_code_version":"2.1\u001b[2J\n` + strings.Repeat("9", 100) + `"}` + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte(line), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b\x1b[2J.json.gz"), []byte("no gzip"), 0o600))
	code, out, _ := runDoctor(dir)
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, out, "version 2.1 "+strings.Repeat("9", 35)+"…, claude: 1\n")
	assert.Contains(t, out, "problem:")
	assert.NotContains(t, out, "\x1b")
}

// TestDoctorMayNotRead has a session that only another user can read.
func TestDoctorMayNotRead(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read every file")
	}
	home := sessions(t)
	path := filepath.Join(home, ".claude", "projects", "a.jsonl")
	copyTo(t, path, "claude", "background.jsonl")
	require.NoError(t, os.Chmod(path, 0))
	code, out, _ := runDoctor()
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, out, "permission denied; give the user that runs tailspan or the collector the right to read it")
}

// TestDoctorKnowsOpenCode has OpenCode's database and its older folders.
func TestDoctorKnowsOpenCode(t *testing.T) {
	home := sessions(t)
	code, out, errs := runDoctor(filepath.Join("..", "..", "testdata", "opencode", "subagent-1.1.65.storage"))
	assert.Equal(t, cli.ExitOK, code, errs)
	assert.Contains(t, out, "opencode's older folders: 1")
	database := filepath.Join(home, ".local", "share", "opencode", "opencode.db")
	unpackDatabase(t, database)
	code, out, errs = runDoctor()
	assert.Equal(t, cli.ExitOK, code, errs)
	assert.Regexp(t, `opencode +\S+opencode +\d+ sessions, 1 file, .*, version \d+\.\d+\.\d+, opencode: 1\n`, out, "its database is many sessions")
}

// TestDoctorOfAPlainMachine has no agent and no endpoint, which is no failure.
func TestDoctorOfAPlainMachine(t *testing.T) {
	sessions(t)
	code, out, errs := runDoctor()
	assert.Equal(t, cli.ExitOK, code, errs)
	assert.Contains(t, out, "note: no_sessions: ")
	assert.Contains(t, out, "no problems\n")
	assert.Regexp(t, `(?m)^limits +- +.*\d+ open files$`, out)
}

// TestDoctorReadsSessions has lines of unknown types and torn lines, which are noted and are no problems.
func TestDoctorReadsSessions(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	copyTo(t, path, "claude", "background.jsonl")
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(strings.Repeat(`{"type":"brand_new","session_id":"s"}`+"\n", 3) + `{"type":"torn` + "\n")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	code, out, errs := runDoctor(dir)
	assert.Equal(t, cli.ExitOK, code, errs)
	assert.Contains(t, out, `note: unknown_type: "`+dir+`": 3 lines of type "brand_new"`)
	assert.Contains(t, out, `note: not_understood: "`+dir+`": 1 line torn, or no JSON`)
}

// TestDoctorAsksTheEndpoint sends an empty export of each signal. It reports an endpoint that accepts none, and the
// signals that one lacks that accepts others.
func TestDoctorAsksTheEndpoint(t *testing.T) {
	sessions(t)
	sink := newOTLPSink(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", sink.URL)
	code, out, errs := runDoctor()
	assert.Equal(t, cli.ExitOK, code, errs)
	assert.Contains(t, out, "/v1/metrics: it answers\n")
	assert.Len(t, sink.seen, 3, "once for each signal")
	sink.answers(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/logs" {
			return false
		}
		w.WriteHeader(http.StatusNotFound)
		return true
	})
	code, out, errs = runDoctor()
	assert.Equal(t, cli.ExitOK, code, errs)
	assert.Contains(t, out, ": it answers, and takes no log records\n")
	sink.Close()
	code, out, _ = runDoctor()
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, out, "problem: endpoint: send traces: ")
	assert.Contains(t, out, "connection refused")
	assert.NotContains(t, out, "it answers")
}

// TestDoctorReportsALongLine checks that a file whose first line is skipped is reported as such and not as unknown.
func TestDoctorReportsALongLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	file, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, file.Truncate(int64(input.DefaultMaxLine)+1)) // a sparse file, which uses no disk space
	require.NoError(t, file.Close())
	code, stdout, _ := tailspan("", "doctor", path)
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, stdout, fmt.Sprintf("problem: too_long: %q: its first line, or the document, is longer than 16777216 bytes", path))
}

// TestDoctorReadsWithinItsBudget: of a file without newlines no more than the longest line is read, and no name reaches
// the terminal unescaped.
func TestDoctorReadsWithinItsBudget(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.jsonl")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, 1<<40)) // a sparse file that would take hours to read
	odd := writeFile(t, filepath.Join(dir, "\x1b]0;title\a[1]{x}.jsonl"), claudeLines("s1", "One."))
	code, out, _ := runDoctor(large, odd)
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, out, `problem: too_long: "`+large+`": its first line, or the document, is longer than 16777216 bytes`)
	assert.Regexp(t, `\[1\]\{x\}\.jsonl +\S+ +1 session, 1 file, .* claude: 1\n`, out)
	assert.NotContains(t, out, "\x1b")
}
