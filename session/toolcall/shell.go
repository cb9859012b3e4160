package toolcall

import (
	"path"
	"slices"
	"strings"
)

// shellTools are the providers' names of the tools that run a command line.
var shellTools = []string{
	"Bash", "bash", "shell", "exec_command", "run_shell_command", "command_execution", "local_shell", "shell_command", "PowerShell",
}

// shellBuiltins are command words that start no process.
var shellBuiltins = []string{
	".", ":", "[", "alias", "bg", "cd", "command", "declare", "echo", "eval", "exec", "exit", "export", "false", "fg", "for", "function",
	"if", "jobs", "kill", "let", "local", "printf", "pwd", "read", "return", "set", "shift", "source", "test", "time", "trap", "true",
	"type", "ulimit", "umask", "unalias", "unset", "until", "wait", "while",
}

// executableOf returns the name of the only process that a command line starts (process.executable.name). It is empty
// if there are several, or if finding it would take a shell.
func executableOf(tool, command string) string {
	if !slices.Contains(shellTools, tool) || strings.ContainsAny(command, "|&;<>()`$\n\\{}*?~#!") {
		return ""
	}
	for word := range strings.FieldsSeq(command) {
		name, _, isAssignment := strings.Cut(word, "=")
		switch {
		case strings.ContainsAny(word, `"'`):
			return ""
		case isAssignment && name != "":
			continue // FOO=1 command
		case slices.Contains(shellBuiltins, word):
			return ""
		default:
			return path.Base(word)
		}
	}
	return ""
}
