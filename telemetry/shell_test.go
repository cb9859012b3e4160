package telemetry

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExecutableOf(t *testing.T) {
	for _, tt := range []struct{ name, tool, command, want string }{
		{"plain", "Bash", "go test ./...", "go"},
		{"path", "bash", "/usr/bin/make -j 4", "make"},
		{"assignment", "exec_command", "CI=1 FOO=bar npm test", "npm"},
		{"quoted argument", "Bash", `grep -c "^func" calc.go`, "grep"},
		{"pipe", "Bash", "cat a | wc -l", ""},
		{"two", "Bash", "cd a && make", ""},
		{"builtin", "Bash", "echo done", ""},
		{"substitution", "Bash", "ls $(pwd)", ""},
		{"quoted command", "Bash", `"my tool" x`, ""},
		{"nothing", "Bash", "", ""},
		{"no shell", "Read", "go", ""},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, executableOf(tt.tool, tt.command)) })
	}
}
