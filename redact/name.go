package redact

import (
	"slices"
	"strings"
)

// class is what kind of secret a name suggests.
type class uint8

const (
	classNone class = iota
	// classPassword may be any text, words too.
	classPassword
	// classKey is a token, a key or a secret: no blanks, and not a word.
	classKey
	// classWeak are names that mean other things more often than a secret: auth, credentials.
	classWeak
	// classEnvKey is an environment variable that ends in _KEY, of no known kind.
	classEnvKey
	// classAuthorization is the header: a scheme and its credentials.
	classAuthorization
	// classCookie is the header Cookie or Set-Cookie.
	classCookie
	// classSignature is a signature in the query of a URL, which opens what it signs.
	classSignature
	// classShell are PWD and PASS in capitals: the folder of a shell or a result of a test, else a password.
	classShell
	// classOwn is a name from [Settings.Names].
	classOwn
)

// nameWords are the anchors of names: each secret-like name has one of them in it.
var nameWords = []string{"pass", "pwd", "secret", "token", "key", "credential", "creds", "auth", "cookie", "jwt", "signature", "sig=", "psk", "bindpw", "rootpw"}

// lastSegments are the last segments of names, and their class.
var lastSegments = map[string]class{
	"password": classPassword, "passwd": classPassword, "passphrase": classPassword, "pwd": classPassword,
	"pass": classPassword, "passwort": classPassword, "passcode": classPassword, "psk": classPassword, "bindpw": classPassword,
	"rootpw": classPassword,
	"secret": classKey, "secrets": classKey, "token": classKey, "jwt": classKey, "bearer": classKey,
	"creds": classWeak, "credential": classWeak, "credentials": classWeak, "auth": classWeak,
	"authorization": classAuthorization, "cookie": classCookie,
	"signature": classSignature, "sig": classSignature,
}

// lastEnds are the ends of segments that are one word, such as "dbpassword" and "apikey".
var lastEnds = []struct {
	end   string
	class class
}{
	{"password", classPassword}, {"passwd", classPassword}, {"passphrase", classPassword},
	{"dbpass", classPassword}, {"userpass", classPassword}, {"rootpass", classPassword}, {"adminpass", classPassword},
	{"requirepass", classPassword}, {"masterauth", classPassword}, {"storepass", classPassword}, {"keypass", classPassword},
	{"smtppass", classPassword}, {"mailpass", classPassword}, {"ftppass", classPassword},
	{"apikey", classKey}, {"accesskey", classKey}, {"secretkey", classKey}, {"privatekey", classKey},
	{"authkey", classKey}, {"masterkey", classKey}, {"signingkey", classKey}, {"encryptionkey", classKey},
	{"accountkey", classKey}, {"storagekey", classKey}, {"clientsecret", classKey}, {"appsecret", classKey},
	{"apisecret", classKey}, {"apitoken", classKey}, {"authtoken", classKey}, {"accesstoken", classKey},
	{"refreshtoken", classKey}, {"idtoken", classKey}, {"bottoken", classKey}, {"usertoken", classKey},
	{"sessiontoken", classKey}, {"bearertoken", classKey}, {"csrftoken", classKey}, {"secrettoken", classKey},
}

// keyWords are the words before "key" in the name of a secret; other keys are none (primary, sort, cache).
var keyWords = []string{
	"api", "access", "private", "priv", "secret", "signing", "sign", "encryption", "encrypt", "master", "account",
	"shared", "auth", "service", "client", "ssh", "deploy", "admin", "root", "hmac", "webhook", "app", "application",
	"storage", "subscription", "consumer", "session", "server", "bot", "license", "crypto", "host", "function", "ingest",
	"preshared", "tls",
}

// valueEnds are last segments that do not change the class: client-key-data, API_TOKEN_VALUE.
var valueEnds = []string{"data", "value", "b64", "base64", "pem", "hash"}

// notTokens are the words before "token" in a name that is no secret.
var notTokens = []string{
	"next", "page", "continuation", "continue", "cancellation", "cancel", "sync", "resume", "start", "end", "stop",
	"eos", "bos", "pad", "unk", "special", "mask", "sep", "cls", "per", "max", "min", "first", "last", "prev",
	"previous", "current", "cur", "num", "input", "output", "prompt", "is", "has", "no", "by", "count", "kind", "type",
	"expected", "unexpected", "invalid", "string", "comment", "ident", "design", "color", "theme", "each", "eof",
	"backward", "forward", "change", "lock", "idempotency",
}

// name is an identifier in the text.
type name struct {
	start, end int
	class      class
	// caps: the identifier is written in capitals, as environment variables are.
	caps bool
}

const maxIdent = 80

// nameAround reads the identifier around the bytes from i to end, and classifies it.
func (f *finder[T]) nameAround(i, end int) name {
	for end < len(f.s) && end-i < maxIdent && is(f.s[end], cAlnum|cIdent) {
		end++
	}
	for end > i && f.s[end-1] == '.' { // the end of a sentence
		end--
	}
	if !f.mayEndName(i, end) {
		return name{}
	}
	start := i
	for start > 0 && i-start < maxIdent && is(f.s[start-1], cAlnum|cIdent) {
		start--
	}
	// The letter of \n belongs to the escape: a backslash is before it.
	if start > 0 && f.s[start-1] == '\\' && start < i && starts(f.s, start+1) {
		start++
	}
	// So do the parameters of a color that is written out.
	if at := skip(f.s, start, i, cDigit); at < i && f.s[at] == 'm' && colorBefore(f.s, at) {
		start = at + 1
	}
	n := name{start: start, end: end}
	m := mixOf(f.s, start, end)
	n.caps = m.lower == 0 && m.upper > 0
	ident := f.normal(start, end)
	n.class = f.r.classify(ident, n.caps)
	if n.class == classNone && string(ident) == "key" {
		f.twoWords(&n)
	}
	return n
}

// twoWords adds the word before a lone "key" to the name: "api key".
func (f *finder[T]) twoWords(n *name) {
	end := n.start - 1
	if end < 1 || f.s[end] != ' ' {
		return
	}
	start := end
	for start > 0 && end-start < maxIdent && is(f.s[start-1], cAlnum) {
		start--
	}
	if slices.Contains(keyWords, string(f.normal(start, end))) {
		n.start, n.class = start, classKey
	}
}

// mayEndName checks cheaply what follows the identifier around i, which ends at end: most identifiers have no value.
func (f *finder[T]) mayEndName(i, end int) bool {
	if end >= len(f.s) {
		return false
	}
	switch c := f.s[end]; c {
	case '\\', '%', '&':
		if _, n := escapeAt(f.s, end); n > 0 {
			f.escapes = true
		}
		return c != '&'
	case '=', ':', '"', '\'', '>', ']', '`', '*', '(', '?', '!', '[', '<', '|':
		return true
	case ' ', '\t', '\n', '\r', ',':
		return f.valueMayFollow(i, end)
	}
	return false
}

// valueMayFollow checks the first byte behind the blanks that follow the identifier around i against what valueAfter
// accepts. Some names need none.
func (f *finder[T]) valueMayFollow(i, end int) bool {
	s := f.s
	after := end
	if s[after] == ',' {
		after++
	}
	after = skip(s, after, len(s), cSpace)
	if after >= len(s) {
		return false
	}
	switch s[after] {
	case '=', ':', '>', '%', ',', '\'', '"', '\\', 'v', 'V', '|', '?', '[':
		return true
	case 'p', 'P':
		if hasAt(s, after, "parametervalue", true) {
			return true
		}
	case '{':
		return true
	case 's', 'S', '*', 'a', 'A', 't', 'T':
		if f.typeWord(after) > 0 {
			return true
		}
	case 'o':
		if hasAt(s, after, "or ", false) {
			return true
		}
	}
	start := i
	for start > 0 && i-start < maxIdent && is(s[start-1], cAlnum|cIdent) {
		start--
	}
	return flagStart(s, start, i) >= 0 || is(s[end], cBlank) && f.isDirective(start, end)
}

// normal copies a short piece to the finder's own array, in lower case, with an underscore between its segments: apiKey,
// API-Key and api.key are api_key. A number at the end is no segment.
func (f *finder[T]) normal(start, end int) []byte {
	f.n = 0
	put := func(c byte) {
		if f.n < len(f.ident) {
			f.ident[f.n] = c
			f.n++
		}
	}
	for i := start; i < end; i++ {
		c := f.s[i]
		switch {
		case is(c, cIdent):
			if f.n > 0 && f.ident[f.n-1] != '_' {
				put('_')
			}
			continue
		case is(c, cUpper) && i > start:
			before, after := f.s[i-1], byte(0)
			if i+1 < end {
				after = f.s[i+1]
			}
			if is(before, cLower|cDigit) || is(before, cUpper) && is(after, cLower) {
				put('_')
			}
		}
		put(toLower(c))
	}
	for f.n > 0 && (is(f.ident[f.n-1], cDigit) || f.ident[f.n-1] == '_') {
		f.n--
	}
	return f.ident[:f.n]
}

// classify classifies a name by its last segments.
func (r *Redactor) classify(ident []byte, caps bool) class {
	if r.isOwn(ident) {
		return classOwn
	}
	last := ident[lastIndexByte(ident, '_')+1:]
	rest := ident[:max(0, len(ident)-len(last)-1)]
	before := rest[lastIndexByte(rest, '_')+1:]
	c, ok := lastSegments[string(last)]
	switch {
	case ok && string(last) == "token" && slices.Contains(notTokens, string(before)):
		return classNone
	case ok && (string(last) == "pwd" || string(last) == "pass") && len(before) == 0 && caps:
		return classShell
	case ok:
		return c
	case string(last) == "key":
		if slices.Contains(keyWords, string(before)) {
			return classKey
		}
		if caps && len(before) > 0 && string(before) != "public" && string(before) != "primary" {
			return classEnvKey
		}
	case string(last) == "base" && hasSuffix(rest, "secret_key"): // Rails
		return classKey
	case len(rest) > 0 && slices.Contains(valueEnds, string(last)):
		if c := r.classify(rest, caps); c == classPassword || c == classKey {
			return classKey
		}
	default:
		for _, e := range lastEnds {
			if hasSuffix(last, e.end) {
				return e.class
			}
		}
	}
	return classNone
}

// isOwn reports whether the name ends with one that the settings name.
func (r *Redactor) isOwn(ident []byte) bool {
	if len(r.names) == 0 {
		return false
	}
	flat := strings.ReplaceAll(string(ident), "_", "")
	return slices.ContainsFunc(r.names, func(n string) bool { return strings.HasSuffix(flat, n) })
}

func lastIndexByte(b []byte, c byte) int {
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] == c {
			return i
		}
	}
	return -1
}

func hasSuffix(b []byte, suffix string) bool {
	return len(b) >= len(suffix) && string(b[len(b)-len(suffix):]) == suffix
}
