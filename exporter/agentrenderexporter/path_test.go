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

func TestSafePathValue(t *testing.T) {
	long := strings.Repeat("é", 200)
	for value, want := range map[string]string{
		"build": "build", "Build & test (3.12)": "Build & test (3.12)", "": "unknown", "  ": "unknown", ".": "_", "..": "_.",
		"../up": "_._up", `..\up`: "_._up", "a/b": "a_b", "/etc/passwd": "_etc_passwd", "c:x": "c_x", ".hidden": "_hidden", " .. ": "_.",
		"a\x00b\nc\n": "a_b_c", "a\u202eb": "a_b", "\xff": "_", "日本": "日本", "a*?<>|\"": "a______",
	} {
		assert.Equal(t, want, safePathValue(value), "%q", value)
	}
	cut := safePathValue(long)
	assert.LessOrEqual(t, len(cut), maxPathValue)
	assert.True(t, utf8.ValidString(cut))
	assert.NotEqual(t, cut, safePathValue(long+"x"), "two long ones stay apart")
}

// FuzzSafePathValue holds that no value leaves its place in a path: it is one element, no special one, valid, bounded,
// and the path below a folder stays below it.
func FuzzSafePathValue(f *testing.F) {
	for _, s := range []string{"", "..", "../../x", `a\b`, "\x00", strings.Repeat(".", 300), strings.Repeat("é/", 99), "\u202e", "a:b", " . "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		got := safePathValue(value)
		require.NotEmpty(t, got)
		require.LessOrEqual(t, len(got), maxPathValue)
		require.True(t, utf8.ValidString(got), "%q", got)
		require.False(t, strings.ContainsAny(got, "/\\:\x00\n"), "%q", got)
		require.False(t, strings.HasPrefix(got, "."), "%q", got)
		require.Equal(t, filepath.Join("logs", got), "logs/"+got)
		require.Equal(t, "logs", filepath.Dir("logs/"+got+".log"))
	})
}
