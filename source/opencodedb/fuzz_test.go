package opencodedb_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/source/opencodedb"
)

// FuzzOpen reads files that may be no database, or a broken one: there are rows, each one JSON object, and perhaps an
// error, and it ends.
func FuzzOpen(f *testing.F) {
	w := newWriter(f, "delete")
	w.session("ses_1", "")
	w.message("msg_1", "ses_1", `{"role":"user"}`)
	w.part("prt_1", "msg_1", "ses_1", `{"type":"text"}`)
	w.exec("VACUUM")
	whole, err := os.ReadFile(w.path)
	require.NoError(f, err)
	for i := 0; i < len(whole); i += len(whole)/20 + 1 {
		broken := append([]byte(nil), whole...)
		broken[i] ^= 0xff
		f.Add(broken)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Fuzz(func(t *testing.T, file []byte) {
		path := filepath.Join(t.TempDir(), "opencode.db")
		require.NoError(t, os.WriteFile(path, file, 0o600))
		require.NoError(t, os.Chtimes(path, longAgo, longAgo))
		r, err := opencodedb.Open(path, opencodedb.Settings{})
		if err != nil {
			return
		}
		rows := bufio.NewScanner(r)
		rows.Buffer(nil, 1<<24)
		for rows.Scan() {
			if !json.Valid(rows.Bytes()) {
				t.Errorf("no JSON: %q", rows.Text())
			}
		}
		require.NoError(t, r.Close())
	})
}
