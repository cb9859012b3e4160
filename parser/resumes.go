package parser

import (
	"path"
	"slices"
	"strings"
)

// resuming describes how to make a program continue an earlier session, whose tokens are then part of the totals in its
// stream. It lists only programs whose streams have such totals.
type resuming struct {
	program string
	// words are the subcommands that follow command.
	command string
	words   []string
	flags   []string
}

// resumings were read from the programs: Codex 0.171.0 (S9-resume, S9-fork of the captures), Qwen Code 0.15.10 and 0.24.4.
var resumings = [...]resuming{
	{program: "codex", command: "exec", words: []string{"resume", "fork"}},
	{program: "qwen", flags: []string{"--continue", "-c", "--resume", "-r"}},
}

// ResumesTotals reports whether a command starts a program that continues an earlier session and whose stream counts the
// tokens of that session from its beginning. The stream itself does not show this.
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

// programOf returns the name of the program whose path is word.
func programOf(word string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe")
}
