// Package goldentest compares what a test made with a golden file, and rewrites the file under -update.
//
// Run `make golden` to rewrite: it names the packages that use this helper, since Go refuses a flag that a test binary
// does not know.
package goldentest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Compare fails the test if got differs from the file at path, and prints the difference. Under -update it writes the
// file instead, and its folder.
func Compare(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "make golden writes it")
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}
