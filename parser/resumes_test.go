package parser_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/parser"
)

func TestResumesTotals(t *testing.T) {
	for command, want := range map[string]bool{
		"codex exec --json fix":                           false,
		"codex exec resume --last --json go":              true,
		"codex -m gpt-5.5 exec --json resume 01a21 go":    true,
		"codex exec fork 01a21 --json go":                 true,
		"codex exec --json -- resume":                     false,
		"timeout 60 /opt/bin/codex exec resume --last go": true,
		"qwen -p go --continue":                           true,
		"qwen --resume=01a21 -p go":                       true,
		"qwen -r 01a21 -p go":                             true,
		"qwen -p go":                                      false,
		"claude -p go --continue":                         false, // its totals are those of the process
		"resume exec":                                     false,
	} {
		assert.Equal(t, want, parser.ResumesTotals(strings.Fields(command)), command)
	}
}
