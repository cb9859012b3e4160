package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/events"
)

// schemas returns the documented schema of each kind of line by name.
func schemas(t *testing.T) map[string]*jsonschema.Resolved {
	t.Helper()
	data, err := os.ReadFile("../../docs/events.schema.json")
	require.NoError(t, err)
	var all jsonschema.Schema
	require.NoError(t, json.Unmarshal(data, &all))
	byKind := map[string]*jsonschema.Resolved{}
	for _, one := range all.OneOf {
		one.Defs = all.Defs
		resolved, err := one.Resolve(nil)
		require.NoError(t, err, one.Title)
		byKind[one.Title] = resolved
	}
	return byKind
}

// TestSchema checks that each line that `tailspan events` prints for any fixture conforms to the schema, and that the
// schema has all kinds. References in a schema are resolved for each kind, so an error names the field.
func TestSchema(t *testing.T) {
	plainEnvironment(t)
	byKind := schemas(t)
	for _, kind := range events.Kinds() {
		assert.Contains(t, byKind, kind.String())
	}
	seen := map[string]int{}
	for _, provider := range providersWithFixtures(t) {
		files := fixturesOf(t, provider, "*")
		require.NotEmpty(t, files)
		for _, path := range files {
			code, stdout, stderr := tailspan("", "events", "--provider", provider, "--step", "build", "--persona", "fixer", path)
			require.Equal(t, cli.ExitOK, code, "%s: %s", path, stderr)
			for line := range strings.Lines(stdout) {
				var event map[string]any
				require.NoError(t, json.Unmarshal([]byte(line), &event))
				kind := fmt.Sprint(event["kind"])
				seen[kind]++
				schema := byKind[kind]
				if !assert.NotNil(t, schema, kind) {
					continue
				}
				assert.NoError(t, schema.Validate(event), "%s: %s", path, line)
			}
		}
	}
	for _, kind := range []string{"text", "tool_use", "tool_result", "usage", "session_start", "session_end", "notice", "prompt", "reasoning", "summary"} {
		assert.Positive(t, seen[kind], kind)
	}
}

// TestSchemaOfOtherLines checks lines that no fixture has, and that the schema rejects unknown fields.
func TestSchemaOfOtherLines(t *testing.T) {
	plainEnvironment(t)
	byKind := schemas(t)
	_, stdout, _ := tailspan("words\n", "events", "-")
	lines := slices.Collect(strings.Lines(stdout))
	require.Len(t, lines, 2)
	for i, kind := range []string{"raw", "summary"} {
		var event map[string]any
		require.NoError(t, json.Unmarshal([]byte(lines[i]), &event))
		require.NoError(t, byKind[kind].Validate(event))
		event["unheard_of"] = 1
		assert.Error(t, byKind[kind].Validate(event))
	}
	var text map[string]any
	require.NoError(t, json.Unmarshal([]byte(`{"kind":"text","provider":"claude"}`), &text))
	assert.Error(t, byKind["text"].Validate(text), "a text without its text")
}
