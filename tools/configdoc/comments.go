package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// comments holds the comments of struct fields, and the values of fields that are enumerations. It reads a package when
// one of its fields is first requested.
type comments struct {
	read   map[string]bool     // packages
	fields map[string]string   // by package.Struct.Field
	values map[string][]string // the same
}

// of returns the comment of a field, and its values if it is an enumeration.
func (c *comments) of(pkg, of, field string) (text string, values []string, err error) {
	if !c.read[pkg] {
		if err := c.add(pkg); err != nil {
			return "", nil, err
		}
	}
	key := pkg + "." + of + "." + field
	if better, ok := corrections[key]; ok {
		return better, c.values[key], nil
	}
	return c.fields[key], c.values[key], nil
}

// corrections replace comments of other modules that are wrong or incomplete (config/configretry v0.155.0).
var corrections = map[string]string{
	configretry + ".Enabled": "Enabled is whether a refused batch is sent again. Without retries it is dropped.",
	configretry + ".MaxInterval": "MaxInterval is the upper bound of the interval between two retries. A wait differs from " +
		"the interval by up to randomization_factor times the interval.",
	configretry + ".Multiplier":          "Multiplier is the factor by which the interval grows with each retry.",
	configretry + ".RandomizationFactor": "RandomizationFactor is the fraction of the interval by which a wait may be longer or shorter.",
}

const configretry = "go.opentelemetry.io/collector/config/configretry.BackOffConfig"

func (c *comments) add(pkg string) error {
	if c.read == nil {
		c.read, c.fields, c.values = map[string]bool{}, map[string]string{}, map[string][]string{}
	}
	c.read[pkg] = true
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", pkg).Output()
	if err != nil {
		return fmt.Errorf("find package %q: %w", pkg, err)
	}
	paths, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "*.go"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if g, ok := decl.(*ast.GenDecl); ok {
				c.declaration(pkg, g)
			}
		}
	}
	return nil
}

// enumeration matches the comment of constants that are the values of a field.
var enumeration = regexp.MustCompile(`^Values of (\w+\.\w+)\.`)

func (c *comments) declaration(pkg string, g *ast.GenDecl) {
	of := enumeration.FindStringSubmatch(g.Doc.Text())
	for _, spec := range g.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			if literal, ok := first(spec.Values).(*ast.BasicLit); ok && of != nil {
				if value, err := strconv.Unquote(literal.Value); err == nil {
					c.values[pkg+"."+of[1]] = append(c.values[pkg+"."+of[1]], value)
				}
			}
		case *ast.TypeSpec:
			if fields, ok := spec.Type.(*ast.StructType); ok {
				c.ofFields(pkg+"."+spec.Name.Name, fields)
			}
		}
	}
}

// ofFields adds the comments of the fields of a struct.
func (c *comments) ofFields(kind string, fields *ast.StructType) {
	for _, field := range fields.Fields.List {
		comment := strings.Join(strings.Fields(beforeTodo(field.Doc.Text())), " ")
		for _, name := range field.Names {
			c.fields[kind+"."+name.Name] = comment
		}
	}
}

// beforeTodo cuts off the plans of a package's authors.
func beforeTodo(text string) string {
	before, _, _ := strings.Cut(text, "TODO")
	return before
}

func first(values []ast.Expr) ast.Expr {
	if len(values) == 0 {
		return nil
	}
	return values[0]
}
