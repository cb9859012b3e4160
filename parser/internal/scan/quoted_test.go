package scan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

func all([]byte) bool { return true }

// quoteJSON returns the bytes between the quotes of a string whose text is s.
func quoteJSON(t testing.TB, s string) string {
	t.Helper()
	quoted, err := json.Marshal(s)
	require.NoError(t, err)
	return string(quoted[1 : len(quoted)-1])
}

func TestQuotedMembers(t *testing.T) {
	deep := strings.Repeat("[", 63) + strings.Repeat("]", 63)
	for _, tc := range []struct {
		name, body, want string // want is "" if the text must be decoded
	}{
		{"empty", `{}`, "{}"},
		{"of all kinds", quoteJSON(t, `{"a":"b","c":[1,{"d":null}],"e":-1.5e3,"f":{"g":true},"h":false}`),
			`{"a":"b","c":[1,{"d":null}],"e":-1.5e3,"f":{"g":true},"h":false}`},
		{"with blanks", quoteJSON(t, "\n{ \"a\" :\t[ ] ,\r\n\"b\": { } }\n"), `{"a":[ ],"b":{ }}`},
		{"escapes of its own", quoteJSON(t, `{"a":"\"b\\\\\"\\","c":"\n\u00e9\\"}`), `{"a":"\"b\\\\\"\\","c":"\n\u00e9\\"}`},
		{"escapes of the line", `{\"a\":\"\u003c\u00e9\/\ud83d\ude00\u000a\"}`, "{\"a\":\"<é/😀\n\"}"},
		{"a quote in another spelling", `{\"a\":\"\u0022}`, ""},
		{"a backslash in another spelling", `{\"a\":\"\u005C\"\"}`, ""},
		{"a letter of a name in another spelling", `{\"\u0061\":1}`, ""},
		{"an escape that is none", `{\"a\":\"\q\"}`, ""},
		{"deep", quoteJSON(t, `{"a":`+deep+`}`), `{"a":` + deep + `}`},
		{"too deep", quoteJSON(t, `{"a":[`+deep+`]}`), ""},
		{"cut in a string", `{\"a\":\"b`, ""},
		{"cut behind one", `{\"a\":\"b\"`, ""},
		{"more behind it", `{} {}`, ""},
		{"no object", `[]`, ""},
		{"no value", `{\"a\":}`, ""},
		{"no comma", `{\"a\":1 \"b\":2}`, ""},
		{"a comma too many", `{\"a\":1,}`, ""},
		{"the wrong bracket", `{\"a\":[1}}`, ""},
		{"a bare word", `{\"a\":nul}`, ""},
		{"a bare key", `{a:1}`, ""},
		{"nothing", ``, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var q scan.Quoted
			m, buf, whole := q.Members(nil, []byte("before"), []byte(tc.body), all)
			require.Equal(t, tc.want != "", whole, "%s", tc.body)
			assert.Equal(t, "before", string(buf[:6]))
			if !whole {
				assert.Empty(t, m)
				assert.Len(t, buf, 6)
				return
			}
			assert.Equal(t, tc.want, write(m))
		})
	}
}

// write returns members as an object.
func write(m scan.Members) string {
	var b strings.Builder
	for i := range m {
		fmt.Fprintf(&b, `,"%s":%s`, m[i].Name, m[i].Value.Raw)
	}
	return "{" + strings.TrimPrefix(b.String(), ",") + "}"
}

func TestQuotedMembersMakesWhatIsWanted(t *testing.T) {
	body := []byte(quoteJSON(t, `{"path":"a","content":"`+strings.Repeat(`x\n\"`, 1000)+`","path":"b"}`))
	var q scan.Quoted
	onlyPath := func(name []byte) bool { return string(name) == "path" }
	m, buf, whole := q.Members(nil, nil, body, onlyPath)
	require.True(t, whole)
	assert.Equal(t, `{"path":"a","path":"b"}`, write(m))
	assert.Equal(t, `"a""b"`, string(buf))
	assert.Zero(t, testing.AllocsPerRun(100, func() { q.Members(m[:0], buf[:0], body, onlyPath) }))
}

func TestQuotedMembersKeepsNoMoreThanAScanner(t *testing.T) {
	text := `{"x":0` + strings.Repeat(`,"x":0`, 299) + `,"last":1}`
	var q scan.Quoted
	m, _, whole := q.Members(nil, nil, []byte(quoteJSON(t, text)), all)
	require.True(t, whole)
	assert.Len(t, m, scan.MaxMembers)
	m, _, whole = q.Members(nil, nil, []byte(quoteJSON(t, text)), func(name []byte) bool { return string(name) == "last" })
	require.True(t, whole)
	assert.Empty(t, m, "it stands too far behind")
}

// FuzzQuotedMembers checks, for the bytes between the quotes of a string and for the text of one:
//   - if Quoted reads an object, its text is an object for Scanner and within encoding/json's nesting, with the same
//     members
//   - what it leaves to others changes nothing
func FuzzQuotedMembers(f *testing.F) {
	for _, seed := range []string{
		`{\"a\": \"calc.go\", \"b\": \"\\tsum // \\\"cents\\\"\\n\"}`, `{"a":{"b":[1,"c\\"]},"d":"\\\""}`, `{\"a\":\"\u0022}`,
		"{\\\"a\\\":\\\"" + strings.Repeat(`\\\\`, 130) + `\\\"\"}`, ` { \n \"a\" : null } `, `{\"\\u0061\":\"\ud83d\ude00\"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s scan.Scanner
		s.Reset(append(append([]byte{'"'}, data...), '"'))
		if v := s.Value(); s.Err() == nil && len(s.Rest()) == 0 {
			requireQuoted(t, v.Body())
		}
		requireQuoted(t, []byte(quoteJSON(t, string(data))))
	})
}

func requireQuoted(t *testing.T, body []byte) {
	var q scan.Quoted
	m, buf, whole := q.Members(nil, nil, body, all)
	if !whole {
		require.Empty(t, m)
		require.Empty(t, buf)
		return
	}
	var s scan.Scanner
	s.Reset(scan.AppendString(nil, body))
	want := s.Members(nil)
	require.NoError(t, s.Err(), "%q", body)
	require.Empty(t, s.Rest(), "%q", body)
	require.Len(t, m, len(want), "%q", body)
	for i := range want {
		require.Equal(t, string(want[i].Name), string(scan.AppendString(nil, m[i].Name)), "%q", body)
		require.Equal(t, want[i].Value.Kind, m[i].Value.Kind, "%q", body)
		require.Equal(t, string(want[i].Value.Raw), string(m[i].Value.Raw), "%q", body)
	}
}

// BenchmarkQuotedMembers reads the path in the arguments of a call that writes a file and, for comparison, decodes
// their text and reads that.
func BenchmarkQuotedMembers(b *testing.B) {
	for _, size := range []int{256, 32 << 10} {
		body := []byte(quoteJSON(b, `{"path": "calc.go", "content": "`+strings.Repeat(`\tsum += price // \"cents\"\n`, size/28)+`"}`))
		onlyPath := func(name []byte) bool { return string(name) == "path" }
		b.Run(fmt.Sprintf("quoted/size=%d", size), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			var q scan.Quoted
			var m scan.Members
			var buf []byte
			for b.Loop() {
				var whole bool
				if m, buf, whole = q.Members(m[:0], buf[:0], body, onlyPath); !whole {
					b.Fatal("not read")
				}
			}
		})
		b.Run(fmt.Sprintf("made/size=%d", size), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			var s scan.Scanner
			var m scan.Members
			var buf []byte
			for b.Loop() {
				buf = scan.AppendString(buf[:0], body)
				s.Reset(buf)
				m = s.Members(m[:0])
			}
		})
	}
}
