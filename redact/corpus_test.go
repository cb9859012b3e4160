package redact_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/redact"
)

// made lists the files of the corpus that contain made-up secrets, with the number of changed lines.
var made = map[string]int{
	"../testdata/claude/case-secrets-in-arguments.jsonl": 2,
	"../cmd/tailspan/doctor_test.go":                     1,
	"../cmd/tailspan/internal/otlphttp/answers_test.go":  3,
	"../cmd/tailspan/internal/otlphttp/exporter_test.go": 3,
	"../cmd/tailspan/metricexport_test.go":               1,
	"../cmd/tailspan/run_endpoint_test.go":               1,
	"../receiver/agentstreamreceiver/redaction_test.go":  1,
}

// TestCorpus checks precision: in our sources, documents and fixtures only made-up secrets are redacted. It skips the
// folder of this package, whose tests are full of them.
func TestCorpus(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	bytes := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch {
			case path == "../redact", path == "../bin", path == "../build", strings.HasPrefix(d.Name(), ".") && path != "..":
				return filepath.SkipDir
			}
			return nil
		}
		switch filepath.Ext(path) {
		case ".go", ".md", ".jsonl", ".golden", ".yaml", ".json", ".mod", ".sum":
		default:
			return nil
		}
		if path == "../docs/redaction.md" || strings.Contains(path, "case-secrets-in-arguments") && filepath.Ext(path) == ".golden" {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		bytes += len(b)
		changed := 0
		for n, line := range strings.Split(string(b), "\n") {
			if got := r.String(line); got != line {
				if changed++; changed > made[path] {
					t.Errorf("%s:%d:\n got %s\nwant %s", path, n+1, got, line)
				}
			}
		}
		if made[path] == 0 {
			assert.Equal(t, string(b), r.String(string(b)), path)
		}
		assert.Equal(t, made[path], changed, path)
		return nil
	}))
	t.Logf("%d bytes of this repository", bytes)
	assert.Greater(t, bytes, 1<<20)
}
