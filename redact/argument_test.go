package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/redact"
)

// A flag may be anywhere in a text, including its first byte, and its value may be the next element of a list. V is the
// value; texts without a value have no V.
func TestArguments(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	const secret = "k7d9q2x8m4v1z6n3"
	for _, tc := range []struct{ name, in string }{
		{"first byte", "--token V"},
		{"first byte, end of line", "--token V\n"},
		{"one dash", "-token V"},
		{"password", "--password V x"},
		{"api key", "--api-key V"},
		{"client secret", "--client-secret V"},
		{"quoted value", "--token 'V'"},
		{"equal sign", "--api-key=V"},
		{"line start", "x\n--token V\ny"},
		{"line start, written out", `x\n--token V\ny`},
		{"escape", `\u000a--token V`},
		{"color, written out", `\u001b[0m--token V`},
		{"color", "\x1b[1m--token V\x1b[0m"},
		{"color between", "--token \x1b[1mV\x1b[0m"},
		{"parenthesis", "(--token V)"},
		{"backtick", "`--token V`"},
		{"double quote", `"--token V"`},
		{"single quote", "'--token V'"},
		{"escaped quote", `{\"command\":\"--token V\"`},
		{"JSON", `{"command":"--token V"}`},
		{"JSON in JSON", `{"a":"{\"command\":\"--token V\"}"}`},
		{"next line", "run --token \\\n  V"},

		{"list", `["x","--token","V","y"]`},
		{"list of an object", `{"args":["--api-key", "V"]}`},
		{"list in JSON in text", `x {"args":["--token", "V"]}`},
		{"list in escaped JSON", `x {\"args\":[\"--token\",\"V\"]}`},
		{"list in JSON twice", `{"a":"[\"--password\",\"V\"]"}`},
		{"list in code", `exec.Command("x", "--token", "V")`},
		{"list in single quotes", `['x', '--client-secret', 'V']`},
		{"list on lines", "[\n  \"--token\",\n  \"V\",\n]"},
		{"list on lines, written out", `x \"--token\",\n  \"V\",\n`},
		{"words of a shell", `'--token' 'V'`},
		{"YAML", "args:\n  - --token\n  - V\n"},
		{"YAML in quotes", "args:\n  - \"--token\"\n  - \"V\"\n"},
		{"YAML written out", `args:\n- --token\n- V\n`},
		{"YAML on one line", "args: [--token, V]"},

		{"subscript", `env["API_KEY"] = V`},
		{"subscript in single quotes", `os.environ['API_KEY']=V`},
		{"subscript of a password", `env["DB_PASSWORD"] = V`},
		{"subscript, escaped", `env[\"API_KEY\"] = V`},
		{"subscript in JSON", `{"code":"env[\"API_KEY\"] = V"}`},

		{"next flag", `["--token", "--verbose2"] --password --v2`},
		{"help", `{"--password", "the password of user 1 on that host"}, {"--token", "Token v2 to use"}`},
		{"types", "--token string --password text"},
		{"prose", "--token, --password and --api-key are flags"},
		{"references", "--token $TOKEN1\n\"--token\", \"$TOKEN1\"\n- --token\n- ${TOKEN1}"},
		{"calls", `cmd("--token", token1(), "--password", os.Getenv("X1"))`},
		{"list of dashes", "- token\n- file1234a\n- password\n- hunter2x"},
		{"subscript in code", `env["API_KEY"] = key2; env["TOKEN"] = cfg.Token1; m["password"] = password1(x)`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in, want := strings.ReplaceAll(tc.in, "V", secret), strings.ReplaceAll(tc.in, "V", "[redacted]")
			if !strings.Contains(tc.in, "V") {
				want = in
			}
			got := r.String(in)
			assert.Equal(t, want, got)
			assert.Equal(t, want, r.String(got), "twice is once")
			e := events.DisplayEvent{Text: in, Tool: events.Tool{Target: in, Output: []byte(in)}}
			r.Event(&e)
			assert.Equal(t, []string{want, want, want}, []string{e.Text, e.Tool.Target, string(e.Tool.Output)})
		})
	}
}
