package agentrenderexporter

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/logfile"
	"github.com/tailspan/tailspan/otlp"
)

const (
	// maxPathValue is the maximum number of bytes that an attribute value adds to a path.
	maxPathValue = 100
	// maxElement is the maximum size of a path element in bytes: names have at most 255, of which rotation needs some.
	maxElement = 200
	// missingValue stands in a path for an attribute that is missing or empty.
	missingValue = "unknown"
	// escapeMark begins an encoded byte, two hexadecimal digits. hashMark begins the hash of a truncated value.
	escapeMark, hashMark = '%', '~'
	// hashBytes is how much of a value's SHA-256 is in a path: enough that nobody can construct two values that collide.
	hashBytes = 12
)

// foldsCase is true if file systems usually treat names that differ only in case, or in the form of accents, as equal.
const foldsCase = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

// pathPattern is a path with attributes in braces: logs/{cicd.pipeline.name}/{cicd.pipeline.task.name}.log.
type pathPattern struct {
	literals []string // one more than attributes
	names    []string
	values   []valueEncoding // of each attribute
}

// parsePathPattern parses a path from the configuration.
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
			break
		}
		name, after, closed := strings.Cut(after, "}")
		if !closed || name == "" || strings.ContainsAny(name, "{ ") {
			return p, fmt.Errorf("output must name an attribute in each pair of braces, got %q", path)
		}
		p.names = append(p.names, name)
		rest = after
	}
	if p.fixed() {
		return p, nil
	}
	for i := 1; i < len(p.literals); i++ {
		last := i == len(p.literals)-1
		if p.literals[i] == "" && !last {
			return p, fmt.Errorf("output must have text between two attributes, or two pairs of values could share a file, got %q", path)
		}
		if !last && (p.literals[i][0] == escapeMark || p.literals[i][0] == hashMark) {
			return p, fmt.Errorf("output must not have %q between two attributes, got %q", p.literals[i][:1], path)
		}
		for element := range strings.SplitSeq(filepath.ToSlash(p.literals[i]), "/") {
			if element == ".." {
				return p, fmt.Errorf("output must not have .. after an attribute, got %q", path)
			}
		}
		if last && strings.HasSuffix(filepath.ToSlash(p.literals[i]), "/") {
			return p, fmt.Errorf("output must end in the name of a file, got %q", path)
		}
	}
	p.plan()
	return p, nil
}

// plan decides how each value is encoded: within its share of its path element, and without the byte that begins the text
// after it, so that the values can be read back from the path.
func (p *pathPattern) plan() {
	p.values = make([]valueEncoding, len(p.names))
	for first := 0; first < len(p.names); {
		end := first + 1 // of the values in one element
		fixed := len(p.literals[first]) - p.folderEnd(first)
		for end < len(p.names) && p.folderEnd(end) == 0 {
			fixed += len(p.literals[end])
			end++
		}
		behind := filepath.ToSlash(p.literals[end])
		if i := strings.IndexByte(behind, '/'); i >= 0 {
			behind = behind[:i]
		}
		share := max((maxElement-fixed-len(behind))/(end-first), 2*hashBytes+8)
		for i := first; i < end; i++ {
			p.values[i].limit = min(share, maxPathValue)
			if i+1 < end {
				p.values[i].delimiter, _ = utf8.DecodeRuneInString(p.literals[i+1])
			}
		}
		first = end
	}
}

// folderEnd returns where the last separator of a literal ends, or 0 if it has none.
func (p *pathPattern) folderEnd(i int) int {
	literal := p.literals[i]
	for end := len(literal); end > 0; end-- {
		if os.IsPathSeparator(literal[end-1]) {
			return end
		}
	}
	return 0
}

// fixed reports whether the path is the same for all records.
func (p *pathPattern) fixed() bool { return len(p.names) == 0 }

// namesStream reports whether each path belongs to one step or session.
func (p *pathPattern) namesStream() bool {
	return slices.ContainsFunc(p.names, func(name string) bool {
		return name == otlp.AttrTaskName || name == otlp.AttrGenAIConversationID
	})
}

// path returns the path for a record; an attribute is looked up in the maps in their order.
func (p *pathPattern) path(maps ...pcommon.Map) string {
	if p.fixed() {
		return p.literals[0]
	}
	var b strings.Builder
	for i, name := range p.names {
		b.WriteString(p.literals[i])
		b.WriteString(p.values[i].encode(attributeOf(name, maps)))
	}
	b.WriteString(p.literals[len(p.names)])
	return b.String()
}

// locate returns the location of a file. The part of the path before the element with the first attribute is the operator's.
func (p *pathPattern) locate(path string) logfile.Location {
	if p.fixed() {
		return logfile.Location{Folder: filepath.Dir(path), Name: filepath.Base(path), Follow: true}
	}
	folder := p.literals[0][:p.folderEnd(0)]
	return logfile.Location{Folder: filepath.Clean(folder), Name: path[len(folder):]}
}

func attributeOf(name string, maps []pcommon.Map) string {
	for _, m := range maps {
		if v, ok := m.Get(name); ok {
			return v.AsString()
		}
	}
	return ""
}

// valueEncoding is how an attribute value is encoded in a path. Different values have different encodings, and each is part of
// a single file or folder name: "a/b" becomes "a%2Fb", "a_b" is unchanged, ".." becomes "%2E%2E".
type valueEncoding struct {
	limit     int  // in bytes; a truncated value ends in a hash of the whole
	delimiter rune // also encoded; 0 for none
}

func (v valueEncoding) encode(value string) string {
	if value == "" {
		return missingValue
	}
	encoded := make([]byte, 0, len(value)+2*hashBytes)
	cut := 0 // where a truncated value ends
	room := v.limit - 1 - 2*hashBytes
	for i := 0; i < len(value) && len(encoded) <= v.limit; {
		r, n := utf8.DecodeRuneInString(value[i:])
		edge := i == 0 || i+n == len(value)
		switch {
		case r == utf8.RuneError && n == 1, r == v.delimiter, isUnsafeInName(r), edge && (r == '.' || r == ' '),
			i == 0 && isReservedName(value):
			for _, c := range []byte(value[i : i+n]) {
				encoded = fmt.Appendf(encoded, "%c%02X", escapeMark, c)
			}
		default:
			encoded = append(encoded, value[i:i+n]...)
		}
		i += n
		if len(encoded) <= room {
			cut = len(encoded)
		}
	}
	if len(encoded) <= v.limit && !(foldsCase && folds(value)) {
		return string(encoded)
	}
	sum := sha256.Sum256([]byte(value))
	return string(encoded[:cut]) + string(hashMark) + hex.EncodeToString(sum[:hashBytes])
}

// isUnsafeInName reports whether a character is not allowed in file names everywhere, or is invisible in them.
func isUnsafeInName(r rune) bool {
	return r == escapeMark || r == hashMark || strings.ContainsRune(`/\:*?"<>|`, r) || unicode.IsControl(r) ||
		r != ' ' && unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// isReservedName reports whether a value would be mistaken for a missing one, or for a device (Windows).
func isReservedName(value string) bool {
	base, _, _ := strings.Cut(strings.ToLower(value), ".")
	switch base {
	case "con", "prn", "aux", "nul":
		return true
	}
	if len(base) == 4 && (strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt")) && base[3] >= '0' && base[3] <= '9' {
		return true
	}
	return value == missingValue
}

// folds reports whether another value could be the same name on file systems that fold case or accents.
func folds(value string) bool {
	for _, r := range value {
		if r >= utf8.RuneSelf || r >= 'A' && r <= 'Z' {
			return true
		}
	}
	return false
}
