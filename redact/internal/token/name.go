package token

import (
	"slices"
	"strings"
)

// Class is the kind of secret that a name suggests.
type Class uint8

const (
	ClassNone Class = iota
	// ClassPassword may have any text as its value, including words.
	ClassPassword
	// ClassKey is a token, a key or a secret: the value has no blanks and is not a word.
	ClassKey
	// ClassWeak are names that usually mean something other than a secret: auth, credentials.
	ClassWeak
	// ClassEnvKey is an environment variable that ends in _KEY, of unknown kind.
	ClassEnvKey
	// ClassAuthorization is the Authorization header: a scheme and its credentials.
	ClassAuthorization
	// ClassCookie is the Cookie or Set-Cookie header.
	ClassCookie
	// ClassHeaders is the variable of an OTLP exporter with headers: name=value pairs.
	ClassHeaders
	// ClassSignature is a signature in the query of a URL, which gives access to what it signs.
	ClassSignature
	// ClassShell are PWD and PASS in capitals: the folder of a shell or the result of a test, otherwise a password.
	ClassShell
	// ClassOwn is a name from the settings.
	ClassOwn
)

// NameWords are the anchors of names: each secret-like name contains one of them.
var NameWords = []string{"pass", "pwd", "secret", "token", "key", "credential", "creds", "auth", "cookie", "jwt", "signature", "sig=", "psk", "bindpw", "rootpw", "otlp_", "honeycomb", "uptrace"}

// lastSegments maps the last segment of a name to its class.
var lastSegments = map[string]Class{
	"password": ClassPassword, "passwd": ClassPassword, "passphrase": ClassPassword, "pwd": ClassPassword,
	"pass": ClassPassword, "passwort": ClassPassword, "passcode": ClassPassword, "psk": ClassPassword, "bindpw": ClassPassword,
	"rootpw": ClassPassword,
	"secret": ClassKey, "secrets": ClassKey, "token": ClassKey, "jwt": ClassKey, "bearer": ClassKey,
	"creds": ClassWeak, "credential": ClassWeak, "credentials": ClassWeak, "auth": ClassWeak,
	"authorization": ClassAuthorization, "cookie": ClassCookie,
	"signature": ClassSignature, "sig": ClassSignature,
}

// lastEnds are the ends of segments written as one word, such as "dbpassword" and "apikey".
var lastEnds = []struct {
	end   string
	class Class
}{
	{"password", ClassPassword}, {"passwd", ClassPassword}, {"passphrase", ClassPassword},
	{"dbpass", ClassPassword}, {"userpass", ClassPassword}, {"rootpass", ClassPassword}, {"adminpass", ClassPassword},
	{"requirepass", ClassPassword}, {"masterauth", ClassPassword}, {"storepass", ClassPassword}, {"keypass", ClassPassword},
	{"sshpass", ClassPassword}, {"smtppass", ClassPassword}, {"mailpass", ClassPassword}, {"ftppass", ClassPassword},
	{"apikey", ClassKey}, {"accesskey", ClassKey}, {"secretkey", ClassKey}, {"privatekey", ClassKey},
	{"authkey", ClassKey}, {"masterkey", ClassKey}, {"signingkey", ClassKey}, {"encryptionkey", ClassKey},
	{"accountkey", ClassKey}, {"storagekey", ClassKey}, {"clientsecret", ClassKey}, {"appsecret", ClassKey},
	{"apisecret", ClassKey}, {"apitoken", ClassKey}, {"authtoken", ClassKey}, {"accesstoken", ClassKey},
	{"refreshtoken", ClassKey}, {"idtoken", ClassKey}, {"bottoken", ClassKey}, {"usertoken", ClassKey},
	{"sessiontoken", ClassKey}, {"bearertoken", ClassKey}, {"csrftoken", ClassKey}, {"secrettoken", ClassKey},
	{"identitytoken", ClassKey}, {"registrytoken", ClassKey}, {"oauthtoken", ClassKey}, {"apikeys", ClassKey},
}

// keyWords are the words before "key" in the name of a secret. Other keys are not secrets (primary, sort, cache).
var keyWords = []string{
	"api", "access", "private", "priv", "secret", "signing", "sign", "encryption", "encrypt", "master", "account",
	"shared", "auth", "service", "client", "ssh", "deploy", "admin", "root", "hmac", "webhook", "app", "application",
	"storage", "subscription", "consumer", "session", "server", "bot", "license", "crypto", "host", "function", "ingest",
	"ingestion", "instana", "preshared", "tls", "unseal",
}

// keyNames are the ends of other names of keys: headers of OTLP requests to Honeycomb and Uptrace.
var keyNames = []string{"honeycomb_team", "uptrace_dsn"}

// valueEnds are last segments that do not change the class: client-key-data, API_TOKEN_VALUE, SecretString.
var valueEnds = []string{"data", "value", "b64", "base64", "pem", "hash", "string"}

// notTokens are the words before "token" in a name that is not a secret.
var notTokens = []string{
	"next", "page", "continuation", "continue", "cancellation", "cancel", "sync", "resume", "start", "end", "stop",
	"eos", "bos", "pad", "unk", "special", "mask", "sep", "cls", "per", "max", "min", "first", "last", "prev",
	"previous", "current", "cur", "num", "input", "output", "prompt", "is", "has", "no", "by", "count", "kind", "type",
	"expected", "unexpected", "invalid", "string", "comment", "ident", "design", "color", "theme", "each", "eof",
	"backward", "forward", "change", "lock", "idempotency",
}

// Names are the names of the settings, in lower case and without separators.
type Names []string

// Classify classifies a name, in the form of [Reader.Normal], by its last segments.
func (own Names) Classify(ident []byte, caps bool) Class {
	if own.has(ident) {
		return ClassOwn
	}
	last := ident[lastIndexByte(ident, '_')+1:]
	rest := ident[:max(0, len(ident)-len(last)-1)]
	before := rest[lastIndexByte(rest, '_')+1:]
	c, ok := lastSegments[string(last)]
	switch {
	case ok && string(last) == "token" && slices.Contains(notTokens, string(before)):
		return ClassNone
	case ok && (string(last) == "pwd" || string(last) == "pass") && len(before) == 0 && caps:
		return ClassShell
	case ok:
		return c
	case string(last) == "key":
		if slices.Contains(keyWords, string(before)) {
			return ClassKey
		}
		if caps && len(before) > 0 && string(before) != "public" && string(before) != "primary" {
			return ClassEnvKey
		}
	case string(last) == "keys" && (string(before) == "api" || string(before) == "access" || string(before) == "secret"):
		return ClassKey
	case string(last) == "headers" && strings.Contains(string(rest), "otlp"):
		return ClassHeaders
	case string(last) == "base" && hasSuffix(rest, "secret_key"): // Rails
		return ClassKey
	case len(rest) > 0 && slices.Contains(valueEnds, string(last)):
		if c := own.Classify(rest, caps); c == ClassPassword || c == ClassKey {
			return ClassKey
		}
	case slices.ContainsFunc(keyNames, func(name string) bool { return hasSuffix(ident, name) }):
		return ClassKey
	default:
		for _, e := range lastEnds {
			if hasSuffix(last, e.end) {
				return e.class
			}
		}
	}
	return ClassNone
}

// has reports whether the name ends with a name from the settings.
func (own Names) has(ident []byte) bool {
	if len(own) == 0 {
		return false
	}
	flat := strings.ReplaceAll(string(ident), "_", "")
	return slices.ContainsFunc(own, func(n string) bool { return strings.HasSuffix(flat, n) })
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
