package redact_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/redact"
)

// hostile are beginnings of secrets that somebody may repeat to make redaction slow.
var hostile = []string{
	"token=", "token", "password ", "set password ", " -a", " -u", " -p", "\npassword: |\n  a", "login bob password ", ":5432:", "*:*:",
	"IDENTIFIED BY ", "IDENTIFIED WITH ", "ghp_", "sk-", "pcsk_", "AKIA", "eyJ", "M7", "://", "https://a:", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----\n",
	"Bearer ", "token: |", "&token%3D", "&amp;", "%2525", `\\`, `\/\`, "auth(", `auth("a",`, `setPassword("`, "key: ", "api key", `"password"`,
	"$1$", "$argon2id$v=19$m=1,t=1,p=1$", "[redacted:aws]", "<key>password</key>", "|password", "token:string", "cookie: a=", "authorization: ",
	"{\"a\":\"", "[\"--token\",", "\x1b[31mtoken",
}

// TestLinear holds that four times the text takes about four times as long, whatever it is made of.
func TestLinear(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	const n = 1 << 16
	least := func(s string) time.Duration {
		best := time.Hour
		for range 3 {
			begin := time.Now()
			r.String(s)
			best = min(best, time.Since(begin))
		}
		return best
	}
	for _, piece := range hostile {
		var short, long time.Duration
		for range 5 { // another process may have had the processor
			short, long = least(strings.Repeat(piece, n/len(piece))), least(strings.Repeat(piece, 4*n/len(piece)))
			if long < 10*short+time.Millisecond {
				break
			}
		}
		assert.Less(t, long, 10*short+time.Millisecond, "%q: %v for %d bytes, %v for four times as many", piece, short, n, long)
	}
}
