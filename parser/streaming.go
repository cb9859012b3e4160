package parser

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// streaming describes how to make a provider's program write its stream.
type streaming struct {
	provider string
	// program is the name of the program.
	program string
	// command is the subcommand that the flags follow, if the program has subcommands. It is required, since the others do
	// not write a stream.
	command string
	// flags are the flags to add, each with its value if it has one.
	flags [][]string
	// short maps a flag to another spelling of it.
	short map[string]string
	// partial is a flag that makes the program write messages in pieces too. The program accepts it only with a stream.
	partial string
}

// streamings are from the help texts of the programs: Claude Code 2.1.332, Codex 0.171.0, Gemini CLI 0.61.0, Qwen Code
// 0.15.10 and OpenCode 1.18.33.
var streamings = [...]streaming{
	{
		provider: "claude", program: "claude", flags: [][]string{{"--output-format", "stream-json"}, {"--verbose"}},
		partial: "--include-partial-messages", // otherwise the stream lacks the output tokens of a model call
	},
	{provider: "codex", program: "codex", command: "exec", flags: [][]string{{"--json"}}, short: map[string]string{"--json": "--experimental-json"}},
	{provider: "gemini", program: "gemini", flags: [][]string{{"--output-format", "stream-json"}}, short: map[string]string{"--output-format": "-o"}},
	{provider: "qwen", program: "qwen", flags: [][]string{{"--output-format", "stream-json"}}, short: map[string]string{"--output-format": "-o"}},
	{provider: "opencode", program: "opencode", command: "run", flags: [][]string{{"--format", "json"}}},
}

// errNoProgram: the command line names no program whose flags we know.
var errNoProgram = errors.New("no program with known streaming flags")

// errOtherFormat: the command line requests something other than a stream.
var errOtherFormat = errors.New("the command requests another output format")

// StreamingCommand returns command with the flags that make its program write the stream that we parse. Flags that are
// already set stay; one that requests another format is an error. If provider is "auto", the program's name decides.
func StreamingCommand(provider string, command []string) ([]string, error) {
	for i, word := range command {
		base := programOf(word)
		for _, s := range streamings {
			if s.program == base && (provider == s.provider || provider == Auto) {
				return s.extend(command, i)
			}
		}
	}
	names := make([]string, 0, len(streamings))
	for _, s := range streamings {
		names = append(names, s.program)
	}
	// The error omits the words of the command: they may hold secrets.
	return nil, fmt.Errorf("ask for a stream: %w in the command, want one of %s", errNoProgram, strings.Join(names, ", "))
}

// extend adds the flags after the program, which is at index at, or after its subcommand.
func (s *streaming) extend(command []string, at int) ([]string, error) {
	if s.command != "" {
		i := slices.Index(command[at:], s.command)
		if i < 0 {
			return nil, fmt.Errorf("ask for a stream: %s streams only with its subcommand %q", s.program, s.command)
		}
		at += i
	}
	var add []string
	for _, flag := range s.flags {
		if value := valueOf(command[at:], flag[0], s.short[flag[0]]); len(flag) > 1 && value != "" && value != flag[1] {
			return nil, fmt.Errorf("ask for a stream: %w (%s %s): remove it, or do not ask for a stream", errOtherFormat, flag[0], value)
		}
		if !has(command[at:], flag[0]) && !has(command[at:], s.short[flag[0]]) {
			add = append(add, flag...)
		}
	}
	if s.partial != "" && s.printsStream(command[at:]) && !has(command[at:], s.partial) {
		add = append(add, s.partial)
	}
	return slices.Concat(command[:at+1], add, command[at+1:]), nil
}

// printsStream reports whether the program prints instead of running in a terminal.
func (s *streaming) printsStream(words []string) bool {
	return has(words, "-p") || has(words, "--print")
}

// valueOf returns the value of the first of a flag's spellings in words, or "".
func valueOf(words []string, spellings ...string) string {
	for i, w := range words {
		if w == "--" {
			return ""
		}
		for _, name := range spellings {
			if value, ok := strings.CutPrefix(w, name+"="); ok && name != "" {
				return value
			}
			if w == name && i+1 < len(words) {
				return words[i+1]
			}
		}
	}
	return ""
}

// has reports whether words contains a flag. It stops at "--", which ends the flags.
func has(words []string, flag string) bool {
	if flag == "" {
		return false
	}
	for _, w := range words {
		switch {
		case w == "--":
			return false
		case w == flag, strings.HasPrefix(w, flag+"="):
			return true
		}
	}
	return false
}
