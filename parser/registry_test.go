package parser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser"
)

// TestEveryProviderIsTested checks that a registered provider has fixtures with golden events, the tests that all
// parsers share, fuzz targets and a benchmark.
func TestEveryProviderIsTested(t *testing.T) {
	for _, name := range parser.Names() {
		if name == parser.Auto || name == parser.None {
			continue
		}
		fixtures, err := filepath.Glob(filepath.Join("..", "testdata", folderOf(name), "*.jsonl"))
		require.NoError(t, err)
		assert.NotEmpty(t, fixtures, "%s has no fixture", name)
		for _, fixture := range fixtures {
			assert.FileExists(t, strings.TrimSuffix(fixture, ".jsonl")+".events.golden")
		}
		tests, err := filepath.Glob(filepath.Join(folderOf(name), "*_test.go"))
		require.NoError(t, err)
		var all strings.Builder
		for _, file := range tests {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			all.Write(data)
		}
		for _, want := range []string{"parsertest.Golden(", "parsertest.Prefixes(", "parsertest.Torn(", "parsertest.Kept(", "func FuzzParse(", "func BenchmarkParse("} {
			assert.True(t, strings.Contains(all.String(), want), "tests of %s have no %s", name, want) //nolint:testifylint // Contains would print them
		}
	}
}

// TestEveryProviderIsDocumented checks that a registered provider has a page with a table of its types, that the list of
// documents links to it, and that the README and the page say which provider does not stream.
func TestEveryProviderIsDocumented(t *testing.T) {
	for _, name := range parser.Names() {
		if name == parser.Auto || name == parser.None {
			continue
		}
		hasText(t, filepath.Join("..", "docs", "formats", name+".md"), "\n| type |")
		hasText(t, filepath.Join("..", "docs", "README.md"), "](formats/"+name+".md)")
	}
	readme := filepath.Join("..", "README.md")
	hasText(t, readme, "arrive in one burst, after the response has completed")
	hasText(t, readme, "(docs/formats/openai_compatible.md#cadence-one-burst-after-the-response)")
}

// hasText holds that a document has a text.
func hasText(t *testing.T, path, want string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, strings.Contains(string(data), want), "%s has no %q", path, want) //nolint:testifylint // Contains would print the document
}

// folderOf returns the folder of a provider, here and in testdata.
func folderOf(name string) string { return strings.TrimSuffix(name, "_compatible") }

// TestFixturesAreDetected checks that "auto" detects the provider of each fixture from its first lines.
func TestFixturesAreDetected(t *testing.T) {
	fixtures, err := filepath.Glob(filepath.Join("..", "testdata", "*", "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, fixtures)
	for _, fixture := range fixtures {
		want := filepath.Base(filepath.Dir(fixture))
		data, err := os.ReadFile(fixture)
		require.NoError(t, err)
		s := newSource(t, parser.Auto)
		for line := range strings.Lines(string(data)) {
			s.ParseEvents([]byte(strings.TrimSuffix(line, "\n")))
		}
		assert.Equal(t, want, folderOf(s.Provider()), fixture)
	}
}

// TestParentSession: if a provider's folders link sub-agents' transcripts to a session, the path identifies the session.
func TestParentSession(t *testing.T) {
	for path, want := range map[string]string{
		"/home/dev/.gemini/tmp/shop/chats/session-2026-11-27T20-49-2b487b43.jsonl": "",
		"/home/dev/.gemini/tmp/shop/chats/2b487b43-440b/19a4a5ba.jsonl":            "2b487b43-440b",
		`C:\Users\dev\.gemini\tmp\shop\chats\2b487b43-440b\iziw87.json`:            "2b487b43-440b",
		"chats/2b487b43-440b/iziw87.json":                                          "2b487b43-440b",
		"iziw87.json":                                                              "",
		"":                                                                         "",
	} {
		assert.Equal(t, want, parser.ParentSession("gemini", path), path)
		assert.Empty(t, parser.ParentSession("claude", path))
	}
	for _, name := range parser.Names() {
		assert.Equal(t, parser.ParentSession(name, "chats/s/a") != "", parser.InfoOf(name).Folders, name)
	}
}
