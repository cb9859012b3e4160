package redact_test

import (
	"math/rand/v2"
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
