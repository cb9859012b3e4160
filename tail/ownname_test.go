package tail_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/tail"
)

// TestOwnName: whose work a file is may be told by its path, so a link that someone puts elsewhere never names it, whichever
// of the two is found first.
func TestOwnName(t *testing.T) {
	for _, folder := range []string{"a", "z"} { // before and behind the file's own
		for name, link := range map[string]func(w *world){
			"link to the file":   func(w *world) { require.NoError(w, os.Symlink(w.path("m/file.jsonl"), w.path(folder+"/link.jsonl"))) },
			"link to its folder": func(w *world) { require.NoError(w, os.Symlink(w.path("m"), w.path(folder+"/below"))) },
		} {
			t.Run(folder+" "+name, func(t *testing.T) {
				w := newWorld(t)
				require.NoError(t, os.MkdirAll(w.path(folder), 0o700))
				w.mkdir("m")
				w.put("m/file.jsonl", "one\n")
				link(w)
				w.begin(func(s *tail.Settings) { s.Include = []string{w.path("*/*.jsonl"), w.path("*/*/*.jsonl")} })
				w.sink.until(t, "the line", func() bool { return len(w.sink.all()) == 1 })
				w.add("m/file.jsonl", "two\n")
				w.sink.until(t, "the other line", func() bool { return len(w.sink.all()) == 2 })
				opened := w.sink.opened()
				require.Len(t, opened, 1)
				assert.Equal(t, filepath.Clean(w.path("m/file.jsonl")), opened[0].Path)
			})
		}
	}
}

// TestNamedLink: a pattern without wildcards may name a link.
func TestNamedLink(t *testing.T) {
	w := newWorld(t)
	w.mkdir("m")
	w.put("m/file.jsonl", "one\n")
	require.NoError(t, os.Symlink(w.path("m/file.jsonl"), w.path("latest.jsonl")))
	w.begin(func(s *tail.Settings) { s.Include = []string{w.path("latest.jsonl")} })
	w.sink.until(t, "the line", func() bool { return len(w.sink.all()) == 1 })
}
