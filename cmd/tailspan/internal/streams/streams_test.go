package streams_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/streams"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// log records the calls of all streams of a test, one per line.
type log struct {
	mu    sync.Mutex
	lines []string
	fails string // the record on which a stream fails
	tick  error
}

func (l *log) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

// all returns the lines so far.
func (l *log) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}

// stream logs its calls. It is a [streams.Stream].
type stream struct {
	log  *log
	name string
	note parser.Noted
}

var errWrite = errors.New("no room")

func (s *stream) Note(n parser.Noted) { s.note = n }

func (s *stream) Record(record []byte) error {
	line := s.name + ": " + string(record)
	if s.note.Abridged {
		line = s.name + ": abridged"
	}
	s.log.add(line)
	if s.log.fails != "" && string(record) == s.log.fails {
		return errWrite
	}
	return nil
}

func (s *stream) Replay([]byte) { s.log.add(s.name + ": replayed") }

func (s *stream) Tick() error { return s.log.tick }

func (s *stream) Close(tooLong int) error {
	s.log.add(s.name + ": end" + strings.Repeat("!", tooLong))
	return nil
}

// settings return settings whose streams log all calls.
func settings(l *log, stdin io.Reader, stderr io.Writer) streams.Settings {
	return streams.Settings{
		Stream:   options.Stream{Provider: parser.Auto, MaxLine: 100, Container: config.ContainerNone},
		Identity: options.Identity{Pipeline: "nightly", InBand: config.InBandIdentity},
		Streams:  cli.Streams{In: stdin, Out: io.Discard, Err: stderr},
		Open: func(o streams.Origin) (streams.Stream, error) {
			name := filepath.Base(o.Name)
			l.add(name + ": begins, " + o.Identity.Value(otlp.AttrPipelineName) + "/" + o.Identity.Value(otlp.AttrTaskName))
			return &stream{log: l, name: name}, nil
		},
	}
}

const inBand = `{"type":"tailspan","attributes":{"cicd.pipeline.task.name":"fix","other":"x"}}`

// TestRun checks the order of inputs, records and ends, the identity of inputs, and the effect of an unreadable one.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	a, b := file("a.jsonl", "one\ntwo"), file("b.jsonl", inBand+"\nthree\n")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := io.WriteString(w, "zero\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	torn := file("torn.gz", packed.String()[:packed.Len()-4])
	long := file("long.jsonl", `{"type":"user","text":"`+strings.Repeat("x", 200)+"\"}\nshort\n")
	empty := file("empty.jsonl", "")
	for _, tc := range []struct {
		name         string
		names        []string
		stdin, fails string
		want         []string
		stderr       string
		err          string
	}{
		{"one after the other", []string{a, b}, "", "", []string{
			"a.jsonl: begins, nightly/", "a.jsonl: one", "a.jsonl: two", "a.jsonl: end",
			"b.jsonl: begins, nightly/fix", "b.jsonl: three", "b.jsonl: end",
		}, `first line of "` + b + `": ignored 1 attribute (--in-band identity)`, ""},
		{"standard input", []string{"-"}, "one\n", "", []string{"-: begins, nightly/", "-: one", "-: end"}, "", ""},
		{"nothing in it", []string{empty}, "", "", []string{"empty.jsonl: begins, nightly/", "empty.jsonl: end"}, "", ""},
		{"a long line", []string{long}, "", "", []string{"long.jsonl: begins, nightly/", "long.jsonl: abridged", "long.jsonl: short", "long.jsonl: end!"}, "", ""},
		{"one can't be read", []string{torn, a}, "", "", []string{
			"torn.gz: begins, nightly/", "torn.gz: zero", "torn.gz: end", "a.jsonl: begins, nightly/", "a.jsonl: one", "a.jsonl: two", "a.jsonl: end",
		}, "", "it is cut short"},
		{"a stream fails", []string{a, b}, "", "one", []string{"a.jsonl: begins, nightly/", "a.jsonl: one", "a.jsonl: end"}, "", "no room"},
		{"no input", nil, "", "", nil, "", "no input"},
		{"none there", []string{filepath.Join(dir, "missing.jsonl")}, "", "", nil, "", "no such file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := &log{fails: tc.fails}
			var stderr bytes.Buffer
			err := settings(l, strings.NewReader(tc.stdin), &stderr).Run(t.Context(), tc.names)
			assert.Equal(t, tc.want, l.lines)
			assert.Contains(t, stderr.String(), tc.stderr)
			if tc.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.err)
			}
			assert.Equal(t, tc.name == "one can't be read", errors.As(err, &streams.Unread{}), "the others were read")
		})
	}
}

// TestTickFails: an error of Tick ends the reading at the next record.
func TestTickFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		ended := make(chan error, 1)
		l := &log{tick: errWrite}
		go func() { ended <- settings(l, in, io.Discard).Run(t.Context(), []string{"-"}) }()
		_, err := io.WriteString(out, "one\n{}\n")
		require.NoError(t, err)
		time.Sleep(redact.DefaultQuiet)
		_, err = io.WriteString(out, "two\n")
		require.NoError(t, err)
		require.NoError(t, out.Close())
		require.ErrorIs(t, <-ended, errWrite)
		assert.NotContains(t, l.all(), "-: two")
	})
}

// TestFollow: appended lines arrive at once, later files too, and the end of the context ends all streams.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	a := filepath.Join(dir, "a.jsonl")
	require.NoError(t, os.WriteFile(a, []byte(inBand+"\none\n"), 0o600))
	l := &log{}
	s := settings(l, nil, io.Discard)
	s.Follow = true
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, []string{dir}) }()
	has := func(line string) {
		t.Helper()
		require.Eventually(t, func() bool { return strings.Contains(strings.Join(l.all(), "\n")+"\n", line+"\n") }, time.Minute, time.Millisecond, line)
	}
	has("a.jsonl: one")
	grow, err := os.OpenFile(a, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = grow.WriteString("two\n")
	require.NoError(t, err)
	require.NoError(t, grow.Close())
	has("a.jsonl: two")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.jsonl"), []byte("three\n"), 0o600))
	has("b.jsonl: three")
	cancel()
	require.NoError(t, <-ended)
	all := l.all()
	assert.Equal(t, "a.jsonl: begins, nightly/fix", all[0])
	assert.ElementsMatch(t, []string{"a.jsonl: end", "b.jsonl: end"}, all[len(all)-2:])
}

// TestFollowIdleSession: the stream of a session in a database ends when the session was quiet for long. If the session continues, its
// next stream begins with a replay of what was shown.
func TestFollowIdleSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "opencode.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(off)")
	require.NoError(t, err)
	defer db.Close()
	write := func(query string, values ...any) {
		t.Helper()
		_, err := db.Exec(query, values...)
		require.NoError(t, err)
	}
	write(`
		CREATE TABLE session (id text PRIMARY KEY, parent_id text, time_created integer, time_updated integer);
		CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
		CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text);`)
	write("INSERT INTO session (id, time_created, time_updated) VALUES ('s0', 1, 1)")
	l := &log{}
	s := settings(l, nil, io.Discard)
	s.Follow, s.IdleClose = true, 10*time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, []string{path}) }()
	ends := func(n int) {
		t.Helper()
		require.Eventually(t, func() bool { return strings.Count(strings.Join(l.all(), "\n"), "opencode.db: end") == n }, time.Minute, time.Millisecond, "%d ends", n)
	}
	ends(1)
	write("INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES ('m0', 's0', 5, 5, '{}')")
	ends(2)
	cancel()
	require.NoError(t, <-ended)
	var rows []string
	for _, line := range l.all() {
		switch {
		case strings.Contains(line, `"id":"s0"`):
			rows = append(rows, "s0")
		case strings.Contains(line, `"id":"m0"`):
			rows = append(rows, "m0")
		default:
			rows = append(rows, strings.TrimPrefix(line, "opencode.db: "))
		}
	}
	assert.Equal(t, []string{"begins, nightly/", "s0", "end", "begins, nightly/", "replayed", "m0", "end"}, rows)
}

// TestFollowFails: a stream that fails ends the reading of all files.
func TestFollowFails(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte("one\n"), 0o600))
	s := settings(&log{fails: "one"}, nil, io.Discard)
	s.Follow = true
	assert.ErrorIs(t, s.Run(t.Context(), []string{dir}), errWrite)
}
