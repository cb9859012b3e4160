package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/redact"
)

func newRedactor(t testing.TB, s redact.Settings) *redact.Redactor {
	t.Helper()
	r, err := redact.NewRedactor(s)
	require.NoError(t, err)
	return r
}

// Made-up secrets, one of each shape.
const (
	alnum36 = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2"
	hex32   = "0123456789abcdef0123456789abcdef"
	jwt     = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJkZW1vIn0.c2lnbmF0dXJlLWRlbW8"
	pem     = "-----BEGIN RSA PRIVATE KEY-----\nMIIBdemoDEMOdemoDEMOdemoDEMOdemoDEMO0123456789+/\nAAAAdemo==\n-----END RSA PRIVATE KEY-----"
)

func TestString(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		// by shape
		{"anthropic", "key sk-ant-api03-" + alnum36 + " end", "key [redacted:anthropic] end"},
		{"openai", "sk-proj-" + alnum36, "[redacted:openai]"},
		{"openai, old", "(sk-" + alnum36 + ")", "([redacted:openai])"},
		{"kebab case is no key", "class sk-circle-fade-dot-animation-container", ""},
		{"github", "git clone https://ghp_" + alnum36 + "@github.com/o/r", "git clone https://[redacted]@github.com/o/r"},
		{"github, fine-grained", "github_pat_" + alnum36 + "_" + alnum36, "[redacted:github]"},
		{"gitlab", "glpat-" + alnum36[:20], "[redacted:gitlab]"},
		{"slack", "xoxb-123456789012-" + alnum36, "[redacted:slack]"},
		{"slack webhook", "https://hooks.slack.com/services/T00000000/B00000000/" + alnum36[:24], "https://hooks.slack.com/services/[redacted:webhook]"},
		{"aws id and key", "AKIADEMODEMODEMO0000 Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2/+zz ok", "[redacted:aws] [redacted:aws] ok"},
		{"aws id, too long", "AKIADEMODEMODEMO00000 XAKIADEMODEMODEMO00000", ""},
		{"google", "AIza" + alnum36[:35], "[redacted:google]"},
		{"stripe", "sk_live_" + alnum36, "[redacted:stripe]"},
		{"npm", "npm_" + alnum36, "[redacted:npm]"},
		{"npm, a variable", "npm_config_registry_of_some_long_name", ""},
		{"pypi", "pypi-" + alnum36 + alnum36, "[redacted:pypi]"},
		{"huggingface", "hf_" + alnum36, "[redacted:huggingface]"},
		{"sendgrid", "SG." + alnum36[:22] + "." + alnum36, "[redacted:sendgrid]"},
		{"twilio", "SK" + hex32, "[redacted:twilio]"},
		{"azure", "abc8Q~" + alnum36[:34], "[redacted:azure]"},
		{"digitalocean", "dop_v1_" + hex32 + hex32, "[redacted:digitalocean]"},
		{"doppler", "dp.pt." + alnum36, "[redacted:doppler]"},
		{"vault", "hvs." + alnum36, "[redacted:vault]"},
		{"telegram", "bot 123456789:AA" + alnum36[:33], "bot [redacted:telegram]"},
		{"jwt", "x " + jwt + ", y", "x [redacted:jwt], y"},
		{"jwt, start of base64 of an object", "eyJhbGciOiJub25lIn0", ""},
		{"private key", "a\n" + pem + "\nb", "a\n[redacted:private-key]\nb"},
		{"private key, escaped", `"key": "-----BEGIN PRIVATE KEY-----\nMIIBdemoDEMOdemoDEMO0123\nAA==\n-----END PRIVATE KEY-----\n"`, `"key": "[redacted:private-key]\n"`},
		{"private key, twice escaped", `-----BEGIN PRIVATE KEY-----\\nMIIBdemoDEMOdemoDEMO0123\\n-----END PRIVATE KEY-----`, `[redacted:private-key]`},
		{"private key, numbered lines", "     1→-----BEGIN OPENSSH PRIVATE KEY-----\n     2→b3BlbnNzaC1kemoDEMO0123\n     3→AAAA\n     4→-----END OPENSSH PRIVATE KEY-----\n     5→x", "     1→[redacted:private-key]\n     5→x"},
		{"private key without an end", "-----BEGIN PRIVATE KEY-----\nMIIBdemoDEMOdemoDEMO0123\nMIIBdemoDEMOdemoDEMO0123\n\nand more", "[redacted:private-key]\n\nand more"},
		{"private key in words", "look for -----BEGIN PRIVATE KEY----- in the files", ""},
		{"certificate", "-----BEGIN CERTIFICATE-----\nMIIBdemoDEMOdemoDEMO0123\n-----END CERTIFICATE-----", ""},
		{"after an escaped line break", `a\nghp_` + alnum36, `a\n[redacted:github]`},
		{"after a percent escape", `x%3Dghp_` + alnum36, `x%3D[redacted:github]`},
		{"in a word", "Xghp_" + alnum36, "X[redacted:github]"},
		{"in a long word", strings.Repeat("Xy1", 20) + "ghp_" + alnum36, ""},

		// headers
		{"bearer in single quotes", "curl -H 'Authorization: Bearer AAAA1111BBBB2222CCCC3333' https://api.example", "curl -H 'Authorization: Bearer [redacted]' https://api.example"},
		{"bearer in double quotes", `curl -H "Authorization: Bearer AAAA1111BBBB2222" x`, `curl -H "Authorization: Bearer [redacted]" x`},
		{"bearer in JSON", `{"Authorization": "Bearer AAAA1111BBBB2222"}`, `{"Authorization": "Bearer [redacted]"}`},
		{"bearer in JSON in text", `x {"Authorization": "Bearer AAAA1111BBBB2222"}`, `x {"Authorization": "Bearer [redacted]"}`},
		{"bearer in escaped JSON", `x {\"authorization\":\"Bearer AAAA1111BBBB2222\"}`, `x {\"authorization\":\"Bearer [redacted]\"}`},
		{"basic", "Authorization: Basic ZGVtbzpkZW1vMTIz\r\nHost: x", "Authorization: Basic [redacted]\r\nHost: x"},
		{"token", "authorization: token 0123456789abcdef", "authorization: token [redacted]"},
		{"no scheme", "Authorization: 0123456789abcdefABCDEF", "Authorization: [redacted]"},
		{"other scheme", "Authorization: Hawk0 XXXX1111yyyy2222ZZZZ\r\nHost: x", "Authorization: Hawk0 [redacted]\r\nHost: x"},
		{"other scheme in quotes", `-H 'Authorization: Hawk0 XXXX1111yyyy2222ZZZZ' x`, `-H 'Authorization: Hawk0 [redacted]' x`},
		{"other scheme in escaped JSON", `"Authorization: Hawk0 XXXX1111yyyy2222ZZZZ\n"`, `"Authorization: Hawk0 [redacted]\n"`},
		{"other scheme in words", "Authorization: request XXXX1111yyyy2222ZZZZ was denied", ""},
		{"proxy", "Proxy-Authorization: Basic ZGVtbzpkZW1vMTIz", "Proxy-Authorization: Basic [redacted]"},
		{"aws signature", "Authorization: AWS4-HMAC-SHA256 Credential=A/20260101/r/s, SignedHeaders=host, Signature=abcdef0123", "Authorization: AWS4-HMAC-SHA256 [redacted]"},
		{"reference", `-H "Authorization: Bearer $TOKEN"`, ""},
		{"reference in braces", `-H "Authorization: Bearer ${API_TOKEN}"`, ""},
		{"placeholder", `Authorization: Bearer <token>`, ""},
		{"concatenation", `"Authorization": "Bearer " + token`, ""},
		{"bearer alone", `h := "Bearer AAAA1111BBBB2222CCCC"`, `h := "Bearer [redacted]"`},
		{"bearer in words", "a bearer token is sent", ""},
		{"cookie", "Cookie: sid=abcdef012345; theme=dark\nHost: x", "Cookie: sid=[redacted]\nHost: x"},
		{"set-cookie in quotes", `-H 'Set-Cookie: sid=abcdef; Path=/' x`, `-H 'Set-Cookie: sid=[redacted]' x`},
		{"cookie in words", "cookie: a small biscuit", ""},
		{"api key header", "x-api-key: zz-demo-0123456789", "x-api-key: [redacted]"},

		// URLs
		{"url password", "https://user:hunter2secret@host.example/x?token=qwertyuiop123456", "https://user:[redacted]@host.example/x?token=[redacted]"},
		{"url password with a slash", "postgres://u:p:ss/w0rd@host/db", "postgres://u:[redacted]@host/db"},
		{"url without user", "redis://:pa55word@host:6379/0", "redis://:[redacted]@host:6379/0"},
		{"url token as user", "https://AAAA1111BBBB2222cccc@host.example/x", "https://[redacted]@host.example/x"},
		{"url port and @ in path", "http://localhost:8080/pkg@v1.2.3", ""},
		{"url version", "https://host.example/pkg@v1.2.3", ""},
		{"url reference", "https://user:$PASS@host https://${U}:${P}@host https://user:<pass>@host", ""},
		{"ssh url", "ssh://git@github.com/o/r git@github.com:o/r", ""},
		{"query", "GET /x?a=1&access_token=abcd1234efgh&b=2", "GET /x?a=1&access_token=[redacted]&b=2"},
		{"signed url", "https://s3.example/x?X-Amz-Signature=0123456789abcdef0123&y=1", "https://s3.example/x?X-Amz-Signature=[redacted]&y=1"},

		// names
		{"assignment", "DEMO_API_KEY=zz-demo-0123456789abcdef ./run", "DEMO_API_KEY=[redacted] ./run"},
		{"export in quotes", `export DB_PASSWORD="correct horse battery" && x`, `export DB_PASSWORD="[redacted]" && x`},
		{"plain word of a variable", "DB_PASSWORD=letmein", "DB_PASSWORD=[redacted]"},
		{"yaml", "password: hunter2secret", "password: [redacted]"},
		{"yaml word", "password: letmein\nuser: x", "password: [redacted]\nuser: x"},
		{"json", `{"user":"u","password":"hunter2"}`, `{"user":"u","password":"[redacted]"}`},
		{"json in text", `got {"clientSecret": "zz-0123456789", "n": 1} ok`, `got {"clientSecret": "[redacted]", "n": 1} ok`},
		{"escaped json", `"{\"api_key\":\"zz-0123456789\",\"n\":1}"`, `"{\"api_key\":\"[redacted]\",\"n\":1}"`},
		{"twice escaped json", `"{\\\"api_key\\\":\\\"zz-0123456789\\\"}"`, `"{\\\"api_key\\\":\\\"[redacted]\\\"}"`},
		{"quote in the value", `{"password":"a\"b\\","x":"y"}`, `{"password":"[redacted]","x":"y"}`},
		{"number in json", `{"password":12345678,"x":1}`, `{"password":"[redacted]","x":1}`},
		{"number in json in text", `x {"password": 12345678}`, `x {"password": "[redacted]"}`},
		{"name and value", `[{"name":"API_KEY","value":"zz-0123456789"}]`, `[{"name":"API_KEY","value":"[redacted]"}]`},
		{"name and value in text", `x {"name": "API_KEY", "value": "zz-0123456789"}`, `x {"name": "API_KEY", "value": "[redacted]"}`},
		{"name and value in yaml", "- name: API_KEY\n  value: zz-0123456789abcd", "- name: API_KEY\n  value: [redacted]"},
		{"array", `{"tokens":1,"api_tokens":["a"],"secrets":["zz-0123456789"]}`, `{"tokens":1,"api_tokens":["a"],"secrets":["[redacted]"]}`},
		{"flag", "run --password hunter2x --verbose", "run --password [redacted] --verbose"},
		{"flag with equal sign", "run --api-key=zz-0123456789 x", "run --api-key=[redacted] x"},
		{"flag in quotes", "run --password 'two words' x", "run --password '[redacted]' x"},
		{"flag in prose", "use the --password flag, or --token to sign in", ""},
		{"curl user", "curl -u demo:hunter2 https://x", "curl -u demo:[redacted] https://x"},
		{"curl user after another command", "cd build && curl -u demo:hunter2 https://x", "cd build && curl -u demo:[redacted] https://x"},
		{"curl user, long", `curl -s --user "demo:hunter2" https://x`, `curl -s --user "demo:[redacted]" https://x`},
		{"user agent", `curl --user-agent "demo:hunter2" https://x`, ""},
		{"docker", "docker run -u 1000:1000 -p 8080:8080 x", ""},
		{"docker login", "docker login -u demo -p hunter2x", "docker login -u demo -p [redacted]"},
		{"mysql", "mysql -uroot -phunter2 db", "mysql -uroot -p[redacted] db"},
		{"sshpass", "sshpass -p hunter2x ssh h", "sshpass -p [redacted] ssh h"},
		{"mkdir", "mkdir -p some/folder1", ""},
		{"sql", "CREATE USER x WITH PASSWORD 'hunter2x'", "CREATE USER x WITH PASSWORD '[redacted]'"},
		{"xml", "<password>hunter2</password>", "<password>[redacted]</password>"},
		{"go", `password := "hunter2"`, `password := "[redacted]"`},
		{"npmrc", "//registry.example/:_authToken=0123456789abcdef", "//registry.example/:_authToken=[redacted]"},
		{"docker config", `{"auths":{"x":{"auth":"ZGVtbzpkZW1vMTIzNDU2"}}}`, `{"auths":{"x":{"auth":"[redacted]"}}}`},
		{"several", "A_TOKEN=zz-0123456789;B_SECRET=yy-0123456789", "A_TOKEN=[redacted];B_SECRET=[redacted]"},
		{"azure connection", "AccountName=x;AccountKey=AAAA1111bbbb2222==;EndpointSuffix=y", "AccountName=x;AccountKey=[redacted];EndpointSuffix=y"},
		{"markdown", "**Password:** `hunter2x`", "**Password:** `[redacted]`"},
		{"subscript", `os.environ["API_KEY"] = "zz-0123456789"`, `os.environ["API_KEY"] = "[redacted]"`},
		{"punctuation", "(password=hunter2x).", "(password=[redacted])."},
		{"special bytes", `PASSWORD=p&a;b|c ok`, `PASSWORD=[redacted] ok`},

		// not secrets
		{"counts", `{"tokens": 123, "max_tokens": 4096, "token_count": 12, "input_tokens": 12345678}`, ""},
		{"secretary", "secretary: Mr Smith2000", ""},
		{"reference in shell", "TOKEN=$TOKEN PASSWORD=${PASSWORD} SECRET=$(cat x1) API_KEY=%API_KEY%", ""},
		{"templates", "token: ${{ secrets.TOKEN1 }}\npassword: {{ .Values.password1 }}", ""},
		{"placeholders", "API_KEY=<your key> API_KEY=your-api-key API_KEY=xxxxxxxx PASSWORD=******** password: null, secret: true", ""},
		{"paths", "PWD=/proj/demo1 SECRET_FILE=/run/x PASSWORD=/run/secrets/db1", ""},
		{"types", "password: string\ntoken: Token\nsecret?: string;\npassword: str", ""},
		{"code", "token := r.Header.Get(x)\npassword = getPassword()\nsecret = cfg.secret1.Value\napiKey: process.env.API_KEY", ""},
		{"itself", "login(password=password, token=token)", ""},
		{"compare", "if token == nil || password != other {", ""},
		{"paging", `{"nextToken":"abcd1234efgh","next_page_token":"abcd1234"}`, ""},
		{"keys of maps", `{"key":"value12345678","primary_key":"abcd12345678","public_key":"abcd12345678"}`, ""},
		{"prose", "The token: a word that stands for another. Password: must have 8 letters.", ""},
		{"short", "pwd=ab token=abc123", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRedactor(t, redact.Settings{})
			want := tc.want
			if want == "" {
				want = tc.in
			}
			got := r.String(tc.in)
			assert.Equal(t, want, got)
			assert.Equal(t, want, string(r.Bytes([]byte(tc.in))))
			assert.Equal(t, got, r.String(got), "twice is once")
			assert.Equal(t, got != tc.in, r.Contains(tc.in))
		})
	}
}
