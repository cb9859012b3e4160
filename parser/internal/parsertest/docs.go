package parsertest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/doctable"
)

// Becomes are the names of the column that says what a type becomes.
var Becomes = []string{"becomes", "gives"}

// Table reads the first table below a heading of docs/formats/<provider>.md that begins with a text. It maps what the
// first column has in code quotes to the text of the first of columns that the table has.
func Table(t testing.TB, provider, heading string, columns ...string) map[string]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "formats", provider+".md"))
	require.NoError(t, err)
	table, err := doctable.Read(string(page), heading)
	require.NoError(t, err, provider)
	column, err := table.Column(columns...)
	require.NoError(t, err, provider)
	return column
}

// Types parses a line of each type of a table, in the given format, and checks that the parser knows the type, and
// ignores it exactly if the table says so. It skips the types in leftOut.
func Types(t *testing.T, src func() *Source, line string, table map[string]string, leftOut ...string) {
	t.Helper()
	for kind, becomes := range table {
		if slices.Contains(leftOut, kind) {
			continue
		}
		p := src()
		p.ParseEvents(fmt.Appendf(nil, line, kind))
		status := p.LineStatus()
		assert.NotEqual(t, events.LineUnknownType, status, kind)
		assert.Equal(t, strings.HasPrefix(becomes, "ignored"), status == events.LineIgnored, "%s: %s", kind, becomes)
	}
}

// Cases lists the strings that functions of a provider's folder switch on: those of their outermost switches, those
// that they compare a kind with elsewhere, and the paths of a fields.Table that they create.
func Cases(t testing.TB, functions ...string) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var words []string
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && slices.Contains(functions, f.Name.Name) {
				found++
				words = append(words, wordsOf(t, f.Body)...)
			}
		}
	}
	require.Equal(t, len(functions), found, "functions %q", functions)
	require.NotEmpty(t, words, "no cases in %q", functions)
	slices.Sort(words)
	return slices.Compact(words)
}

func wordsOf(t testing.TB, body ast.Node) (words []string) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CaseClause:
			for _, e := range n.List {
				words = append(words, literal(t, e)...)
			}
			return false // strings of nested switches are listed elsewhere
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "New" {
				for _, e := range n.Args {
					words = append(words, literal(t, e)...)
				}
			}
		case *ast.BinaryExpr:
			if n.Op == token.EQL && isKind(n.X) {
				words = append(words, literal(t, n.Y)...)
			}
		}
		return true
	})
	return words
}

// isKind reports whether e is kind or string(kind).
func isKind(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 {
		e = call.Args[0]
	}
	name, ok := e.(*ast.Ident)
	return ok && name.Name == "kind"
}

func literal(t testing.TB, e ast.Expr) []string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return nil
	}
	word, err := strconv.Unquote(lit.Value)
	require.NoError(t, err)
	return []string{word}
}
