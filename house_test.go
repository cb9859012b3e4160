package tailspan_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var lower = flag.Bool("lower", false, "lower the rows of house.txt to what the tree has")

// measures are the columns of house.txt. A row may only fall: who raises one edits the file and gives the reason in the
// commit message, in a line that begins with "budget:".
var measures = []string{"lines", "files", "fields", "bools", "methods", "spread", "words"}

// row is what a package, or a document, measures:
//
//	lines    of code without tests
//	files    of code without tests
//	fields   of the largest struct that has methods; settings and events are data
//	bools    of such a struct
//	methods  of the type with the most
//	spread   files that hold the methods of one type
//	words    of the private vocabulary, in code and comments or in the document
type row [7]int

// limits of packages that have no row yet.
var newRow = row{3000, 15, 20, 4, 30, 4, 0}

// TestHouse holds the measures of house.txt: no figure is above its row, and none is below it without the row being lowered.
func TestHouse(t *testing.T) {
	allowed := readHouse(t)
	found := measureHouse(t)
	if *lower {
		writeHouse(t, allowed, found)
		return
	}
	for name, got := range found {
		want, known := allowed[name]
		for i, measure := range measures {
			switch {
			case !known && got[i] > newRow[i]:
				t.Errorf("%s is new and has %d %s, at most %d", name, got[i], measure, newRow[i])
			case known && got[i] > want[i]:
				t.Errorf("%s has %d %s, at most %d by house.txt (CONTRIBUTING.md, Layers and limits)", name, got[i], measure, want[i])
			}
		}
		if known && smaller(got, want) || !known {
			t.Errorf("the row of %s can be lowered: go test . -run TestHouse -lower", name)
		}
	}
	for name := range allowed {
		if _, known := found[name]; !known {
			t.Errorf("house.txt has a row of %s, which is gone: go test . -run TestHouse -lower", name)
		}
	}
}

func smaller(got, want row) bool {
	for i := range got {
		if got[i] > want[i] {
			return false
		}
	}
	return got != want
}

func readHouse(t *testing.T) map[string]row {
	t.Helper()
	data, err := os.ReadFile("house.txt")
	require.NoError(t, err)
	rows := map[string]row{}
	for text := range strings.Lines(string(data)) {
		fields := strings.Fields(text)
		if len(fields) != len(measures)+1 || strings.HasPrefix(text, "#") {
			continue
		}
		r, twice := rows[fields[0]] // a merge may leave two rows
		if twice && !*lower {
			t.Errorf("house.txt has two rows of %s: go test . -run TestHouse -lower", fields[0])
		}
		for i := range r {
			n, err := strconv.Atoi(fields[i+1])
			require.NoError(t, err, text)
			r[i] = max(r[i], n)
		}
		rows[fields[0]] = r
	}
	return rows
}

func writeHouse(t *testing.T, allowed, found map[string]row) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "# What each package and document measures: see house_test.go. Numbers only fall.\n# %-46s", "name")
	for _, m := range measures {
		fmt.Fprintf(&b, " %7s", m)
	}
	b.WriteString("\n")
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		got := found[name]
		if want, known := allowed[name]; known {
			for i := range got {
				got[i] = min(got[i], want[i])
			}
		}
		fmt.Fprintf(&b, "%-48s", name)
		for _, n := range got {
			fmt.Fprintf(&b, " %7d", n)
		}
		b.WriteString("\n")
	}
	require.NoError(t, os.WriteFile("house.txt", []byte(b.String()), 0o600))
}

// walls counts the walls of a type.
type walls struct {
	fields, bools, methods int
	files                  map[string]bool
}

func measureHouse(t *testing.T) map[string]row {
	t.Helper()
	rows, types := map[string]row{}, map[string]*walls{}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"bin", "build", "testdata"}, d.Name())) {
				return filepath.SkipDir
			}
			return nil
		}
		isGo := strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
		if !isGo && !isDocument(path) {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.Contains(string(src[:min(len(src), 300)]), "DO NOT EDIT") {
			return nil
		}
		if !isGo {
			if n := privateWords(string(src)); n > 0 {
				rows[filepath.ToSlash(path)] = row{6: n}
			}
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		r := rows[pkg]
		r[0] += strings.Count(string(src), "\n")
		r[1]++
		r[6] += privateWords(string(src))
		rows[pkg] = r
		return measureTypes(pkg, path, src, types)
	}))
	for name, w := range types {
		i := strings.LastIndex(name, ".")
		pkg, kind := name[:i], name[i+1:]
		r := rows[pkg]
		if w.methods > 0 && pkg != "events" && !slices.ContainsFunc([]string{"Config", "Settings", "Options", "Flags"}, func(end string) bool { return strings.HasSuffix(kind, end) }) {
			r[2], r[3] = max(r[2], w.fields), max(r[3], w.bools)
		}
		r[4], r[5] = max(r[4], w.methods), max(r[5], len(w.files))
		rows[pkg] = r
	}
	return rows
}

func isDocument(path string) bool {
	return strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml") || filepath.Base(path) == "Makefile"
}

func measureTypes(pkg, path string, src []byte, types map[string]*walls) error {
	f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	of := func(name string) *walls {
		key := pkg + "." + name
		if types[key] == nil {
			types[key] = &walls{files: map[string]bool{}}
		}
		return types[key]
	}
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv != nil {
				w := of(receiverName(decl.Recv.List[0].Type))
				w.methods++
				w.files[path] = true
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok {
					if st, ok := ts.Type.(*ast.StructType); ok {
						of(ts.Name.Name).measure(st)
					}
				}
			}
		}
	}
	return nil
}

func (w *walls) measure(st *ast.StructType) {
	for _, field := range st.Fields.List {
		n := max(1, len(field.Names))
		w.fields += n
		if id, ok := field.Type.(*ast.Ident); ok && id.Name == "bool" {
			w.bools += n
		}
	}
}

func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.IndexListExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

// The private words: those that have no use in the terms of the field. An identifier is several words.
var (
	privateList = []string{
		"tell", "tells", "told", "telling", "hear", "hears", "heard", "owe", "owes", "owed", "kin", "strayed", "ghost", "ghosts",
		"bury", "buries", "buried", "nudge", "nudges", "nudged", "lively", "spelled",
	}
	privatePhrase = regexp.MustCompile(`(?i)\b(lets? go|put aside|word of)\b`)
	aWord         = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
)

func privateWords(src string) int {
	n := len(privatePhrase.FindAllStringIndex(src, -1))
	for _, word := range aWord.FindAllString(src, -1) {
		if slices.Contains(privateList, strings.ToLower(word)) {
			n++
		}
	}
	return n
}
