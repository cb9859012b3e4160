package recorded

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Limits of the search for related files.
const (
	maxCandidates = 2000
	headBytes     = 64 << 10
)

// transcripts match what transcripts are called.
const transcripts = "*.{json,jsonl}{,.gz,.zst}"

// Related returns the files near that of a session in which its sub-agents may have transcripts of their own: in a folder that has
// the name of the file or of the session (Claude Code 2.1, Gemini CLI 0.39, Qwen Code 0.24), and in the folder of the file, where
// they begin with the id of the session (Claude Code 1 and 2.0, Codex).
func Related(path string, sessions []string) []string {
	dir, name := filepath.Split(path)
	stem, _, _ := strings.Cut(name, ".json")
	within := []string{filepath.Join(dir, escapeGlob(stem), "**", transcripts)}
	for _, id := range sessions {
		if id == "." || id == ".." || strings.ContainsAny(id, `/\`) {
			continue // the file's own words, which name no folder
		}
		id = escapeGlob(id)
		within = append(within, filepath.Join(dir, id, transcripts), filepath.Join(dir, "..", "subagents", id, transcripts))
	}
	var files []string
	for _, glob := range within {
		files = append(files, match(glob)...)
	}
	for _, candidate := range match(filepath.Join(dir, transcripts)) {
		if names(candidate, sessions) {
			files = append(files, candidate)
		}
	}
	slices.Sort(files)
	return slices.DeleteFunc(slices.Compact(files), func(file string) bool { return same(file, path) })
}

// match returns the files that match, at most maxCandidates.
func match(glob string) []string {
	found, err := doublestar.FilepathGlob(filepath.Clean(glob), doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	if err != nil {
		return nil // an id is no pattern
	}
	return found[:min(len(found), maxCandidates)]
}

// escapeGlob makes a name match itself alone.
func escapeGlob(name string) string {
	var b strings.Builder
	for _, c := range name {
		if strings.ContainsRune(`\*?[]{}`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// names reports whether the beginning of a file has the id of a session in quotes.
func names(path string, sessions []string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head, _ := io.ReadAll(io.LimitReader(file, headBytes)) // reading the session reports what fails
	return slices.ContainsFunc(sessions, func(id string) bool { return bytes.Contains(head, []byte(`"`+id+`"`)) })
}

func same(a, b string) bool {
	if a == b {
		return true
	}
	first, err1 := os.Stat(a)
	second, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(first, second)
}
