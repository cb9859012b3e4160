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

func TestHeadEndsBehindACharacter(t *testing.T) {
	for _, tc := range []struct {
		body  string
		limit int
		want  string
	}{
		{"plain", 9, "plain"}, {"plain", 3, "pla"}, {"plain", 0, ""}, {"aé", 2, "a"}, {"é", 1, ""},
		{`ab\ncd`, 3, "ab"}, {`ab\ncd`, 4, `ab\n`}, {`a\\\n`, 4, `a\\`}, {`a\\nb`, 4, `a\\n`},
		{`a\u00e9b`, 6, "a"}, {`a\u00e9b`, 7, `a\u00e9`}, {`\ud83d\ude00`, 11, ""}, {`x\ud83dx\ude00`, 8, `x\ud83dx`},
	} {
		assert.Equal(t, tc.want, string(scan.Head([]byte(tc.body), tc.limit)), "%s to %d", tc.body, tc.limit)
	}
}
