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

// transcripts matches the file names of transcripts.
const transcripts = "*.{json,jsonl}{,.gz,.zst}"

// Related returns files near a session that may hold transcripts of its sub-agents. It looks in folders named after the file or
// the session (Claude Code 2.1, Gemini CLI 0.39, Qwen Code 0.24), and in the file's own folder for files that name the session as
// their parent (Claude Code 2.0, Codex). It leaves out the session's other files.
func Related(path string, sessions []string) []string {
	dir, name := filepath.Split(path)
	stem, _, _ := strings.Cut(name, ".json")
	dir = place.Escape(dir)
	within := []string{filepath.Join(dir, place.Escape(stem), "**", transcripts)}
	for _, id := range sessions {
		if id == "." || id == ".." || strings.ContainsAny(id, `/\`) {
			continue // the ID comes from the file, and it is no valid folder name
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

// match returns at most maxCandidates files that match.
func match(glob string) []string {
	found, err := doublestar.FilepathGlob(filepath.Clean(glob), doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	if err != nil {
		return nil // an ID is no pattern
	}
	found = slices.DeleteFunc(found, func(path string) bool {
		info, err := os.Stat(path) // opening a pipe blocks until it has a writer
		return err != nil || !info.Mode().IsRegular()
	})
	return found[:min(len(found), maxCandidates)]
}

// isSubagent reports whether a file begins as one of a sub-agent of one of the sessions. Claude Code marks it by the file's name
// or in the first line, with the ID of the session; Codex names the session's ID as the parent.
func isSubagent(path string, sessions []string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head, _ := io.ReadAll(io.LimitReader(file, headBytes)) // a read error is reported when the session is read
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
