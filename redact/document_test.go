package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/redact"
)

// TestDocumentNames checks values whose name is elsewhere in a JSON document.
func TestDocumentNames(t *testing.T) {
	const secret = "MadeUp01MadeUp23"
	r := newRedactor(t, redact.Settings{})
	for _, text := range []string{
		`{"api_keys":["@@","@@"]}`,
		`{"Parameter":{"Name":"/prod/x","Type":"SecureString","Value":"@@"}}`, // aws ssm get-parameter
		`{"Name":"/prod/db/password","Value":"@@"}`,
		`{"a":"{\"p\\u0061ssword\":\"@@\"}"}`,
	} {
		got := r.String(strings.ReplaceAll(text, "@@", secret))
		assert.Equal(t, strings.ReplaceAll(text, "@@", "[redacted]"), got)
	}
	for _, text := range []string{
		`{"Parameter":{"Name":"/prod/x","Type":"String","Value":"MadeUp01MadeUp23"}}`,
		`{"Name":"/prod/db/host","Value":"MadeUp01MadeUp23"}`,
		`{"name":"packages/password","value":"reset-flow-v2"}`,
		`{"src/auth/token":"MadeUp01MadeUp23MadeUp45"}`,
	} {
		assert.Equal(t, text, r.String(text))
	}
}

// TestCookieFile checks the file of cookies that curl -c writes.
func TestCookieFile(t *testing.T) {
	const secret = "MadeUp01MadeUp23"
	r := newRedactor(t, redact.Settings{})
	text := "# Netscape HTTP Cookie File\nhost.example\tFALSE\t/\tTRUE\t1798000000\tsid\t@@\n#HttpOnly_.host.example\tTRUE\t/x\tFALSE\t0\tauth\t@@\n"
	assert.Equal(t, strings.ReplaceAll(text, "@@", "[redacted]"), r.String(strings.ReplaceAll(text, "@@", secret)))
	const table = "a\tTRUE\t/x\ty\n"
	assert.Equal(t, table, r.String(table))
}
