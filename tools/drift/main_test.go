package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// page is a made-up document; the parser is the real one of Claude Code.
const page = "Types of 1.2.3.\n\n## Records\n\n| type | becomes |\n|---|---|\n| `user`, `system` | Text |\n| `notice` | ignored: not by the parser |\n"

func docsFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "claude.md"), []byte(page), 0o600))
	return dir
}

func TestCompare(t *testing.T) {
	all := []check{
		{pkg: "one", file: "types.d.ts", root: "Union", path: typePath, provider: "claude", headings: []string{"Records"}, line: `{"type":%q,"subtype":"init"}`},
		{pkg: "one", file: "types.d.ts", root: "SystemInit", path: typePath, provider: "claude", headings: []string{"Records"}},
	}
	fetched := 0
	fetch := func(_ context.Context, name string) (*pack, error) {
		fetched++
		return &pack{name: name, version: "1.2.4", files: map[string]string{"types.d.ts": source(t) + "type Union = Message | {type: 'hologram'};"}}, nil
	}
	var out strings.Builder
	found, err := compare(t.Context(), all, docsFolder(t), fetch, &out)
	require.NoError(t, err)
	assert.Equal(t, 1, fetched, "a package is fetched once")
	assert.Equal(t, 3, found)
	assert.Equal(t, `one 1.2.4, types.d.ts, Union.type: 5 names, 3 unknown
  docs/formats/claude.md names another version
  assistant (not in the table)
  hologram (new)
  notice (not in the parser)
one 1.2.4, types.d.ts, SystemInit.type: 1 names, 0 unknown
  docs/formats/claude.md names another version
`, out.String())
}

func TestCompareTellsAllErrors(t *testing.T) {
	all := []check{
		{pkg: "gone", file: "types.d.ts", root: "Message", path: typePath, provider: "claude", headings: []string{"Records"}},
		{pkg: "moved", file: "other.d.ts", root: "Message", path: typePath, provider: "claude", headings: []string{"Records"}},
		{pkg: "renamed", file: "types.d.ts", root: "Gone", path: typePath, provider: "claude", headings: []string{"Records"}},
		{pkg: "undocumented", file: "types.d.ts", root: "Message", path: typePath, provider: "claude", headings: []string{"Recrods"}},
	}
	fetch := func(_ context.Context, name string) (*pack, error) {
		if name == "gone" {
			return nil, errors.New("no such package")
		}
		return &pack{name: name, version: "1", files: map[string]string{"types.d.ts": source(t)}}, nil
	}
	_, err := compare(t.Context(), all, docsFolder(t), fetch, &strings.Builder{})
	for _, want := range []string{"no such package", "read moved 1: no file other.d.ts", "no type Gone", `read table "Recrods"`} {
		assert.ErrorContains(t, err, want)
	}
}

// TestOurTables checks that each check finds its tables in our documents, and that the parser that it uses knows their
// contents.
func TestOurTables(t *testing.T) {
	for _, c := range checks() {
		data, err := os.ReadFile(filepath.Join("..", "..", "docs", "formats", c.provider+".md"))
		require.NoError(t, err)
		k, err := c.known(string(data), "no_such_type")
		require.NoError(t, err, "%s %s", c.provider, c.headings)
		assert.Equal(t, knowledge{}, k, "%s %s %s", c.provider, c.root, c.line)
	}
}

func TestWithoutNPM(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var stdout, stderr bytes.Buffer
	assert.Equal(t, exitError, run(t.Context(), docsFolder(t), &stdout, &stderr))
	assert.Equal(t, "drift: npm is not installed: it fetches the packages that hold the published types (https://nodejs.org)\n", stderr.String())
	assert.Empty(t, stdout.String())
}

// TestFetch runs a fake npm, which answers like npm: with warnings before the result.
func TestFetch(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the made npm is a shell script")
	}
	bin, dir := t.TempDir(), t.TempDir()
	archive := filepath.Join(bin, "made.tgz")
	require.NoError(t, os.WriteFile(archive, packed(t, map[string]string{
		"package/dist/types.d.ts": source(t), "package/dist/types.js": "nothing", "package/package.json": "{}",
	}), 0o600))
	script := "#!/bin/sh\ncase \"$1 $2\" in\n'view made') echo 1.2.3 ;;\n'pack made@1.2.3') echo a warning; cp " + archive +
		" \"$6\"/made.tgz && echo made.tgz ;;\n*) echo \"no such package\" >&2; exit 1 ;;\nesac\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "npm"), []byte(script), 0o700))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	client, err := newNPM(dir)
	require.NoError(t, err)
	p, err := client.fetch(t.Context(), "made")
	require.NoError(t, err)
	assert.Equal(t, &pack{name: "made", version: "1.2.3", files: map[string]string{"dist/types.d.ts": source(t)}}, p)
	_, err = client.fetch(t.Context(), "unknown")
	assert.EqualError(t, err, "run npm view unknown: exit status 1: no such package")
}

func TestDeclarationFilesOfATornPackage(t *testing.T) {
	whole := packed(t, map[string]string{"package/a.d.ts": source(t)})
	_, err := declarationFiles(bytes.NewReader(whole[:len(whole)/2]))
	assert.Error(t, err)
	_, err = declarationFiles(strings.NewReader("no archive"))
	assert.Error(t, err)
}

func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var buffer bytes.Buffer
	zipped := gzip.NewWriter(&buffer)
	archive := tar.NewWriter(zipped)
	for name, text := range files {
		require.NoError(t, archive.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(text))}))
		_, err := archive.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, errors.Join(archive.Close(), zipped.Close()))
	return buffer.Bytes()
}
