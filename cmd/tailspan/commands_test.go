package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// TestCommands checks that each command has a line for the list, a text and three examples with existing flags.
func TestCommands(t *testing.T) {
	flag := regexp.MustCompile(`^--[a-z-]+`)
	for _, c := range commands {
		t.Run(c.Name, func(t *testing.T) {
			code, help, _ := tailspan("", c.Name, "--help")
			require.Equal(t, cli.ExitOK, code)
			assert.NotEmpty(t, c.Short)
			assert.NotEmpty(t, c.Long)
			assert.Len(t, c.Examples, 3)
			for _, e := range c.Examples {
				assert.NotEmpty(t, e.Does)
				at := strings.Index(e.Line, "tailspan "+c.Name)
				require.GreaterOrEqual(t, at, 0, e.Line)
				ours, _, _ := strings.Cut(e.Line[at:], " -- ")
				for word := range strings.FieldsSeq(ours) {
					if name := flag.FindString(word); name != "" {
						assert.Regexp(t, `(?m)^  `+name+`\b`, help, "%s of %q", name, e.Line)
					}
				}
			}
			for line := range strings.Lines(help) {
				assert.LessOrEqual(t, len(line), 130, line)
			}
		})
	}
}

// TestExitCodesAreDocumented checks that there is one table of exit codes.
func TestExitCodesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/run.md")
	require.NoError(t, err)
	table := "| code | meaning |\n|---|---|\n"
	for _, e := range cli.ExitCodes {
		table += "| " + e.Code + " | " + e.Meaning + " |\n"
	}
	assert.True(t, strings.Contains(string(doc), table), "docs/run.md has no\n%s", table) //nolint:testifylint // Contains would print it
}
