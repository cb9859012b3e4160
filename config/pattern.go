package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// PathPattern extracts attributes from the path of a file, such as
//
//	runs/{cicd.pipeline.name}/{cicd.pipeline.run.id}/{cicd.pipeline.task.name}.jsonl
//
// Each {name} stands for a part of one path element, `*` for any part of one, and `**` for any number of elements. The pattern
// matches the end of the path, from the start of an element.
type PathPattern struct {
	expr *regexp.Regexp
	keys []string // in the order of the groups
}

// PathAttribute is one attribute from a path.
type PathAttribute struct {
	Key, Value string
}

var attributeKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// ParsePathPattern parses a pattern. An empty one matches nothing and is not an error.
func ParsePathPattern(pattern string) (*PathPattern, error) {
	p := &PathPattern{}
	if pattern == "" {
		return p, nil
	}
	var expr strings.Builder
	expr.WriteString(`(?:^|/)`)
	rest, afterName := strings.TrimPrefix(filepath.ToSlash(pattern), "/"), false
	for rest != "" {
		switch c := rest[0]; {
		case c == '{':
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				return nil, errors.New("a { without a }")
			}
			if afterName {
				return nil, fmt.Errorf("nothing between {…} and %s, so the end of the first is ambiguous", rest[:end+1])
			}
			key := rest[1:end]
			if !attributeKey.MatchString(key) {
				return nil, fmt.Errorf("%q is not an attribute name", key)
			}
			if slices.Contains(p.keys, key) {
				return nil, fmt.Errorf("%q occurs twice", key)
			}
			p.keys = append(p.keys, key)
			expr.WriteString(`([^/]+?)`)
			rest, afterName = rest[end+1:], true
			continue
		case c == '}':
			return nil, errors.New("a } without a {")
		case strings.HasPrefix(rest, "**/"):
			expr.WriteString(`(?:.*/)?`)
			rest = rest[3:]
		case c == '*':
			expr.WriteString(`[^/]*`)
			rest = strings.TrimLeft(rest, "*")
		default:
			end := strings.IndexAny(rest, "{}*")
			if end < 0 {
				end = len(rest)
			}
			expr.WriteString(regexp.QuoteMeta(rest[:end]))
			rest = rest[end:]
		}
		afterName = false
	}
	if len(p.keys) == 0 {
		return nil, errors.New("no {attribute} in the pattern")
	}
	compiled, err := regexp.Compile(expr.String() + `$`)
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	p.expr = compiled
	return p, nil
}

// Match returns the attributes in path, or none if it does not match the pattern.
func (p *PathPattern) Match(path string) []PathAttribute {
	if p == nil || p.expr == nil {
		return nil
	}
	groups := p.expr.FindStringSubmatch(filepath.ToSlash(path))
	if groups == nil {
		return nil
	}
	attrs := make([]PathAttribute, len(p.keys))
	for i, key := range p.keys {
		attrs[i] = PathAttribute{Key: key, Value: groups[i+1]}
	}
	return attrs
}
