package parsertest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/goldentest"
)

// Fixtures lists the fixtures of a provider, from a provider's own folder: all files except golden ones and the README.
func Fixtures(t testing.TB, provider string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", provider, "*.*"))
	require.NoError(t, err)
	files = slices.DeleteFunc(files, func(f string) bool {
		info, err := os.Stat(f)
		return err != nil || info.IsDir() || filepath.Ext(f) == ".golden" || filepath.Ext(f) == ".md"
	})
	require.NotEmpty(t, files, "provider %s has no fixture", provider)
	return files
}

// capturesVariable names the environment variable for a folder of further recorded streams, with a folder per provider.
const capturesVariable = "TAILSPAN_CAPTURES"

// Recorded lists the fixtures of a provider and, if TAILSPAN_CAPTURES names a folder, the streams in that folder's
// folder for the provider: files with an expectation (.expect.jsonl) next to them.
func Recorded(t testing.TB, provider, capturesFolder string) []string {
	t.Helper()
	files := Fixtures(t, provider)
	captures := os.Getenv(capturesVariable)
	if captures == "" {
		return files
	}
	const expectation = ".expect.jsonl"
	expected, err := filepath.Glob(filepath.Join(captures, capturesFolder, "*"+expectation))
	require.NoError(t, err)
	require.NotEmpty(t, expected, "%s holds no capture of %s", captures, capturesFolder)
	for _, file := range expected {
		file = strings.TrimSuffix(file, expectation)
		if _, err := os.Stat(file); err != nil {
			file += ".gz"
		}
		if info, err := os.Stat(file); err == nil && !info.IsDir() { // folders are trees, which a source turns into lines
			files = append(files, file)
		}
	}
	return files
}

// Lines reads the lines of a fixture. A .json file is one document, which counts as a line.
func Lines(t testing.TB, file string) [][]byte {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	if plain, ok := strings.CutSuffix(file, ".gz"); ok {
		unpacked, err := gzip.NewReader(bytes.NewReader(data))
		require.NoError(t, err)
		data, err = io.ReadAll(unpacked)
		require.NoError(t, err)
		file = plain
	}
	if filepath.Ext(file) == ".json" {
		return [][]byte{data}
	}
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

// Golden compares the events of each fixture with its .events.golden.
func Golden(t *testing.T, provider string, src func() *Source) {
	for _, file := range Fixtures(t, provider) {
		stem := strings.TrimSuffix(file, filepath.Ext(file))
		t.Run(filepath.Base(stem), func(t *testing.T) {
			s := src()
			perLine, flushed := Feed(t, s, Lines(t, file))
			var b strings.Builder
			for _, line := range slices.Concat(slices.Concat(perLine...), flushed) {
				fmt.Fprintln(&b, line)
			}
			goldentest.Compare(t, stem+".events.golden", b.String())
		})
	}
}

// Prefixes checks that the events of every prefix of a stream are a prefix of the events of the whole stream, except
// for those of Flush.
func Prefixes(t *testing.T, provider string, src func() *Source) {
	for _, file := range Fixtures(t, provider) {
		lines := Lines(t, file)
		whole, _ := Feed(t, src(), lines)
		for n := range lines {
			perLine, _ := Feed(t, src(), lines[:n])
			require.Equal(t, whole[:n], append([][]string{}, perLine...), "%s cut after %d lines", file, n)
		}
	}
}

// Torn checks that a line which is cut anywhere yields no event and counts as malformed, and that the stream then
// continues as if the line had not been there.
func Torn(t *testing.T, provider string, src func() *Source) {
	for _, file := range Fixtures(t, provider) {
		for _, line := range Lines(t, file) {
			if trimmed := bytes.TrimSpace(line); !json.Valid(trimmed) || trimmed[0] != '{' {
				continue
			}
			want := DumpAll(src().ParseEvents(line))
			s := src()
			step := max(1, len(line)/23)
			for cut := 1; cut < len(bytes.TrimSpace(line)); cut += step {
				require.Empty(t, s.ParseEvents(line[:cut]), "%s cut at byte %d", file, cut)
				require.Equal(t, events.LineMalformed, s.LineStatus(), "%s cut at byte %d", file, cut)
			}
			assert.Equal(t, want, DumpAll(s.ParseEvents(line)), "%s after the torn line", file)
		}
	}
}

// Detection checks that detect recognises the fixtures of its provider by a single one of their lines, and no line of
// other providers' fixtures. Files named in silent contain nothing that could show the provider.
func Detection(t *testing.T, provider string, detect func(first [][]byte) bool, silent ...string) {
	folders, err := filepath.Glob(filepath.Join("..", "..", "testdata", "*"))
	require.NoError(t, err)
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			continue
		}
		other := filepath.Base(folder)
		for _, file := range Fixtures(t, other) {
			if ext := filepath.Ext(file); ext != ".jsonl" && ext != ".json" && ext != ".sse" {
				continue
			}
			known := slices.ContainsFunc(Lines(t, file), func(line []byte) bool { return detect([][]byte{line}) })
			want := other == provider && !slices.Contains(silent, filepath.Base(file))
			assert.Equal(t, want, known, file)
		}
	}
}
