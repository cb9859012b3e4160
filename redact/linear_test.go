package redact_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/redact"
)

// hostile are beginnings of secrets that somebody may repeat to slow down redaction.
var hostile = []string{
	"token=", "token", "password ", "set password ", " -a", " -u", " -p", "\npassword: |\n  a", "login bob password ", ":5432:", "*:*:",
	"IDENTIFIED BY ", "IDENTIFIED WITH ", "ghp_", "sk-", "pcsk_", "AKIA", "eyJ", "M7", "://", "https://a:", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----\n",
	"Bearer ", "token: |", "&token%3D", "&amp;", "%2525", `\\`, `\/\`, "auth(", `auth("a",`, `setPassword("`, "key: ", "api key", `"password"`,
	"$1$", "$argon2id$v=19$m=1,t=1,p=1$", "[redacted:aws]", "<key>password</key>", "|password", "token:string", "cookie: a=", "authorization: ",
	"{\"a\":\"", "[\"--token\",", "\x1b[31mtoken",
}

// TestLinear checks that no text takes long because of its content. Half a megabyte takes a tenth of a second, or minutes if
// the time is quadratic; the limit and a second try allow for a busy machine.
func TestLinear(t *testing.T) {
	const n, limit = 1 << 19, 20 * time.Second
	r := newRedactor(t, redact.Settings{})
	for _, piece := range hostile {
		text := strings.Repeat(piece, n/len(piece))
		took := func() time.Duration {
			begin := time.Now()
			r.String(text)
			return time.Since(begin)
		}
		assert.True(t, took() < limit || took() < limit, "%d bytes of %q", n, piece)
	}
}
