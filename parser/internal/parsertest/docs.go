package parsertest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Table reads the table under a heading of docs/formats/<provider>.md: what its first column names in code quotes, with
// the text of its second column.
func Table(t testing.TB, provider, heading string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "formats", provider+".md"))
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(data), "\n## "+heading+"\n")
	require.True(t, ok, "docs/formats/%s.md has no heading %q", provider, heading)
	section, _, _ = strings.Cut(section, "\n## ")
	table := map[string]string{}
	for line := range strings.SplitSeq(section, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for i, name := range strings.Split(cells[1], "`") {
			if i%2 == 1 {
				table[name] = strings.TrimSpace(cells[2])
			}
		}
	}
	require.NotEmpty(t, table, "no table under %q", heading)
	return table
}

// Cases lists the words that a function of a provider's folder names in its case clauses: the types that it knows.
func Cases(t testing.TB, file, function string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	var words []string
	for _, decl := range parsed.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Name.Name != function {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CaseClause); ok {
				words = append(words, literals(t, c.List)...)
			}
			return true
		})
	}
	require.NotEmpty(t, words, "%s: no cases in %s", file, function)
	slices.Sort(words)
	return slices.Compact(words)
}

func literals(t testing.TB, list []ast.Expr) (words []string) {
	t.Helper()
	for _, e := range list {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			word, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			words = append(words, word)
		}
	}
	return words
}
