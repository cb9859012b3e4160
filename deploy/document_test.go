package deploy_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// link is a Markdown link to something in this repository; its anchor is not looked at.
var link = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)\s]*)?\)`)

func TestDocumentLinks(t *testing.T) {
	links := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"bin", "build"}, d.Name())) {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		for _, found := range link.FindAllStringSubmatch(readText(t, path), -1) {
			links++
			_, err := os.Stat(filepath.Join(filepath.Dir(path), found[1]))
			assert.NoError(t, err, path)
		}
		return nil
	}))
	assert.NotZero(t, links)
}

// TestDocumentedTargets holds the make targets that the documents name to the Makefile.
func TestDocumentedTargets(t *testing.T) {
	targets := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^([a-z-]+):.*## `).FindAllStringSubmatch(readText(t, "../Makefile"), -1) {
		targets[found[1]] = true
	}
	for _, found := range regexp.MustCompile(`(?m)^\$\(BIN\)(/[a-z-]+):`).FindAllStringSubmatch(readText(t, "../Makefile"), -1) {
		targets["bin"+found[1]] = true
	}
	documents, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	for _, path := range append(documents, "../README.md", "../CONTRIBUTING.md", "../.ci/run") {
		for _, found := range regexp.MustCompile("(?:`|\\$ |step )make ([a-z][a-z/-]*)").FindAllStringSubmatch(readText(t, path), -1) {
			assert.True(t, targets[found[1]], "%s names make %s", path, found[1])
		}
	}
}

// TestArchitecture holds the files, folders and tests that docs/architecture.md names to those that exist.
func TestArchitecture(t *testing.T) {
	text := readText(t, "../docs/architecture.md")
	paths, tests := 0, 0
	for _, found := range regexp.MustCompile("`([a-z][\\w.-]*(?:/[\\w.-]+)+)/?`").FindAllStringSubmatch(text, -1) {
		paths++
		_, err := os.Stat(filepath.Join("..", found[1]))
		assert.NoError(t, err)
	}
	declared := map[string]bool{}
	require.NoError(t, filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(readText(t, path), -1) {
				declared[found[1]] = true
			}
		}
		return err
	}))
	for _, found := range regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(text, -1) {
		tests++
		assert.True(t, declared[found[1]], "no test %s", found[1])
	}
	assert.NotZero(t, paths)
	assert.NotZero(t, tests)
}
