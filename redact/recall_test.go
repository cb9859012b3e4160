package redact_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/redact"
)

// row is a line of testdata/*.tsv: a secret that is generated at run time, and the text that contains it.
type row struct {
	group, name, text string
	secret            []string // its parts of eight bytes or more
}

// readRows fills the patterns of a table. The same name yields the same secret.
func readRows(t testing.TB, file string) (out []row) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	unescape := strings.NewReplacer(`\\`, `\`, `\n`, "\n")
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		column := strings.Split(line, "\t")
		require.Len(t, column, 4, line)
		seed := fnv.New64a()
		seed.Write([]byte(column[1]))
		rnd := rand.New(rand.NewPCG(seed.Sum64(), 0))
		var parts []string
		part := func(m string) string {
			class := m[1]
			n := 0
			_, _ = fmt.Sscanf(m[2:], "%d", &n)
			s := draw(rnd, alphabets[class], n)
			if class == 'g' {
				s = fill(rnd, "{g}", 0)
			}
			parts = append(parts, s)
			return s
		}
		text := partPattern.ReplaceAllStringFunc(column[3], part)
		secret := parts
		context := partPattern.ReplaceAllStringFunc(unescape.Replace(column[2]), part)
		require.Contains(t, context, "@@", line)
		out = append(out, row{group: column[0], name: column[1], text: strings.Replace(context, "@@", text, 1), secret: secret})
	}
	return out
}

// left returns what remains of a secret: eight consecutive bytes of one of its parts.
func left(secret []string, out string) string {
	for _, part := range secret {
		for i := 0; i+8 <= len(part); i++ {
			if strings.Contains(out, part[i:i+8]) {
				return part[i : i+8]
			}
		}
	}
	return ""
}

// TestRecall checks that every row of the tables is redacted, and logs the number of rows of each group.
func TestRecall(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	for _, file := range []string{"secrets.tsv", "siblings.tsv"} {
		total, found := map[string]int{}, map[string]int{}
		for _, row := range readRows(t, file) {
			got := r.String(row.text)
			total[row.group]++
			if assert.Empty(t, left(row.secret, got), "%s %s: %q of %q", row.group, row.name, got, row.text) {
				found[row.group]++
			}
			assert.Equal(t, got, r.String(got), "twice is once")
			// The same in JSON, and in JSON in truncated JSON.
			for _, text := range []string{`{"a":` + jsonString(row.text) + `}`, `x {"a":` + jsonString(`{"b":`+jsonString(row.text)+`}`)} {
				got := r.String(text)
				assert.Empty(t, left(row.secret, got), "%s %s in JSON: %q of %q", row.group, row.name, got, text)
			}
		}
		for _, group := range []string{"known", "shape", "context", "escape", "letter"} {
			if total[group] > 0 {
				t.Logf("%s %s: %d of %d redacted", file, group, found[group], total[group])
			}
		}
	}
}

// TestOrdinary checks that prose, code, hashes and identifiers that resemble secrets are unchanged.
func TestOrdinary(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	b, err := os.ReadFile("testdata/ordinary.txt")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	changed := 0
	for _, line := range lines {
		if !assert.Equal(t, line, r.String(line)) {
			changed++
		}
		assert.Equal(t, `{"a":`+jsonString(line)+`}`, r.String(`{"a":`+jsonString(line)+`}`))
	}
	assert.Equal(t, string(b), r.String(string(b)))
	t.Logf("ordinary.txt: %d of %d lines changed", changed, len(lines))
}
