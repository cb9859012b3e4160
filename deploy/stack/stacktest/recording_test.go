package stacktest_test

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // OpenCode's database

	"github.com/tailspan/tailspan/tools/replay"
)

// recording is a case of testdata/spans: files and their expected results.
type recording struct {
	name string
	dir  string

	Files    []recordedFile `json:"files"`
	Command  string         `json:"command"`
	Script   string         `json:"script"`
	Include  []string       `json:"include"`
	Receiver map[string]any `json:"receiver"`

	truth truth
}

// recordedFile is a file of a recording and its destination.
type recordedFile struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// truth is the content of expect.json.
type truth struct {
	Runs []struct {
		Outcome any            `json:"outcome"` // a word, a list of them, or null
		Cost    *float64       `json:"cost_usd"`
		Tokens  map[string]any `json:"tokens"`
	} `json:"runs"`
	MoreRuns bool           `json:"more_runs"`
	Cost     *float64       `json:"-"` // of all runs
	Tokens   map[string]any `json:"tokens"`
}

// tokens sums up the tokens of a type; known is false if the truth does not give them.
func (t truth) tokens(kind string) (sum float64, known bool) {
	if n, ok := t.Tokens[kind].(float64); ok {
		return n, true
	}
	if t.Tokens[kind] != nil || len(t.Runs) == 0 || t.MoreRuns {
		return 0, false
	}
	for _, run := range t.Runs {
		n, ok := run.Tokens[kind].(float64)
		if !ok {
			return 0, false
		}
		sum += n
	}
	return sum, true
}

func (t truth) cost() (sum float64, known bool) {
	if t.Cost != nil {
		return *t.Cost, true
	}
	if len(t.Runs) == 0 || t.MoreRuns {
		return 0, false
	}
	for _, run := range t.Runs {
		if run.Cost == nil {
			return 0, false
		}
		sum += *run.Cost
	}
	return sum, true
}

// outcomes counts the runs by outcome; known is false if a run may have one of several.
func (t truth) outcomes() (map[string]int, bool) {
	if len(t.Runs) == 0 || t.MoreRuns {
		return nil, false
	}
	all := map[string]int{}
	for _, run := range t.Runs {
		word, ok := run.Outcome.(string)
		if !ok {
			return nil, false
		}
		all[word]++
	}
	return all, true
}

// readRecordings reads the cases whose input is files; those with a command or a script need more than a stack.
func readRecordings(t *testing.T) []recording {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "testdata", "spans", "*", "case.json"))
	require.NoError(t, err)
	var all []recording
	for _, path := range paths {
		r := recording{dir: filepath.Dir(path), name: filepath.Base(filepath.Dir(path))}
		readJSON(t, path, &r)
		readJSON(t, filepath.Join(r.dir, "expect.json"), &r.truth)
		if r.Command == "" && r.Script == "" {
			all = append(all, r)
		}
	}
	require.NotEmpty(t, all)
	return all
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into), path)
}

// write writes the files of a recording below folder/<name>/1, with separate IDs and as if the recording had just ended.
func (r recording) write(t *testing.T, folder string, now time.Time) {
	t.Helper()
	texts, last := map[string]string{}, time.Time{}
	for _, file := range r.Files {
		from := filepath.Join(r.dir, file.From)
		if strings.HasPrefix(file.From, "../") {
			from = filepath.Join(filepath.Dir(r.dir), file.From)
		}
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		texts[file.To] = string(text)
		if _, end, ok := replay.Times(string(text)); ok && end.After(last) {
			last = end
		}
	}
	stamp := replay.Stamp{Seed: r.name}
	if !last.IsZero() {
		stamp.Shift = now.Sub(last)
	}
	for _, file := range r.Files {
		to := filepath.Join(folder, r.name, "1", stamp.Apply(file.To))
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		text := stamp.Apply(texts[file.To])
		if filepath.Ext(file.From) == ".sql" {
			writeDatabase(t, to, text)
			continue
		}
		require.NoError(t, os.WriteFile(to, []byte(text), 0o600))
	}
}

func writeDatabase(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), statements)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}
