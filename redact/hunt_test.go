package redact_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/redact"
)

// forms are the documented ways in which a text contains a secret, with %s for the secret.
var forms = []struct{ name, text string }{
	{"assignment", "DEMO_API_KEY=%s"}, {"assignment in quotes", `export DB_PASSWORD="%s"`}, {"colon", "password: %s"},
	{"walrus", `apiKey := "%s"`}, {"member", `"client_secret": "%s"`}, {"tag", "<password>%s</password>"},
	{"flag", "--token %s"}, {"flag of a password", "--password %s"}, {"flag with equal sign", "--api-key=%s"},
	{"list", `"--client-secret", "%s"`}, {"list of JSON", `["--token","%s"]`}, {"list of YAML", "- --token\n- %s"},
	{"subscript", `env["API_KEY"] = %s`}, {"subscript in quotes", `env["API_KEY"] = "%s"`},
	{"pair", `{"name":"API_KEY","value":"%s"}`}, {"SQL", "PASSWORD '%s'"},
	{"object", `{"user":"u","password":"%s"}`}, {"bearer", "Bearer %s"}, {"header", "Authorization: Bearer %s"},
	{"header in curl", "curl -H 'Authorization: Bearer %s'"}, {"header of a key", "X-Api-Key: %s"}, {"cookie", "Cookie: sid=%s"},
	{"url", "https://user:%s@host.example/"}, {"url without a user", "redis://:%s@host:6379/0"},
	{"query", "https://host.example/x?access_token=%s&n=1"}, {"signature", "https://s3.example/x?X-Amz-Signature=%s"},
	{"curl user", "curl -u demo:%s"}, {"curl user, long", "curl --user demo:%s"}, {"sshpass", "sshpass -p %s ssh h"},
	{"docker login", "docker login -u demo -p %s"}, {"mysql", "mysql -uroot -p%s db"},
	{"github", "ghp_%s"}, {"anthropic", "sk-ant-api03-%s"}, {"vault", "hvs.%s"}, {"npm", "npm_%s"}, {"huggingface", "hf_%s"},
	{"webhook", "https://hooks.slack.com/services/%s"}, {"jwt", "eyJhbGciOiJub25lIn0.%s.%s"},
	{"private key", "-----BEGIN PRIVATE KEY-----\n%s\n%s\n-----END PRIVATE KEY-----"},
}

// surroundings are texts around a form.
var surroundings = []struct {
	name string
	put  func(form string) string
}{
	{"alone", func(s string) string { return s }},
	{"first", func(s string) string { return s + "\nand more" }},
	{"line start", func(s string) string { return "before\n" + s + "\nafter" }},
	{"CRLF", func(s string) string { return "before\r\n" + strings.ReplaceAll(s, "\n", "\r\n") + "\r\nafter" }},
	{"tab", func(s string) string { return "before\t" + s }},
	{"end", func(s string) string { return "some words " + s }},
	{"double quotes", func(s string) string { return `x "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `" y` }},
	{"single quotes", func(s string) string {
		if strings.Contains(s, "'") {
			return s
		}
		return "x '" + s + "' y"
	}},
	{"backticks", func(s string) string { return "x `" + s + "` y" }},
	{"parentheses", func(s string) string { return "x (" + s + ")" }},
	{"JSON", func(s string) string { return `{"command":` + jsonString(s) + `}` }},
	{"JSON in JSON", func(s string) string { return `{"a":` + jsonString(`{"command":`+jsonString(s)+`}`) + `}` }},
	{"JSON in text", func(s string) string { return `got {"command":` + jsonString(s) + `} ok` }},
	{"JSON in JSON in text", func(s string) string {
		return `got {"a":` + jsonString(`{"command":`+jsonString(s)+`}`) + `} ok`
	}},
	{"cut JSON", func(s string) string { return `{"command":` + jsonString("x\n"+s+"\ny") }},
	{"color", func(s string) string { return "\x1b[31m" + s + "\x1b[0m" }},
	{"color, bright", func(s string) string { return "x \x1b[1;38;5;9m" + s + "\x1b[0m y" }},
	{"color in JSON", func(s string) string { return `{"out":` + jsonString("\x1b[31m"+s+"\x1b[0m") + `}` }},
	{"color in JSON in text", func(s string) string { return `got {"out":` + jsonString("\x1b[31m"+s+"\x1b[0m") + `} ok` }},
}

func jsonString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

var huntSeed = flag.Uint64("hunt-seed", 1, "seed of TestHunt; 0 takes a new one")

// madeUp returns letters and digits that are as random as a key, and never a word.
func madeUp(rnd *rand.Rand, n int) string {
	const letters, digits = "bcdfghjkmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ", "23456789"
	b := make([]byte, n)
	for i := range b {
		if b[i] = letters[rnd.IntN(len(letters))]; i%3 == 1 {
			b[i] = digits[rnd.IntN(len(digits))]
		}
	}
	return string(b)
}

// TestHunt puts made-up secrets of every documented form in every place, and checks that none remains in texts,
// targets, contents and summaries that are cut within it.
func TestHunt(t *testing.T) {
	seed := *huntSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	r := newRedactor(t, redact.Settings{})
	for _, form := range forms {
		for _, where := range surroundings {
			t.Run(form.name+"/"+where.name, func(t *testing.T) {
				secret := madeUp(rnd, 36)
				text := where.put(strings.ReplaceAll(form.text, "%s", secret))
				e := events.DisplayEvent{Text: text, Tool: events.Tool{Target: text, Output: []byte(text), Input: []byte(text)}}
				r.Event(&e)
				for _, got := range []string{e.Text, e.Tool.Target, string(e.Tool.Output), string(e.Tool.Input), events.CleanLine(e.Text, 0)} {
					assert.Empty(t, leaks(got, secret), "seed %d: %q of %q", seed, got, text)
				}
				for range 6 {
					output := strings.Repeat("é ", rnd.IntN(events.SummaryRunes/2+2)) + strings.Repeat(" ", rnd.IntN(2)) + text + strings.Repeat(" and so on", 12)
					for _, have := range [][]byte{[]byte(output), nil} {
						e := events.DisplayEvent{Tool: events.Tool{Summary: events.Summary(output), Output: have}}
						r.Event(&e)
						assert.Empty(t, leaks(e.Tool.Summary, secret), "seed %d: %q of %q", seed, e.Tool.Summary, output)
					}
				}
			})
		}
	}
}
