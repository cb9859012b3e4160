package agentrenderexporter

import (
	"fmt"
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

const (
	// maxPathValue is the most bytes that the value of an attribute adds to a path. A longer one is cut and gets a hash of
	// the whole, so that two long ones stay apart.
	maxPathValue = 100
	// missingValue stands for an attribute that is missing or empty.
	missingValue = "unknown"
)

// pathPattern is a path with attributes in braces: logs/{cicd.pipeline.name}/{cicd.pipeline.task.name}.log.
type pathPattern struct {
	literals []string // one more than attributes
	names    []string
}

// parsePathPattern reads a path of the configuration.
func parsePathPattern(path string) (pathPattern, error) {
	var p pathPattern
	rest := path
	for {
		literal, after, found := strings.Cut(rest, "{")
		if strings.Contains(literal, "}") {
			return p, fmt.Errorf("output has a } without a {, got %q", path)
		}
		p.literals = append(p.literals, literal)
		if !found {
			return p, nil
		}
		name, after, closed := strings.Cut(after, "}")
		if !closed || name == "" || strings.ContainsAny(name, "{ ") {
			return p, fmt.Errorf("output must name an attribute in each pair of braces, got %q", path)
		}
		p.names = append(p.names, name)
		rest = after
	}
}

// fixed reports whether the path is the same for all records.
func (p *pathPattern) fixed() bool { return len(p.names) == 0 }

// path is the path for a record: an attribute is looked up in the maps in their order.
func (p *pathPattern) path(maps ...pcommon.Map) string {
	if p.fixed() {
		return p.literals[0]
	}
	var b strings.Builder
	for i, name := range p.names {
		b.WriteString(p.literals[i])
		b.WriteString(safePathValue(attributeOf(name, maps)))
	}
	b.WriteString(p.literals[len(p.names)])
	return b.String()
}

func attributeOf(name string, maps []pcommon.Map) string {
	for _, m := range maps {
		if v, ok := m.Get(name); ok {
			return v.AsString()
		}
	}
	return ""
}

// safePathValue makes of an attribute's value what can stand in the name of a file or folder, and nothing else: no
// separator of any system, no name that means a folder above, no control character, not too long.
func safePathValue(value string) string {
	var b strings.Builder
	for _, r := range strings.TrimSpace(value) {
		switch {
		case strings.ContainsRune(`/\:*?"<>|`, r), unicode.IsControl(r), r == utf8.RuneError, unicode.Is(unicode.Cf, r):
			b.WriteByte('_')
		case r == '.' && b.Len() == 0:
			b.WriteByte('_') // no hidden file, and none of the folders "." and ".."
		default:
			b.WriteRune(r)
		}
	}
	safe := b.String()
	if safe == "" {
		return missingValue
	}
	if len(safe) <= maxPathValue {
		return safe
	}
	h := fnv.New64a()
	h.Write([]byte(value))
	end := maxPathValue - len("-0123456789abcdef")
	for !utf8.RuneStart(safe[end]) {
		end--
	}
	return fmt.Sprintf("%s-%016x", safe[:end], h.Sum64())
}
