package parser

import (
	"path"
	"slices"
	"strings"
)

// resuming is how a program is asked to go on with an earlier session, whose tokens the totals of its stream hold then: only
// programs whose streams have such totals are here.
type resuming struct {
	program string
	// words are commands behind command.
	command string
	words   []string
	flags   []string
}

// resumings are from the programs: Codex 0.171.0 (S9-resume, S9-fork of the captures), Qwen Code 0.15.10 and 0.24.4.
var resumings = [...]resuming{
	{program: "codex", command: "exec", words: []string{"resume", "fork"}},
	{program: "qwen", flags: []string{"--continue", "-c", "--resume", "-r"}},
}

// ResumesTotals reports whether a command starts a program that goes on with an earlier session, and whose stream reports the
// tokens of that session from its beginning. Nothing in the stream shows it.
func ResumesTotals(command []string) bool {
	for i, word := range command {
		for _, r := range resumings {
			if r.program == programOf(word) {
				return r.in(command[i+1:])
			}
		}
	}
	return false
}

func (r *resuming) in(words []string) bool {
	if end := slices.Index(words, "--"); end >= 0 {
		words = words[:end]
	}
	if r.command != "" {
		at := slices.Index(words, r.command)
		if at < 0 {
			return false
		}
		words = words[at+1:]
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains(r.words, w) || slices.ContainsFunc(r.flags, func(flag string) bool { return has([]string{w}, flag) })
	})
}

// programOf is the name of a program whose path is an argument of a command line.
func programOf(word string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe")
}
