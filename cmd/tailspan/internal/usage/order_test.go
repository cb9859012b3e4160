package usage

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
)

// TestGroups tests unexported names, because a report does not show which files were read one after the other. Files are about the
// same work if they share a session, and a database or folder of OpenCode has all its sessions.
func TestGroups(t *testing.T) {
	fixtures := filepath.Join("..", "..", "..", "..", "testdata", "opencode")
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	packed, err := os.Open(filepath.Join(fixtures, "db", "sample.opencode.db.gz"))
	require.NoError(t, err)
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	require.NoError(t, err)
	content, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	stream := func(name, session string) string {
		return write(name, `{"type":"step_start","timestamp":1795812891382,"sessionID":"`+session+`","part":{"id":"prt_`+name+`","messageID":"msg_`+name+`","sessionID":"`+session+`","type":"step-start"}}`+"\n")
	}
	database, tree := write("opencode.db", string(content)), filepath.Join(fixtures, "subagent-1.1.65.storage")
	ofDatabase := []string{stream("1", "ses_de136471affeLOdSvebkKsleI0"), stream("2", "ses_de13136a7ffenc710iEuMAy9qU")}
	ofTree := stream("3", "ses_de12bedf9ffenjKw9wyzIfUCdk")
	alone := []string{stream("4", "ses_another"), stream("5", "ses_yet_another")}

	r := &reader{Settings: Settings{Provider: "auto", MaxLine: input.DefaultMaxLine}}
	var heads []head
	for _, name := range []string{ofDatabase[0], ofDatabase[1], database, ofTree, tree, alone[0], alone[1]} {
		heads = append(heads, r.head(name))
	}
	var got [][]string
	for _, g := range groupsOf(heads) {
		got = append(got, g.files)
	}
	assert.Equal(t, [][]string{{database, ofDatabase[0], ofDatabase[1]}, {tree, ofTree}, {alone[0]}, {alone[1]}}, got)
}
