package redact_test

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/redact"
)

// lineTexts are texts in which a secret and what identifies it are on separate lines; @@ is a line of a key or a secret value.
var lineTexts = []struct{ name, text string }{
	{"private key", "it is:\n-----BEGIN RSA PRIVATE KEY-----\n@@\n@@\n@@\n@@\n@@\n@@\n@@\n@@==\n-----END RSA PRIVATE KEY-----\n"},
	{"private key without end", "-----BEGIN PRIVATE KEY-----\n@@\n@@\n@@\n@@\n@@\n@@\n"},
	{"encrypted private key", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n@@\n@@\n@@\n-----END RSA PRIVATE KEY-----\n"},
	{"PGP", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n@@\n@@\n@@\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----\n"},
	{"key in source code", "key := \"-----BEGIN PRIVATE KEY-----\\n\" +\n" + strings.Repeat("\t\"@@\\n\" +\n", 12) + "\t\"-----END PRIVATE KEY-----\\n\"\n"},
	{"key in an array", "[\n  \"-----BEGIN PRIVATE KEY-----\",\n" + strings.Repeat("  \"@@\",\n", 12) + "  \"-----END PRIVATE KEY-----\"\n]\n"},
	{"key in a table", "| -----BEGIN PRIVATE KEY----- |\n" + strings.Repeat("| @@ |\n", 12) + "| -----END PRIVATE KEY----- |\n"},
	{"key in quotes", "'-----BEGIN PRIVATE KEY-----'\n" + strings.Repeat("'@@'\n", 12) + "'-----END PRIVATE KEY-----'\n"},
	{"key in source code without end", "\"-----BEGIN PRIVATE KEY-----\\n\" +\n" + strings.Repeat("\"@@\\n\" +\n", 12)},
	{"key around a record", "-----BEGIN PRIVATE KEY-----\n@@\n{\"a\":1}\n@@\n-----END PRIVATE KEY-----\n"},
	{"CRLF", "-----BEGIN PRIVATE KEY-----\r\n@@\r\n@@\r\n@@\r\n-----END PRIVATE KEY-----\r\n"},
	{"YAML block", "password: |\n  @@\nother: x\n"},
	{"pair in YAML", "- name: DB_PASSWORD\n  value: @@\n"},
	{"list in YAML", "- --token\n- @@\n"},
	{"netrc", "machine host.example\n  login bob\n  password @@\n"},
}

// TestLines checks that a secret is redacted if the lines of a text are redacted one by one, and that the lines around it stay.
func TestLines(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, tc := range lineTexts {
		t.Run(tc.name, func(t *testing.T) {
			var secrets []string
			text := tc.text
			for strings.Contains(text, "@@") {
				secrets = append(secrets, draw(rnd, alphabets['A'], 64))
				text = strings.Replace(text, "@@", secrets[len(secrets)-1], 1)
			}
			const before, after = "A line before.\n", "All of it was read.\nabcdef\n"
			lines := redact.NewLines(r)
			var got strings.Builder
			for line := range strings.Lines(before + text + after) {
				have := []byte(strings.TrimSuffix(line, "\n"))
				got.Write(lines.Bytes(have))
				got.WriteByte('\n')
				assert.Equal(t, strings.TrimSuffix(line, "\n"), string(have), "the argument is not modified")
			}
			assert.Empty(t, left(secrets, got.String()), got.String())
			assert.True(t, strings.HasPrefix(got.String(), before), got.String())
			assert.True(t, strings.HasSuffix(got.String(), after), got.String())
			assert.Contains(t, got.String(), "[redacted")
		})
	}
}

// TestLinesIndented checks that the lines of an indented key stay indented, because they continue the line before.
func TestLinesIndented(t *testing.T) {
	lines := redact.NewLines(newRedactor(t, redact.Settings{}))
	for _, tc := range []struct{ line, want string }{
		{"  -----BEGIN PRIVATE KEY-----", "  -----BEGIN PRIVATE KEY-----"},
		{"  " + strings.Repeat("MadeUp0123456789", 4), "  [redacted:private-key]"},
		{"\t" + strings.Repeat("MadeUp0123456789", 4), "\t[redacted:private-key]"},
		{"  -----END PRIVATE KEY-----", "  [redacted:private-key]"},
	} {
		assert.Equal(t, tc.want, string(lines.Bytes([]byte(tc.line))))
	}
}

// TestLinesOrdinary checks that the lines of ordinary text are unchanged, and not copied.
func TestLinesOrdinary(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	lines := redact.NewLines(r)
	for _, text := range []string{
		strings.Repeat("x", 5000), "-----BEGIN PRIVATE KEY-----", "is the first line of a private key.", "-----BEGIN CERTIFICATE-----", strings.Repeat("MIID", 16), "", "password:", "is required",
		"usage: login bob", "the password is asked for",
	} {
		line := []byte(text)
		got := lines.Bytes(line)
		assert.Equal(t, text, string(got))
		if len(line) > 0 {
			assert.Same(t, &line[0], &got[0], text)
		}
	}
}

// TestLinesDocument checks that a line that is a JSON document stays one, whatever its strings and the lines around it contain.
func TestLinesDocument(t *testing.T) {
	const key = "MIIBdemoDEMOdemoDEMO0123MIIBdemoDEMOdemoDEMO0123"
	lines := redact.NewLines(newRedactor(t, redact.Settings{}))
	for _, tc := range []struct{ line, want string }{
		{`{"a":"-----BEGIN PRIVATE KEY-----\n` + key + `","b":"abcdefghijklmnopqrst0"}`, `{"a":"[redacted:private-key]","b":"abcdefghijklmnopqrst0"}`},
		{`["abcdefghijklmnopqrst0"]`, `["abcdefghijklmnopqrst0"]`},
		{"abcdefghijklmnopqrst0 ends", "abcdefghijklmnopqrst0 ends"},
		{"-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----"},
		{`["abcdefghijklmnopqrst0"]`, `["abcdefghijklmnopqrst0"]`},
		{key, "[redacted:private-key]"},
	} {
		assert.Equal(t, tc.want, string(lines.Bytes([]byte(tc.line))))
	}
}

// TestLinesLong checks a secret at any place of a line that is longer than what is joined with the lines before.
func TestLinesLong(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	r := newRedactor(t, redact.Settings{})
	lines := redact.NewLines(r)
	for at := 64<<10 - 50; at < 64<<10+10; at++ {
		line := strings.Repeat("x", at-1) + " " + secret + " " + strings.Repeat("y ", 1<<15)
		assert.Equal(t, strings.Replace(line, secret, "[redacted:github]", 1), string(lines.Bytes([]byte(line))))
	}
	const end = " password: |"
	assert.True(t, strings.HasSuffix(string(lines.Bytes([]byte(strings.Repeat("x", 1<<17)+end))), end))
	assert.Equal(t, "  [redacted]", string(lines.Bytes([]byte("  MadeUp01MadeUp23"))), "the end of a long line is remembered")
}

// TestLinesMemory checks that nothing of the size of a long line is kept.
func TestLinesMemory(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	long := []byte(strings.Repeat("x ", 16<<20))
	all := make([]*redact.Lines, 4)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range all {
		all[i] = redact.NewLines(r)
		all[i].Bytes(long)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(1<<20))
	runtime.KeepAlive(all)
	runtime.KeepAlive(long)
}
