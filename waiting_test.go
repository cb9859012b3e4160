package tailspan_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ourGoFiles parses each Go file of ours, with its comments.
func ourGoFiles(t *testing.T, visit func(path string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || slices.Contains([]string{"bin", "build", "testdata"}, path)) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err == nil {
			visit(path, set, file)
		}
		return err
	}))
}

func imports(file *ast.File, path string) bool {
	return slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"`+path+`"` })
}

// isCall reports whether a call is of a function of a package, or, with an empty name, of a method of any value.
func isCall(n ast.Node, of, name string) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != name {
		return false
	}
	x, ok := selector.X.(*ast.Ident)
	return of == "" || ok && x.Name == of
}

// TestGoroutinesAreWatched: a package that starts goroutines has its tests see that none is left.
func TestGoroutinesAreWatched(t *testing.T) {
	starts, watched := map[string]string{}, map[string]bool{}
	ourGoFiles(t, func(path string, _ *token.FileSet, file *ast.File) {
		folder := filepath.Dir(path)
		if strings.HasSuffix(path, "_test.go") {
			watched[folder] = watched[folder] || imports(file, "go.uber.org/goleak")
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if _, ok := n.(*ast.GoStmt); ok || isCall(n, "", "Go") {
				starts[folder] = path
			}
			return true
		})
	})
	require.Greater(t, len(starts), 5)
	for folder, path := range starts {
		assert.True(t, watched[folder], "%s starts a goroutine, and no test of its package uses goleak", path)
	}
}

// TestNobodySleeps: tests wait for conditions. What sleeps does so by the clock of a bubble (testing/synctest, or a remark
// that says so), or is the program that is waited for.
func TestNobodySleeps(t *testing.T) {
	programs := []string{filepath.Join("process", "process_test.go")}
	seen := 0
	ourGoFiles(t, func(path string, set *token.FileSet, file *ast.File) {
		if !strings.HasSuffix(path, "_test.go") || slices.Contains(programs, path) || imports(file, "testing/synctest") {
			return
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		lines := strings.Split(string(text), "\n")
		ast.Inspect(file, func(n ast.Node) bool {
			if isCall(n, "time", "Sleep") {
				seen++
				at := set.Position(n.Pos())
				assert.Contains(t, lines[at.Line-1], "bubble", "%s sleeps", at)
			}
			return true
		})
	})
	assert.Positive(t, seen, "the test does not see any more what it looks for")
}
