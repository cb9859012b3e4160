package recorded

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/place"
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
// they say that they are a sub-agent's of the session (Claude Code 2.0, Codex). Other files of the session are not its sub-agents'.
func Related(path string, sessions []string) []string {
	dir, name := filepath.Split(path)
	stem, _, _ := strings.Cut(name, ".json")
	dir = place.Escape(dir)
	within := []string{filepath.Join(dir, place.Escape(stem), "**", transcripts)}
	for _, id := range sessions {
		if id == "." || id == ".." || strings.ContainsAny(id, `/\`) {
			continue // the file's own words, which name no folder
		}
		id = place.Escape(id)
		within = append(within, filepath.Join(dir, id, transcripts), filepath.Join(dir, "..", "subagents", id, transcripts))
	}
	var files []string
	for _, glob := range within {
		files = append(files, match(glob)...)
	}
	for _, candidate := range match(filepath.Join(dir, transcripts)) {
		if isSubagent(candidate, sessions) {
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
	found = slices.DeleteFunc(found, func(path string) bool {
		info, err := os.Stat(path) // opening a pipe waits for its writer
		return err != nil || !info.Mode().IsRegular()
	})
	return found[:min(len(found), maxCandidates)]
}

// isSubagent reports whether the beginning of a file says that it is a sub-agent's of one of the sessions: for Claude Code by its
// name or a mark in its first line, and the id of the session; for Codex by the id as that of the parent.
func isSubagent(path string, sessions []string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head, _ := io.ReadAll(io.LimitReader(file, headBytes)) // reading the session reports what fails
	first, _, _ := bytes.Cut(head, []byte("\n"))
	sidechain := strings.HasPrefix(filepath.Base(path), "agent-") || sidechainMark.Match(first)
	return slices.ContainsFunc(sessions, func(id string) bool {
		quoted := []byte(`"` + id + `"`)
		if sidechain && bytes.Contains(head, quoted) {
			return true
		}
		return slices.ContainsFunc(parentMark.FindAllIndex(head, -1), func(at []int) bool { return bytes.HasPrefix(head[at[1]:], quoted) })
	})
}

var (
	sidechainMark = regexp.MustCompile(`"isSidechain"\s*:\s*true\b`)
	parentMark    = regexp.MustCompile(`"parent_thread_id"\s*:\s*`)
)

func same(a, b string) bool {
	if a == b {
		return true
	}
	first, err1 := os.Stat(a)
	second, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(first, second)
}
