package redact_test

import (
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/redact"
)

// alphabets are the classes of shapes.txt.
var alphabets = map[byte]string{
	'A': upper + lower + digits, 'l': lower + digits, 'U': upper + digits, 'B': upper + "234567", 'h': digits + "abcdef",
	'd': digits, 'w': upper + lower + digits + "_", 'u': upper + lower + digits + "_-", 'x': upper + lower + digits + "_-",
	'p': upper + lower + digits + "/", 'b': upper + lower + digits + "+/", 's': upper + lower + digits + "./", 'z': upper + lower + digits + "~-",
}

const (
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	digits = "0123456789"
)

var partPattern = regexp.MustCompile(`\{([a-zA-Z])(\d+)?(\+|-\d+)?!?\}`)

// fill returns an example of a shape; last is the change in the length of its last part.
func fill(rnd *rand.Rand, shape string, last int) string {
	shape = strings.TrimPrefix(strings.Replace(shape, "<", "", 1), "|")
	shape = strings.NewReplacer(`\{`, "\x01", `\}`, "\x02", "{g}", "{h8}-{h4}-{h4}-{h4}-{h12}").Replace(shape)
	parts := partPattern.FindAllStringSubmatchIndex(shape, -1)
	n := 0
	out := partPattern.ReplaceAllStringFunc(shape, func(part string) string {
		n++
		m := partPattern.FindStringSubmatch(part)
		length, _ := strconv.Atoi(m[2])
		if n == len(parts) {
			length += last
		}
		return draw(rnd, alphabets[m[1][0]], length)
	})
	return strings.NewReplacer("\x01", "{", "\x02", "}").Replace(out)
}

// draw returns n bytes of an alphabet, with bytes of each of its kinds at the front if there is room, and no separator at
// the ends.
func draw(rnd *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		for b[i] = alphabet[rnd.IntN(len(alphabet))]; (i == 0 || i == n-1) && !strings.Contains(upper+lower+digits, string(b[i])); {
			b[i] = alphabet[rnd.IntN(len(alphabet))]
		}
	}
	for i, kind := range []string{upper, lower, digits, digits, digits, digits} {
		if n >= 8 && strings.Contains(alphabet, kind[:1]) {
			b[1+i] = kind[2+rnd.IntN(4)]
		}
	}
	return string(b)
}

// rows returns the lines of shapes.txt.
func rows(t *testing.T) (out [][]string) {
	t.Helper()
	b, err := os.ReadFile("internal/shape/shapes.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(b)) {
		if line[0] != '#' {
			out = append(out, strings.Fields(line))
		}
	}
	require.Greater(t, len(out), 200)
	return out
}

// TestShapes checks that each line of the table is a fact with a source and a date and that an example of it is redacted.
// An example that is a byte too short, or differs in a byte of its fixed part, is not, unless another line matches.
func TestShapes(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	rnd := rand.New(rand.NewPCG(1, 2))
	negatives := 0
	all := rows(t)
	for _, row := range all {
		require.Len(t, row, 4, "%v", row)
		kind, shape := row[0], row[1]
		t.Run(kind+" "+shape, func(t *testing.T) {
			_, err := time.Parse("2006-01", row[3])
			require.NoError(t, err, "the date of the fact")
			secret := fill(rnd, shape, 0)
			got := r.String("use " + secret + " now")
			assert.Contains(t, got, "[redacted:"+kind+"]", "of %q", secret)
			kept := strings.Index(shape, "<")
			if kept < 0 {
				assert.Equal(t, "use [redacted:"+kind+"] now", got)
			} else {
				assert.Equal(t, "use "+shape[:kept]+"[redacted:"+kind+"] now", got)
			}
			for _, other := range []string{fill(rnd, shape, -1), strings.Replace(fill(rnd, shape, 0), literalOf(shape), strings.Repeat("~", len(literalOf(shape))), 1)} {
				if matchesAny(all, other) || shape == "{d8-10}:AA{u30+}" {
					continue
				}
				negatives++
				assert.Equal(t, "use "+other+" now", r.String("use "+other+" now"))
			}
		})
	}
	t.Logf("shapes.txt: %d counter-examples", negatives)
	assert.Greater(t, negatives, len(all))
}

// literalOf returns the longest fixed part of a shape.
func literalOf(shape string) (longest string) {
	shape = strings.NewReplacer(`\{`, "\x01", `\}`, "\x02", "<", "{A1}", "|", "", "{g}", "{h8}-{h4}-{h4}-{h4}-{h12}").Replace(shape)
	for _, literal := range partPattern.Split(shape, -1) {
		if len(literal) > len(longest) {
			longest = literal
		}
	}
	return strings.NewReplacer("\x01", "{", "\x02", "}").Replace(longest)
}

// matchesAny reports whether another line of the table matches in s, so that it is not a counter-example.
func matchesAny(rows [][]string, s string) bool {
	for _, row := range rows {
		if literal := literalOf(row[1]); strings.Contains(s, literal) && expression(row[1]).MatchString(s) {
			return true
		}
	}
	return false
}

// expression returns a regular expression for a shape.
func expression(shape string) *regexp.Regexp {
	shape = strings.NewReplacer(`\{`, "\x01", `\}`, "\x02", "<", "", "|", "", "{g}", "{h8}-{h4}-{h4}-{h4}-{h12}").Replace(shape)
	var b strings.Builder
	last := 0
	for _, m := range partPattern.FindAllStringSubmatchIndex(shape, -1) {
		b.WriteString(regexp.QuoteMeta(shape[last:m[0]]))
		last = m[1]
		set := strings.ReplaceAll(regexp.QuoteMeta(alphabets[shape[m[2]]]), "-", `\-`)
		least := shape[m[4]:m[5]]
		switch more := ""; {
		case m[6] >= 0:
			if more = shape[m[6]:m[7]]; more == "+" {
				more = ","
			} else {
				more = "," + more[1:]
			}
			b.WriteString("[" + set + "]{" + least + more + "}")
		default:
			b.WriteString("[" + set + "]{" + least + "}")
		}
	}
	b.WriteString(regexp.QuoteMeta(shape[last:]))
	return regexp.MustCompile(strings.NewReplacer("\x01", `\{`, "\x02", `\}`).Replace(b.String()))
}

// TestShapeBehindLetter checks that a token with a shape is recognized directly after a word, and not recognized within
// base64.
func TestShapeBehindLetter(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, shape := range []string{
		"ghp_{A36}", "sk-ant-api03-{u93}", "AKIA{U16}", "glpat-{u20}", "xoxb-{d12}-{d12}-{A24}", "AIza{u35}", "npm_{A36}", "hf_{A34}",
		"sk_live_{A24}", "hvs.{u95}", "gsk_{A52}", "dop_v1_{h64}", "r8_{A37}", "pcsk_{A6}_{A63}", "ATBB{A32}", "LTAI{A20}",
	} {
		secret := fill(rnd, shape, 0)
		for _, before := range []string{"x", "0", "_", "token_", "key", "myVariableName", `\n`, "%3D", `\u003d`} {
			got := r.String("is " + before + secret + " ok")
			assert.NotContains(t, got, secret[4:12], "%q behind %q", shape, before)
			assert.Contains(t, got, "is "+before)
			assert.Contains(t, got, " ok")
		}
		if !strings.ContainsAny(shape, "_-.") {
			text := draw(rnd, alphabets['A'], 400) + secret + draw(rnd, alphabets['A'], 400)
			assert.Equal(t, text, r.String(text), "%q in base64", shape)
		}
	}
}
