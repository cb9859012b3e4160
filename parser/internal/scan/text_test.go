package scan_test

import (
	"hash/maphash"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

func TestHashIsOfTheText(t *testing.T) {
	seed := maphash.MakeSeed()
	long := strings.Repeat("x", 4096)
	for body, text := range map[string]string{
		"": "", "c": "c", `\u0063`: "c", `toolu_\u0030\u0031`: "toolu_01", `a\/b`: "a/b", "\xff": "\uFFFD", long + `\n`: long + "\n",
	} {
		assert.Equal(t, maphash.String(seed, text), scan.Hash(seed, []byte(body)), "%.20s", body)
	}
	assert.NotEqual(t, scan.Hash(seed, []byte("a")), scan.Hash(seed, []byte("b")))
}

func TestJSONIsValidText(t *testing.T) {
	var s scan.Strings
	for raw, want := range map[string]string{`{"a":1}`: `{"a":1}`, "[\"\xff\x80b\"]": "[\"\uFFFD\uFFFDb\"]", "": ""} {
		assert.Equal(t, want, s.JSON(scan.Value{Kind: scan.KindObject, Raw: []byte(raw)}))
		assert.Equal(t, "x"+want, string(scan.AppendJSON([]byte("x"), []byte(raw))))
	}
}

func TestTailBeginsWithACharacter(t *testing.T) {
	for _, tc := range []struct {
		body string
		n    int
		want string
	}{
		{"plain", 9, "plain"}, {"plain", 2, "in"}, {"plain", 0, ""}, {"éb", 2, "éb"}, {"é", 1, "é"},
		{`ab\ncd`, 3, `\ncd`}, {`ab\ncd`, 2, "cd"}, {`a\\\n`, 1, `\n`}, {`a\\nb`, 2, "nb"}, {`a\\nb`, 3, `\\nb`},
		{`a\u00e9b`, 2, `\u00e9b`}, {`a\u00e9b`, 1, "b"}, {`\ud83d\ude00`, 1, `\ud83d\ude00`}, {`\ud83dx\ude00`, 6, `\ude00`},
	} {
		assert.Equal(t, tc.want, string(scan.Tail([]byte(tc.body), tc.n)), "%d bytes of %s", tc.n, tc.body)
	}
}

func TestEndsLine(t *testing.T) {
	for body, want := range map[string]bool{
		"": false, "n": false, `\n`: true, `a\n`: true, `a\\n`: false, `a\\\n`: true, `\u000a`: true, `\u000A`: true, `\\u000a`: false, "a\n": true,
	} {
		assert.Equal(t, want, scan.EndsLine([]byte(body)), "%s", body)
	}
}
