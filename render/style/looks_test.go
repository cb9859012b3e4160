package style

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
)

// The tests of this file read the tables themselves: a gap in them is not visible in a log until an agent hits it.

// TestLooksAreComplete checks that every kind has a decided look in every style.
func TestLooksAreComplete(t *testing.T) {
	for _, k := range events.Kinds() {
		row := RowOf(k)
		if k == events.KindText {
			assert.Zero(t, row.Ends, "text has code of its own")
			continue
		}
		for s := range styleEnd {
			assert.NotNil(t, row.verbose[s], "kind %s has no look in style %s", k, s)
		}
	}
	for k := range looks {
		if !slices.Contains(events.Kinds(), events.Kind(k)) {
			assert.Nil(t, looks[k].verbose[StyleMarker], "a row of no known kind")
		}
	}
	assert.Nil(t, RowOf(255).verbose[StyleMarker], "a kind of later times")
}

// TestToolsAreComplete checks that every tool of the table has a text in every style.
func TestToolsAreComplete(t *testing.T) {
	for name, tool := range tools {
		assert.Same(t, tool, lookUp(name), "%q is not in lower case", name)
		assert.NotEmpty(t, tool.label, name)
		if tool.field == fieldNone {
			assert.Empty(t, tool.doing+tool.done+tool.noun, "%q has words that nothing shows", name)
			continue
		}
		assert.NotEmpty(t, tool.done, name)
		assert.NotEmpty(t, tool.noun, name)
		assert.True(t, tool.doing != "" || tool.field == fieldCommand, "%q has no verb", name)
	}
}

func TestBaseNameOfALink(t *testing.T) {
	assert.Equal(t, "calc.go", transcriptArg(fieldFile, "\x1b]8;;http://x.example/y\x1b\\/src/calc.go\x1b]8;;\x1b\\"))
}

func TestBaseName(t *testing.T) {
	tests := []struct{ path, want string }{
		{"calc.go", "calc.go"}, {"/home/dev/calc.go", "calc.go"}, {"src/", "src"}, {`C:\src\calc.go`, "calc.go"},
		{"/", "/"}, {"", ""}, {".", "."},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, baseName(tt.path), "baseName(%q)", tt.path)
	}
}

func TestMCPName(t *testing.T) {
	for _, tt := range []struct{ name, server, wantServer, wantTool string }{
		{"mcp__warehouse__look_up", "", "warehouse", "look_up"},
		{"mcp__warehouse__look_up", "warehouse", "warehouse", "look_up"},
		{"warehouse_look_up", "warehouse", "warehouse", "look_up"},
		{"look_up", "warehouse", "warehouse", "look_up"},
		{"look_up", "", "", ""},
		{"mcp__odd", "", "odd", ""},
	} {
		server, tool := mcpName(&events.Tool{Name: tt.name, Server: tt.server})
		assert.Equal(t, []string{tt.wantServer, tt.wantTool}, []string{server, tool}, tt.name)
	}
}
