package redact

// shape is a kind of secret that is told by how it begins.
type shape struct {
	kind   string // stands in the marker
	prefix string
	// charset is which bytes follow the prefix, and least how many.
	charset charset
	least   int
	// exact asks for exactly least bytes.
	exact bool
	// random asks that what follows looks made by chance, for prefixes that ordinary words share.
	random bool
}

type charset uint8

const (
	charsAlnum charset = iota // letters and digits
	charsWord                 // and _
	charsURL                  // and -
	charsDot                  // and .
	charsUpper                // upper-case letters and digits
	charsHex                  // hexadecimal digits
	charsB64                  // letters, digits, + / = _ -
	charsPath                 // and /
)

func (c charset) has(b byte) bool {
	switch c {
	case charsAlnum:
		return is(b, cAlnum)
	case charsWord:
		return is(b, cAlnum) || b == '_'
	case charsURL:
		return is(b, cAlnum) || b == '_' || b == '-'
	case charsDot:
		return is(b, cAlnum|cIdent)
	case charsUpper:
		return is(b, cUpper|cDigit)
	case charsHex:
		return isHex(b)
	case charsPath:
		return is(b, cAlnum|cIdent) || b == '/'
	default:
		return is(b, cB64)
	}
}

// shapes are the prefixes of keys and tokens, as their issuers document them. A longer prefix stands before a shorter
// one that it begins with.
var shapes = []shape{
	{kind: "anthropic", prefix: "sk-ant-", charset: charsURL, least: 16},
	{kind: "openai", prefix: "sk-proj-", charset: charsURL, least: 16, random: true},
	{kind: "openai", prefix: "sk-", charset: charsURL, least: 20, random: true},
	{kind: "stripe", prefix: "sk_live_", charset: charsWord, least: 10},
	{kind: "stripe", prefix: "rk_live_", charset: charsWord, least: 10},
	{kind: "stripe", prefix: "sk_test_", charset: charsWord, least: 10},
	{kind: "stripe", prefix: "rk_test_", charset: charsWord, least: 10},
	{kind: "stripe", prefix: "whsec_", charset: charsB64, least: 16},
	{kind: "github", prefix: "ghp_", charset: charsWord, least: 30},
	{kind: "github", prefix: "gho_", charset: charsWord, least: 30},
	{kind: "github", prefix: "ghu_", charset: charsWord, least: 30},
	{kind: "github", prefix: "ghs_", charset: charsDot, least: 30},
	{kind: "github", prefix: "ghr_", charset: charsWord, least: 30},
	{kind: "github", prefix: "github_pat_", charset: charsWord, least: 20},
	{kind: "gitlab", prefix: "glpat-", charset: charsDot, least: 20},
	{kind: "gitlab", prefix: "glptt-", charset: charsDot, least: 20},
	{kind: "gitlab", prefix: "gldt-", charset: charsDot, least: 20},
	{kind: "gitlab", prefix: "glrt-", charset: charsDot, least: 20},
	{kind: "gitlab", prefix: "glrtr-", charset: charsDot, least: 20},
	{kind: "gitlab", prefix: "glcbt-", charset: charsDot, least: 20},
	{kind: "gitlab", prefix: "glsoat-", charset: charsDot, least: 20},
	{kind: "gitlab", prefix: "glimt-", charset: charsDot, least: 20},
	{kind: "gitlab", prefix: "glagent-", charset: charsDot, least: 20},
	{kind: "gitlab", prefix: "gloas-", charset: charsDot, least: 20},
	{kind: "slack", prefix: "xoxb-", charset: charsURL, least: 10},
	{kind: "slack", prefix: "xoxp-", charset: charsURL, least: 10},
	{kind: "slack", prefix: "xoxa-", charset: charsURL, least: 10},
	{kind: "slack", prefix: "xoxr-", charset: charsURL, least: 10},
	{kind: "slack", prefix: "xoxs-", charset: charsURL, least: 10},
	{kind: "slack", prefix: "xoxo-", charset: charsURL, least: 10},
	{kind: "slack", prefix: "xoxc-", charset: charsURL, least: 10},
	{kind: "slack", prefix: "xoxd-", charset: charsB64, least: 10},
	{kind: "slack", prefix: "xoxe-", charset: charsURL, least: 10},
	{kind: "slack", prefix: "xoxe.", charset: charsDot, least: 10},
	{kind: "slack", prefix: "xapp-", charset: charsURL, least: 20, random: true},
	{kind: "aws", prefix: "AKIA", charset: charsUpper, least: 16, exact: true},
	{kind: "aws", prefix: "ASIA", charset: charsUpper, least: 16, exact: true},
	{kind: "google", prefix: "AIza", charset: charsURL, least: 30},
	{kind: "google", prefix: "ya29.", charset: charsDot, least: 20},
	{kind: "google", prefix: "GOCSPX-", charset: charsURL, least: 20},
	{kind: "npm", prefix: "npm_", charset: charsAlnum, least: 30, random: true},
	{kind: "pypi", prefix: "pypi-", charset: charsURL, least: 32, random: true},
	{kind: "rubygems", prefix: "rubygems_", charset: charsHex, least: 32},
	{kind: "docker", prefix: "dckr_pat_", charset: charsURL, least: 20},
	{kind: "docker", prefix: "dckr_oat_", charset: charsURL, least: 20},
	{kind: "huggingface", prefix: "hf_", charset: charsAlnum, least: 30},
	{kind: "sendgrid", prefix: "SG.", charset: charsDot, least: 40, random: true},
	{kind: "mailgun", prefix: "key-", charset: charsHex, least: 32, exact: true},
	{kind: "digitalocean", prefix: "dop_v1_", charset: charsAlnum, least: 32},
	{kind: "digitalocean", prefix: "doo_v1_", charset: charsAlnum, least: 32},
	{kind: "digitalocean", prefix: "dor_v1_", charset: charsAlnum, least: 32},
	{kind: "doppler", prefix: "dp.pt.", charset: charsDot, least: 30},
	{kind: "doppler", prefix: "dp.st.", charset: charsDot, least: 30},
	{kind: "doppler", prefix: "dp.ct.", charset: charsDot, least: 30},
	{kind: "doppler", prefix: "dp.sa.", charset: charsDot, least: 30},
	{kind: "doppler", prefix: "dp.scim.", charset: charsDot, least: 30},
	{kind: "doppler", prefix: "dp.audit.", charset: charsDot, least: 30},
	{kind: "vault", prefix: "hvs.", charset: charsURL, least: 20},
	{kind: "vault", prefix: "hvb.", charset: charsURL, least: 20},
	{kind: "vault", prefix: "hvr.", charset: charsURL, least: 20},
	{kind: "shopify", prefix: "shpat_", charset: charsHex, least: 32},
	{kind: "shopify", prefix: "shpss_", charset: charsHex, least: 32},
	{kind: "shopify", prefix: "shpca_", charset: charsHex, least: 32},
	{kind: "shopify", prefix: "shppa_", charset: charsHex, least: 32},
	{kind: "linear", prefix: "lin_api_", charset: charsAlnum, least: 30},
	{kind: "notion", prefix: "ntn_", charset: charsAlnum, least: 40},
	{kind: "figma", prefix: "figd_", charset: charsURL, least: 30},
	{kind: "sentry", prefix: "sntrys_", charset: charsB64, least: 40},
	{kind: "sentry", prefix: "sntryu_", charset: charsHex, least: 40},
	{kind: "grafana", prefix: "glsa_", charset: charsWord, least: 30},
	{kind: "grafana", prefix: "glc_", charset: charsB64, least: 40},
	{kind: "postman", prefix: "PMAK-", charset: charsURL, least: 40},
	{kind: "groq", prefix: "gsk_", charset: charsAlnum, least: 40},
	{kind: "xai", prefix: "xai-", charset: charsAlnum, least: 40},
	{kind: "perplexity", prefix: "pplx-", charset: charsAlnum, least: 30},
	{kind: "nvidia", prefix: "nvapi-", charset: charsURL, least: 40},
	{kind: "tailscale", prefix: "tskey-", charset: charsURL, least: 20, random: true},
	{kind: "supabase", prefix: "sbp_", charset: charsHex, least: 40},
	{kind: "supabase", prefix: "sb_secret_", charset: charsURL, least: 20},
	{kind: "planetscale", prefix: "pscale_tkn_", charset: charsDot, least: 30},
	{kind: "planetscale", prefix: "pscale_pw_", charset: charsDot, least: 30},
	{kind: "pulumi", prefix: "pul-", charset: charsHex, least: 40, exact: true},
	{kind: "databricks", prefix: "dapi", charset: charsHex, least: 32},
	{kind: "atlassian", prefix: "ATATT3", charset: charsB64, least: 60},
	{kind: "newrelic", prefix: "NRAK-", charset: charsUpper, least: 27},
	{kind: "langsmith", prefix: "lsv2_pt_", charset: charsWord, least: 32},
	{kind: "langsmith", prefix: "lsv2_sk_", charset: charsWord, least: 32},
	{kind: "age", prefix: "AGE-SECRET-KEY-1", charset: charsUpper, least: 40},
	{kind: "onepassword", prefix: "ops_eyJ", charset: charsB64, least: 60},
}

// shapeAt is the end of the secret of shape sh whose prefix stands at i; 0 if there is none.
func (f *finder[T]) shapeAt(sh *shape, i int) int {
	if !starts(f.s, i) {
		return 0
	}
	from := i + len(sh.prefix)
	end := from
	for end < len(f.s) && sh.charset.has(f.s[end]) {
		end++
	}
	n := end - from
	if f.touchesCut(end) && n > 0 {
		return end
	}
	if sh.charset == charsDot {
		for n > 0 && f.s[end-1] == '.' { // the end of a sentence
			end--
			n--
		}
	}
	switch {
	case n < sh.least, sh.exact && n > sh.least:
		return 0
	case sh.exact && end < len(f.s) && is(f.s[end], cAlnum):
		return 0
	case sh.random && !mixOf(f.s, from, end).random():
		return 0
	}
	return end
}

// Lengths of the parts of a JSON web token, in bytes; the shortest header, {"alg":"none"}, is longer.
const (
	minJWTHeader  = 12
	minJWTPayload = 8
)

// jwtAt is the end of the JSON web token, signed or encrypted, that begins at i. Its first part is base64url of `{"`.
func (f *finder[T]) jwtAt(i int) int {
	if !starts(f.s, i) {
		return 0
	}
	end := i
	for part := 0; part < 5; part++ {
		from := end
		for end < len(f.s) && charsURL.has(f.s[end]) {
			end++
		}
		if f.touchesCut(end) {
			return end
		}
		if part == 0 && end-from < minJWTHeader || part == 1 && end-from < minJWTPayload {
			return 0
		}
		if end >= len(f.s) || f.s[end] != '.' {
			if part == 0 {
				return 0
			}
			return end
		}
		end++
	}
	return end - 1
}

// telegramAt finds a bot's token, whose colon stands at i: eight to ten digits before it, 35 bytes after it.
func (f *finder[T]) telegramAt(i int) (from, end int) {
	from = i
	for from > f.from && i-from < 11 && is(f.s[from-1], cDigit) {
		from--
	}
	for end = i + 1; end < len(f.s) && charsURL.has(f.s[end]); end++ {
	}
	if n := i - from; n < 8 || n > 10 || end-i-1 < 30 && !f.touchesCut(end) {
		return 0, 0
	}
	return from, end
}

// azureAt finds the secret of an Azure application: three bytes, a digit, "Q~" and 31 to 34 more. The digit stands at i.
func (f *finder[T]) azureAt(i int) (from, end int) {
	has := func(c byte) bool { return is(c, cAlnum|cIdent) || c == '~' }
	from = i - 3
	if from < f.from || !has(f.s[from]) || !has(f.s[from+1]) || !has(f.s[from+2]) {
		return 0, 0
	}
	for end = i + 3; end < len(f.s) && has(f.s[end]); end++ {
	}
	if end-i-3 < 31 && !f.touchesCut(end) {
		return 0, 0
	}
	return from, end
}

// awsSecretLen is the length of the secret that goes with an AWS key id; it has no prefix of its own.
const (
	awsSecretLen = 40
	awsNear      = 160
)

// awsSecretAfter finds the secret key near behind the marker of a key id at i.
func (f *finder[T]) awsSecretAfter(i int) (from, end int) {
	for from = i; from < min(len(f.s), i+awsNear); from = end + 1 {
		for end = from; end < len(f.s) && (is(f.s[end], cAlnum) || f.s[end] == '/' || f.s[end] == '+'); end++ {
		}
		if m := mixOf(f.s, from, end); end-from == awsSecretLen && m.digit > 0 && m.upper > 0 && m.lower > 0 {
			return from, end
		}
	}
	return 0, 0
}

// webhookPaths are hosts and paths of addresses that are secrets by themselves: who knows them may write there.
var webhookPaths = []string{"hooks.slack.com/services/", "hooks.slack.com/workflows/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/"}

// webhookAt finds what follows the path at i.
func (f *finder[T]) webhookAt(i int, word string) (from, end int) {
	from = i + len(word)
	for end = from; end < len(f.s) && charsPath.has(f.s[end]); end++ {
	}
	if end-from < 20 && !f.touchesCut(end) {
		return 0, 0
	}
	return from, end
}
