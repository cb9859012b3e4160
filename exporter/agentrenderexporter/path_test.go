package agentrenderexporter

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/logfile"
)

func pcommonTime(t time.Time) pcommon.Timestamp { return pcommon.NewTimestampFromTime(t) }

func TestPathPattern(t *testing.T) {
	p, err := parsePathPattern("logs/{a}-{b}/x{a}.log")
	require.NoError(t, err)
	assert.False(t, p.fixed())
	resource, record := pcommon.NewMap(), pcommon.NewMap()
	resource.PutStr("a", "one")
	record.PutStr("a", "never")
	record.PutInt("b", 2)
	assert.Equal(t, "logs/one-2/xone.log", p.path(resource, record), "the resource counts first")
	assert.Equal(t, "logs/unknown-unknown/xunknown.log", p.path(pcommon.NewMap()))
	p, err = parsePathPattern("logs/agents.log")
	require.NoError(t, err)
	assert.True(t, p.fixed())
	assert.Equal(t, "logs/agents.log", p.path(resource))
	for _, bad := range []string{"{", "}", "a{b", "a}b", "{}", "{a{b}}", "{a b}"} {
		_, err := parsePathPattern(bad)
		assert.Error(t, err, bad)
	}
}

// TestLocate: links are followed up to the element with the first attribute.
func TestLocate(t *testing.T) {
	for output, want := range map[string]logfile.Location{
		"logs/agents.log":    {Folder: "logs", Name: "agents.log", Follow: true},
		"logs/{a}/{b}.log":   {Folder: "logs", Name: "x/x.log"},
		"/var/log/p-{a}.log": {Folder: "/var/log", Name: "p-x.log"},
		"{a}.log":            {Folder: ".", Name: "x.log"},
		"/{a}.log":           {Folder: "/", Name: "x.log"},
	} {
		p, err := parsePathPattern(output)
		require.NoError(t, err)
		m := pcommon.NewMap()
		m.PutStr("a", "x")
		m.PutStr("b", "x")
		assert.Equal(t, want, p.locate(p.path(m)), output)
	}
}

func TestEncodeValue(t *testing.T) {
	plain := valueEncoding{limit: maxPathValue}
	for value, want := range map[string]string{
		"build": "build", "Build & test (3.12)": "Build & test (3.12)", "": "unknown", "unknown": "%75nknown",
		".": "%2E", "..": "%2E%2E", "...": "%2E.%2E", "../up": "%2E.%2Fup", `..\up`: "%2E.%5Cup", "a/b": "a%2Fb", "a_b": "a_b",
		"/etc/passwd": "%2Fetc%2Fpasswd", "c:x": "c%3Ax", ".hidden": "%2Ehidden", " a ": "%20a%20", "a b": "a b",
		"a\x00b\nc": "a%00b%0Ac", "a\u202eb": "a%E2%80%AEb", "a\u200bb": "a%E2%80%8Bb", "\xff": "%FF", "日本": "日本",
		"a*?<>|\"": "a%2A%3F%3C%3E%7C%22", "100%": "100%25", "a~b": "a%7Eb", "con": "%63on", "NUL.txt": "%4EUL.txt", "console": "console",
	} {
		if foldsCase && folds(value) {
			continue
		}
		assert.Equal(t, want, plain.encode(value), "%q", value)
	}
	assert.Equal(t, "a%2Dx", valueEncoding{limit: maxPathValue, delimiter: '-'}.encode("a-x"), "the text behind the value")
	long := strings.Repeat("é", 200)
	cut := plain.encode(long)
	assert.LessOrEqual(t, len(cut), maxPathValue)
	assert.True(t, utf8.ValidString(cut))
	assert.NotEqual(t, cut, plain.encode(long+"x"))
}

// TestPairsOfValuesDoNotMeet: text in a value that separates values in the path is encoded.
func TestPairsOfValuesDoNotMeet(t *testing.T) {
	p, err := parsePathPattern("{a}-{b}/{c}2{b}.log")
	require.NoError(t, err)
	seen := map[string]string{}
	values := []string{"", "x", "-", "x-y", "y", "/", "2", "22", "%2", "unknown"}
	for _, a := range values {
		for _, b := range values {
			for _, c := range values {
				m := pcommon.NewMap()
				m.PutStr("a", a)
				m.PutStr("b", b)
				m.PutStr("c", c)
				path, what := p.path(m), a+"|"+b+"|"+c
				assert.Empty(t, seen[path], "%s shares %s", what, path)
				seen[path] = what
			}
		}
	}
}

// TestElementsStayShort: several long values share the room of one name.
func TestElementsStayShort(t *testing.T) {
	p, err := parsePathPattern("logs/{a}-{b}-{c}-{d}/{a}.log")
	require.NoError(t, err)
	m := pcommon.NewMap()
	for _, name := range []string{"a", "b", "c", "d"} {
		m.PutStr(name, strings.Repeat(name, 500))
	}
	for element := range strings.SplitSeq(p.path(m), "/") {
		assert.LessOrEqual(t, len(element), maxElement)
	}
}

// FuzzEncodeValue checks that no value leaves its place in a path: it is one element, not a special one, valid, bounded, not
// the name of a rotated file, and different from that of any other value.
func FuzzEncodeValue(f *testing.F) {
	for _, s := range []string{"", "..", "../../x", `a\b`, "\x00", strings.Repeat(".", 300), strings.Repeat("é/", 99), "\u202e", "a:b", " . ", "a~2026"} {
		f.Add(s, "a_b")
		f.Add(s, s+"x")
		f.Add(s, strings.TrimSpace(s))
	}
	f.Fuzz(func(t *testing.T, value, other string) {
		plain := valueEncoding{limit: maxPathValue}
		got := plain.encode(value)
		require.NotEmpty(t, got)
		require.LessOrEqual(t, len(got), maxPathValue)
		require.True(t, utf8.ValidString(got), "%q", got)
		require.False(t, strings.ContainsAny(got, "/\\:\x00\n"), "%q", got)
		require.False(t, strings.HasPrefix(got, "."), "%q", got)
		require.Equal(t, filepath.Join("logs", got), "logs/"+got)
		require.Equal(t, "logs", filepath.Dir("logs/"+got+".log"))
		if value != other {
			require.NotEqual(t, got, plain.encode(other))
		}
	})
}
