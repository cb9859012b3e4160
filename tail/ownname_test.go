package tail_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/tail"
)

// TestOwnName: the path may identify whose work a file is, so a link elsewhere never names it, whichever of the two is found
// first.
func TestOwnName(t *testing.T) {
	for _, folder := range []string{"a", "z"} { // before and after the file's own
		for name, link := range map[string]func(w *world){
			"link to the file": func(w *world) {
				require.NoError(w, os.Symlink(w.Path("m/file.jsonl"), w.Path(folder+"/link.jsonl")))
			},
			"link to its folder": func(w *world) { require.NoError(w, os.Symlink(w.Path("m"), w.Path(folder+"/below"))) },
		} {
			t.Run(folder+" "+name, func(t *testing.T) {
				w := newWorld(t)
				require.NoError(t, os.MkdirAll(w.Path(folder), 0o700))
				w.Mkdir("m")
				w.Put("m/file.jsonl", "one\n")
				link(w)
				w.begin(func(s *tail.Settings) { s.Include = []string{w.Path("*/*.jsonl"), w.Path("*/*/*.jsonl")} })
				w.Sink.Until(t, "the line", func() bool { return len(w.Sink.All()) == 1 })
				w.Add("m/file.jsonl", "two\n")
				w.Sink.Until(t, "the other line", func() bool { return len(w.Sink.All()) == 2 })
				opened := w.Sink.Opened()
				require.Len(t, opened, 1)
				assert.Equal(t, filepath.Clean(w.Path("m/file.jsonl")), opened[0].Path)
			})
		}
	}
}

// TestNamedLink: a pattern without wildcards may name a link.
func TestNamedLink(t *testing.T) {
	w := newWorld(t)
	w.Mkdir("m")
	w.Put("m/file.jsonl", "one\n")
	require.NoError(t, os.Symlink(w.Path("m/file.jsonl"), w.Path("latest.jsonl")))
	w.begin(func(s *tail.Settings) { s.Include = []string{w.Path("latest.jsonl")} })
	w.Sink.Until(t, "the line", func() bool { return len(w.Sink.All()) == 1 })
}
