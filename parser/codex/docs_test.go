package codex_test

import (
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/codex"
)

// documented reads the table under a heading of docs/formats/codex.md: the cells of each row by the types that it names.
func documented(t *testing.T, heading string) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/formats/codex.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(page), "# "+heading)
	require.True(t, ok, "no heading %q", heading)
	name := regexp.MustCompile("`([^`]+)`")
	rows := map[string][]string{}
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "#") {
			break
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		for _, m := range name.FindAllStringSubmatch(cells[0], -1) {
			require.NotContains(t, rows, m[1], "twice in the table")
			rows[m[1]] = cells[1:]
		}
	}
	require.NotEmpty(t, rows, heading)
	return rows
}

// cases lists the strings that the outermost switches of functions tell apart.
func cases(t *testing.T, functions ...string) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	found := 0
	for _, file := range files {
		tree, err := goparser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for _, decl := range tree.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !slices.Contains(functions, f.Name.Name) {
				continue
			}
			found++
			for _, stmt := range f.Body.List {
				names = append(names, literals(t, stmt)...)
			}
		}
	}
	require.Equal(t, len(functions), found, "functions %v", functions)
	slices.Sort(names)
	return slices.Compact(names)
}

// literals are the strings in the cases of a switch; for the line types also those compared before it.
func literals(t *testing.T, stmt ast.Stmt) (names []string) {
	add := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			s, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			names = append(names, s)
		}
	}
	switch s := stmt.(type) {
	case *ast.SwitchStmt:
		for _, clause := range s.Body.List {
			for _, e := range clause.(*ast.CaseClause).List {
				add(e)
			}
		}
	case *ast.IfStmt:
		if compare, ok := s.Cond.(*ast.BinaryExpr); ok {
			add(compare.Y)
		}
	}
	return names
}

// TestDocs holds docs/formats/codex.md and the parser's switches in step, and the word "ignored" to what happens.
func TestDocs(t *testing.T) {
	for _, tc := range []struct {
		heading   string
		functions []string
		column    int
		line      string
	}{
		{"Stream: ", []string{"streamLine"}, 1, `{"type":%q}`},
		{"`type` (E2", []string{"item"}, 1, `{"type":"item.completed","item":{"id":"item_1","type":%q}}`},
		{"Events: ", []string{"message", "event", "word", "quietEvent"}, 1, `{"id":"0","msg":{"type":%q}}`},
		{"Events: ", []string{"message", "event", "word", "quietEvent"}, 2, `{"timestamp":"2026-03-02T12:00:00Z","type":"event_msg","payload":{"type":%q}}`},
		{"Rollout: ", []string{"rolloutLine"}, 1, `{"timestamp":"2026-03-02T12:00:00Z","type":%q,"payload":{"type":"message","role":"user"}}`},
		{"`type` of a response item", []string{"responseItem"}, 1, `{"timestamp":"2026-03-02T12:00:00Z","type":"response_item","payload":{"type":%q,"role":"user"}}`},
		{"`type` of an item in", []string{"itemCompleted"}, 1, `{"timestamp":"2026-03-02T12:00:00Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":%q}}}`},
	} {
		t.Run(fmt.Sprint(tc.heading, tc.column), func(t *testing.T) {
			rows := documented(t, tc.heading)
			var names []string
			for name := range rows {
				names = append(names, name)
			}
			slices.Sort(names)
			assert.Equal(t, cases(t, tc.functions...), names, "switches (want) and documented types (got)")
			for _, name := range names {
				becomes := strings.TrimSpace(rows[name][tc.column])
				p := codex.New()
				out := p.ParseEvents(fmt.Appendf(nil, tc.line, name))
				switch {
				case strings.HasPrefix(becomes, "by the"): // another table tells
				case becomes == "unknown":
					assert.Equal(t, events.LineUnknownType, p.LineStatus(), name)
				case strings.HasPrefix(becomes, "ignored"):
					assert.Equal(t, events.LineIgnored, p.LineStatus(), name)
					assert.Empty(t, out, name)
				default:
					assert.Equal(t, events.LineOK, p.LineStatus(), name)
				}
			}
		})
	}
}

// TestDocsKnowThePublishedTypes holds that the types which the SDK of 0.163.0 publishes stand in the tables.
func TestDocsKnowThePublishedTypes(t *testing.T) {
	lines, items := documented(t, "Stream: "), documented(t, "`type` (E2")
	for _, name := range []string{"thread.started", "turn.started", "turn.completed", "turn.failed", "item.started", "item.updated", "item.completed", "error"} {
		assert.Contains(t, lines, name)
	}
	for _, name := range []string{"agent_message", "reasoning", "command_execution", "file_change", "mcp_tool_call", "web_search", "todo_list", "error"} {
		assert.Contains(t, items, name)
	}
}
