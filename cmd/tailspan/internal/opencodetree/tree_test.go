package opencodetree_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/opencodetree"
	"github.com/tailspan/tailspan/internal/goldentest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const fixtures = "../../../../testdata/opencode"

// TestRows compares the rows of real trees with fixtures of the parser.
func TestRows(t *testing.T) {
	for _, name := range []string{"parity-0.5.29.project", "failures-1.1.65.storage", "subagent-1.1.65.storage"} {
		t.Run(name, func(t *testing.T) {
			r, err := opencodetree.Open(filepath.Join(fixtures, name))
			require.NoError(t, err)
			defer r.Close()
			rows, err := io.ReadAll(r)
			require.NoError(t, err)
			goldentest.Compare(t, filepath.Join(fixtures, name+".jsonl"), string(rows))
		})
	}
}

// TestEveryLevel expects the same rows for a tree whatever the level of the folder that is passed.
func TestEveryLevel(t *testing.T) {
	home := t.TempDir()
	copyTree(t, filepath.Join(fixtures, "subagent-1.1.65.storage"), filepath.Join(home, "storage"))
	copyTree(t, filepath.Join(fixtures, "parity-0.5.29.project"), filepath.Join(home, "project"))
	newer, older := read(t, filepath.Join(home, "storage")), read(t, filepath.Join(home, "project"))
	slug := filepath.Join(home, "project", "home-dev-opencode-shop")
	assert.Equal(t, older, read(t, slug))
	assert.Equal(t, older, read(t, filepath.Join(slug, "storage")))
	assert.Equal(t, older, read(t, filepath.Join(slug, "storage", "session")))
	both := read(t, home)
	assert.Len(t, both, len(newer)+len(older))
	assert.ElementsMatch(t, append(newer, older...), both)
	for _, no := range []string{filepath.Join(home, "storage", "part"), t.TempDir(), filepath.Join(fixtures, "parity.jsonl")} {
		_, err := opencodetree.Open(no)
		assert.ErrorIs(t, err, opencodetree.ErrNoTree, no)
	}
	_, err := opencodetree.Open(filepath.Join(home, "nowhere"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// TestMadeTree checks the order of rows and the handling of odd files.
func TestMadeTree(t *testing.T) {
	root := t.TempDir()
	files := map[string]string{
		"session/p1/ses_b.json":       `{"id":"ses_b","time":{"created":200},"version":"1.0.0","directory":"/home/dev/<shop>"}`,
		"session/p1/ses_a.json":       `{"id":"ses_a","time":{"created":100}}`,
		"session/p2/ses_child.json":   `{"id":"ses_child","parentID":"ses_a","time":{"created":50},"title":"T"}`,
		"session/p2/ses_torn.json":    `{"id":"ses_torn","ti`,
		"session/p2/notes.txt":        `not ours`,
		"message/ses_a/msg_2.json":    "{\n  \"role\": \"user\"\n}",
		"message/ses_a/msg_1.json":    `{"role":"assistant"`,
		"message/ses_lost/msg_9.json": `{"role":"user"}`,
		"message/ses_torn/msg_0.json": `{"role":"user"}`,
		"part/msg_1/prt_2.json":       `{"type":"text","text":"<b> \u001b"}`,
		"part/msg_1/prt_1.json":       "\xff",
		"part/msg_orphan/prt_9.json":  `{"type":"text"}`,
		"migration":                   "2",
	}
	for name, content := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(content), 0o600))
	}
	require.NoError(t, os.Symlink(filepath.Join(root, "migration"), filepath.Join(root, "part/msg_1/prt_0.json")))
	assert.Equal(t, []string{
		`{"table":"session","id":"ses_torn"}`,
		`{"table":"message","id":"msg_0","session_id":"ses_torn","data":"{\"role\":\"user\"}"}`,
		`{"table":"session","id":"ses_a","time_created":100}`,
		`{"table":"message","id":"msg_1","session_id":"ses_a","data":"{\"role\":\"assistant\""}`,
		`{"table":"part","id":"prt_1","message_id":"msg_1","session_id":"ses_a","data":"\ufffd"}`,
		`{"table":"part","id":"prt_2","message_id":"msg_1","session_id":"ses_a","data":"{\"type\":\"text\",\"text\":\"<b> \\u001b\"}"}`,
		`{"table":"message","id":"msg_2","session_id":"ses_a","data":"{\n  \"role\": \"user\"\n}"}`,
		`{"table":"session","id":"ses_b","directory":"/home/dev/<shop>","version":"1.0.0","time_created":200}`,
		`{"table":"session","id":"ses_child","parent_id":"ses_a","title":"T","time_created":50}`,
		`{"table":"message","id":"msg_9","session_id":"ses_lost","data":"{\"role\":\"user\"}"}`,
	}, read(t, root))
}

// TestUnreadableFile expects all other rows, and then the error.
func TestUnreadableFile(t *testing.T) {
	root := t.TempDir()
	copyTree(t, filepath.Join(fixtures, "subagent-1.1.65.storage"), root)
	all := read(t, root)
	parts, err := filepath.Glob(filepath.Join(root, "part/*/*.json"))
	require.NoError(t, err)
	require.NoError(t, os.Truncate(parts[0], opencodetree.MaxFileBytes+1))
	r, err := opencodetree.Open(root)
	require.NoError(t, err)
	defer r.Close()
	rows, err := io.ReadAll(r)
	require.ErrorContains(t, err, parts[0])
	assert.Equal(t, len(all)-1, strings.Count(string(rows), "\n"))
}

// TestStop checks that a reader that is closed early leaves nothing behind, and that a consumer may stop at any row.
func TestStop(t *testing.T) {
	dir := filepath.Join(fixtures, "subagent-1.1.65.storage")
	r, err := opencodetree.Open(dir)
	require.NoError(t, err)
	_, err = r.Read(make([]byte, 10))
	require.NoError(t, err)
	require.NoError(t, r.Close())
	total := len(read(t, dir))
	for stop := 1; stop <= total; stop++ {
		rows, err := opencodetree.Rows(dir)
		require.NoError(t, err)
		seen := 0
		for row, err := range rows {
			require.NoError(t, err)
			require.True(t, json.Valid(row))
			if seen++; seen == stop {
				break
			}
		}
		require.Equal(t, stop, seen)
	}
}

func read(t *testing.T, dir string) []string {
	t.Helper()
	r, err := opencodetree.Open(dir)
	require.NoError(t, err)
	defer r.Close()
	var rows []string
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			require.Empty(t, line)
			return rows
		}
		require.NoError(t, err)
		rows = append(rows, strings.TrimSuffix(line, "\n"))
	}
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
}
