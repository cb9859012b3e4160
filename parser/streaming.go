package parser

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// streaming is what makes a provider's program write its stream.
type streaming struct {
	provider string
	// program is its name.
	program string
	// command is the argument of the command line after which the flags follow, if the program has several commands; it must
	// be there, since the others write no stream.
	command string
	// flags are those to add, each with its value if it has one.
	flags [][]string
	// short are other spellings of a flag.
	short map[string]string
	// partial is a flag that has each message written in pieces too, which the program takes only if it prints a stream.
	partial string
}

// streamings are from the help texts of the programs: Claude Code 2.1.332, Codex 0.171.0, Gemini CLI 0.61.0, Qwen Code
// 0.15.10 and OpenCode 1.18.33.
var streamings = [...]streaming{
	{
		provider: "claude", program: "claude", flags: [][]string{{"--output-format", "stream-json"}, {"--verbose"}},
		partial: "--include-partial-messages", // only then are the output tokens of a model call in the stream
	},
	{provider: "codex", program: "codex", command: "exec", flags: [][]string{{"--json"}}, short: map[string]string{"--json": "--experimental-json"}},
	{provider: "gemini", program: "gemini", flags: [][]string{{"--output-format", "stream-json"}}, short: map[string]string{"--output-format": "-o"}},
	{provider: "qwen", program: "qwen", flags: [][]string{{"--output-format", "stream-json"}}, short: map[string]string{"--output-format": "-o"}},
	{provider: "opencode", program: "opencode", command: "run", flags: [][]string{{"--format", "json"}}},
}

// errNoProgram: a command line has no program that we know the flags of.
var errNoProgram = errors.New("no program whose flags for streaming are known")

// errOtherFormat: a command line asks for something else than a stream.
var errOtherFormat = errors.New("the command asks for another format")

// StreamingCommand is command with the flags that make its program write the stream that we read. A flag that is there
// stays as it is; one that asks for another format is an error. provider may be "auto": then the program's name decides.
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
	// The words of the command are not shown: they may hold secrets.
	return nil, fmt.Errorf("ask for a stream: %w in the command, want one of %s", errNoProgram, strings.Join(names, ", "))
}

// extend adds the flags behind the program, which is at index at, or behind its command.
func (s *streaming) extend(command []string, at int) ([]string, error) {
	if s.command != "" {
		i := slices.Index(command[at:], s.command)
		if i < 0 {
			return nil, fmt.Errorf("ask for a stream: %s writes one only by its command %q", s.program, s.command)
		}
		at += i
	}
	var add []string
	for _, flag := range s.flags {
		if value := valueOf(command[at:], flag[0], s.short[flag[0]]); len(flag) > 1 && value != "" && value != flag[1] {
			return nil, fmt.Errorf("ask for a stream: %w (%s %s): leave that out, or do not ask for a stream", errOtherFormat, flag[0], value)
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

// printsStream reports whether a program prints rather than talks to a terminal.
func (s *streaming) printsStream(words []string) bool {
	return has(words, "-p") || has(words, "--print")
}

// valueOf is the value of the first of a flag's spellings that is among the words; empty if none is.
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

// has reports whether a flag is among the words, up to "--", behind which none are.
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
