package fileset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/errorlog"
	"github.com/tailspan/tailspan/internal/files/inventory"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/files/stream"
	"github.com/tailspan/tailspan/tail/internal/fileset"
)

// BenchmarkRescan scans 10,000 unchanged files in 50 folders once; the baseline is a walk of the standard library that stats
// each file.
func BenchmarkRescan(b *testing.B) {
	dir := b.TempDir()
	const folders, perFolder = 50, 200
	for i := range folders {
		folder := filepath.Join(dir, fmt.Sprintf("project-%d", i))
		if err := os.Mkdir(folder, 0o700); err != nil {
			b.Fatal(err)
		}
		for j := range perFolder {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%032d.jsonl", j)), []byte("line\n"), 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("rescan", func(b *testing.B) {
		g, err := discover.NewGlobs([]string{filepath.Join(dir, "**", "*.jsonl")}, nil)
		if err != nil {
			b.Fatal(err)
		}
		settings := fileset.Settings{
			StartAtEnd: true, Workers: 4, Descriptors: openfile.NewDescriptors(), Observer: stream.Observer{}.WithDefaults(), Logger: zap.NewNop(),
		}
		seen, err := inventory.Load(b.Context(), nil, "seen", nil, &g)
		if err != nil {
			b.Fatal(err)
		}
		set := fileset.New(settings, &g, &seen, errorlog.New(settings.Logger))
		first := true
		look := func() int {
			n := 0
			s := &discover.Scan{Globs: &g, Stop: make(chan struct{}), Yield: func(files []discover.Found) {
				for _, one := range files {
					set.Found(one, first)
				}
				n += len(files)
			}}
			s.All()
			return n
		}
		look()
		first = false
		b.ReportAllocs()
		for b.Loop() {
			if n := look(); n != folders*perFolder {
				b.Fatalf("found %d files", n)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/folders/perFolder, "ns/file")
	})
	b.Run("walkdir", func(b *testing.B) {
		for b.Loop() {
			n := 0
			err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					_, err = d.Info()
					n++
				}
				return err
			})
			if err != nil || n != folders*perFolder {
				b.Fatalf("found %d files: %v", n, err)
			}
		}
	})
}
