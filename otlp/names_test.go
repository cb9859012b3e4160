package otlp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Users look up names: each must be in docs/telemetry.md, ours and those of the conventions.
func TestNamesAreDocumented(t *testing.T) {
	data, err := os.ReadFile("../docs/telemetry.md")
	require.NoError(t, err)
	page := string(data)
	names := stringConstants(t, "names.go")
	require.Greater(t, len(names), 50)
	for _, name := range names {
		if attribute.MatchString(name) {
			assert.True(t, strings.Contains(page, "`"+name+"`"), "docs/telemetry.md has no row of %s", name) //nolint:testifylint // Contains would print the page
		}
	}
	for _, value := range typedConstants(t, "names.go", "CloseReason") {
		assert.True(t, strings.Contains(page, "`"+value+"`"), "docs/telemetry.md has no row of the close reason %s", value) //nolint:testifylint // the same
	}
}

// attribute matches the names of attributes, metrics and events.
var attribute = regexp.MustCompile(`^[a-z_]+(\.[a-z0-9_]+)+$`)

// stringConstants returns the values of all string constants of a file.
func stringConstants(t *testing.T, path string) []string { return typedConstants(t, path, "") }

// typedConstants returns the values of a file's string constants of a type, or of all if the type is empty.
func typedConstants(t *testing.T, path, typeName string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if ident, _ := spec.Type.(*ast.Ident); typeName != "" && (ident == nil || ident.Name != typeName) {
			return true
		}
		for _, v := range spec.Values {
			if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				value, err := strconv.Unquote(lit.Value)
				require.NoError(t, err)
				out = append(out, value)
			}
		}
		return true
	})
	require.NotEmpty(t, out)
	return out
}
