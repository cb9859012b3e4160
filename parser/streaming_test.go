package parser

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStreamingCommand(t *testing.T) {
	for _, tc := range []struct {
		name, provider, command, want string
	}{
		{"claude", Auto, "claude -p hello", "claude --output-format stream-json --verbose --include-partial-messages -p hello"},
		{"claude by its path", "claude", "/opt/bin/claude -p hello", "/opt/bin/claude --output-format stream-json --verbose --include-partial-messages -p hello"},
		{"claude with all flags", Auto, "claude --include-partial-messages -p --verbose --output-format stream-json", "claude --include-partial-messages -p --verbose --output-format stream-json"},
		{"claude with its format", Auto, "claude --print --output-format stream-json x", "claude --verbose --include-partial-messages --print --output-format stream-json x"},
		{"claude that talks", Auto, "claude hello", "claude --output-format stream-json --verbose hello"},
		{"words of a prompt are no flags", Auto, "claude -p -- --verbose", "claude --output-format stream-json --verbose --include-partial-messages -p -- --verbose"},
		{"behind another program", Auto, "timeout 60 claude -p x", "timeout 60 claude --output-format stream-json --verbose --include-partial-messages -p x"},
		{"on Windows", Auto, `C:\bin\claude.exe -p x`, `C:\bin\claude.exe --output-format stream-json --verbose --include-partial-messages -p x`},
		{"codex", Auto, "codex -m gpt-5.5 exec fix", "codex -m gpt-5.5 exec --json fix"},
		{"codex by its old flag", Auto, "codex exec --experimental-json fix", "codex exec --experimental-json fix"},
		{"gemini", Auto, "gemini -p x", "gemini --output-format stream-json -p x"},
		{"gemini by a short flag", Auto, "gemini -o stream-json -p x", "gemini -o stream-json -p x"},
		{"qwen", Auto, "qwen -p x", "qwen --output-format stream-json -p x"},
		{"opencode", "opencode", "opencode run x", "opencode run --format json x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			command := strings.Fields(tc.command)
			got, err := StreamingCommand(tc.provider, command)
			require.NoError(t, err)
			assert.Equal(t, strings.Fields(tc.want), got)
			assert.Equal(t, strings.Fields(tc.command), command, "the argument")
		})
	}
}

func TestStreamingCommandErrors(t *testing.T) {
	for _, tc := range []struct {
		name, provider, command, want string
	}{
		{"unknown program", Auto, "aider fix", "no program with known streaming flags"},
		{"another provider's program", "codex", "claude -p x", "no program with known streaming flags"},
		{"command that writes no stream", Auto, "codex resume", `only with its subcommand "exec"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := StreamingCommand(tc.provider, strings.Fields(tc.command))
			require.ErrorContains(t, err, tc.want)
		})
	}
}

// TestStreamingsNameProviders compares the table with the registry.
func TestStreamingsNameProviders(t *testing.T) {
	for _, s := range streamings {
		assert.Contains(t, Names(), s.provider)
	}
}

// TestStreamingCommandOfAnotherFormat: a stream and another format exclude each other.
func TestStreamingCommandOfAnotherFormat(t *testing.T) {
	for command, want := range map[string]string{
		"claude -p --output-format=json x": "--output-format json",
		"claude -p --output-format text x": "--output-format text",
		"gemini -o json -p x":              "--output-format json",
		"timeout 9 qwen -p x -o json":      "--output-format json",
		"opencode run --format=default x":  "--format default",
	} {
		_, err := StreamingCommand(Auto, strings.Fields(command))
		assert.ErrorContains(t, err, "ask for a stream: the command requests another output format ("+want+")", command)
	}
	for _, command := range []string{"claude -p --output-format", "claude -p x -- --output-format json"} {
		_, err := StreamingCommand(Auto, strings.Fields(command))
		assert.NoError(t, err, command)
	}
}
