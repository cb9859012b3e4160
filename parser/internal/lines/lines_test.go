package lines_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

func TestTrim(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		" \t{}\r":                   "{}",
		"\xef\xbb\xbf{\"a\":1}":     `{"a":1}`,
		"\x00\x00":                  "",
		"{}\x00\x00":                "{}",
		"\xef\xbb\xbf \xef\xbb{":    "\xef\xbb{",
		"\xef\xbb\xbf\xef\xbb\xbf{": "{",
	} {
		assert.Equal(t, want, string(lines.Trim([]byte(in))), "%q", in)
	}
}

func TestVerdict(t *testing.T) {
	var v lines.Verdict
	v.Status = events.LineIgnored
	v.Note(events.LineUnknownType)
	assert.Equal(t, lines.Verdict{Status: events.LineUnknownType}, v)
	v.Note(events.LineOK)
	v.Note(events.LineIgnored)
	v.Note(events.LineUnknownType)
	assert.Equal(t, events.LineOK, v.Status)
	v.Note(events.LineMalformed)
	v.Note(events.LineOK)
	assert.Equal(t, events.LineMalformed, v.Status)
}

func TestTypeName(t *testing.T) {
	assert.Equal(t, "item/(none)", lines.TypeName("item/", nil))
	assert.Equal(t, "hologram", lines.TypeName("", []byte(`holo\u001b[31mgram`)))
	assert.Len(t, lines.TypeName("", []byte(strings.Repeat("x", 500))), 64)
}

func TestSummary(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "",
		"\n \r\n\t":                            "",
		"\n\x1b[31m\x1b[0m\n  two \nthree":     "two",
		"one\rtwo":                             "one",
		strings.Repeat("é", 3<<10) + "\nlast":  strings.Repeat("é", 119) + "…",
		strings.Repeat("x", 5<<10) + "\nlast":  strings.Repeat("x", 119) + "…",
		strings.Repeat("x", 120) + " y":        strings.Repeat("x", 119) + "…",
		strings.Repeat("x", 120) + " \ny":      strings.Repeat("x", 120),
		"a\x1b[31m" + strings.Repeat("x", 130): "a" + strings.Repeat("x", 118) + "…",
	} {
		assert.Equal(t, want, new(lines.Output).Summary([]byte(in)), "%q", in)
		assert.Equal(t, want, events.Summary(in[:min(len(in), 4<<10)]), "%q", in)
	}
}

func TestBufferGivesLargeOnesBack(t *testing.T) {
	assert.Equal(t, 64, cap(lines.Buffer(make([]byte, 10, 64))))
	assert.Empty(t, lines.Buffer(make([]byte, 10, 64)))
	assert.Zero(t, cap(lines.Buffer(make([]byte, 10, 2<<20))))
}

func TestBlank(t *testing.T) {
	assert.True(t, lines.Blank(" \n\u00a0\u2028"))
	assert.True(t, lines.Blank(""))
	assert.False(t, lines.Blank(" . "))
}

func TestAgain(t *testing.T) {
	var a scan.Strings
	var g lines.Again
	for _, tc := range []struct{ body, want string }{
		{"a", "a"}, {"a", "a"}, {`\u0061`, "a"}, {`b\\n`, `b\n`}, {`b\n`, "b\n"}, {"", ""}, {"a", "a"}, {"c", "c"},
	} {
		assert.Equal(t, tc.want, g.Text(&a, text(tc.body)))
	}
	assert.Empty(t, g.Text(&a, scan.Value{Kind: scan.KindNumber, Raw: []byte("1")}))
	id := text("call_1")
	assert.Zero(t, testing.AllocsPerRun(10_000, func() { g.Text(&a, id) }))
}

func TestPatchFile(t *testing.T) {
	var a scan.Strings
	var scratch []byte
	for body, want := range map[string]string{
		"":                               "",
		`*** Begin Patch\n*** End Patch`: "",
		`*** Begin Patch\n*** Update File: a/b.go \r\n@@\n-x\n+y\n*** Add File: c\n*** End Patch`:      "a/b.go",
		`*** Begin Patch\n*** Add File: ` + strings.Repeat("x", 300) + `\n*** End Patch`:               strings.Repeat("x", 300),
		`*** Begin Patch\n` + strings.Repeat(`# word\n`, 100) + `*** Delete File: z.go\n*** End Patch`: "z.go",
		`*** Delete File: last.go`: "last.go",
	} {
		assert.Equal(t, want, lines.PatchFile(&a, &scratch, text(body)), "%s", body)
	}
	assert.Empty(t, lines.PatchFile(&a, &scratch, scan.Value{Kind: scan.KindNull, Raw: []byte("null")}))
}

func TestObjects(t *testing.T) {
	for in, want := range map[string]struct {
		read   string
		status events.LineStatus
	}{
		``:                                    {"", events.LineIgnored},
		`{"a":1}`:                             {"1", events.LineIgnored},
		"\xef\xbb\xbf{\"a\":1}{\"a\":2} \x00": {"12", events.LineIgnored},
		`[{"a":1},{"a":2}]`:                   {"12", events.LineIgnored},
		`[{"a":1},2]`:                         {"1", events.LineMalformed},
		`[]`:                                  {"", events.LineMalformed},
		`{"a":1} words`:                       {"1", events.LineMalformed},
		`[{"a":1}`:                            {"1", events.LineMalformed},
		`words`:                               {"", events.LineMalformed},
	} {
		var s scan.Scanner
		v, read := lines.Verdict{Status: events.LineIgnored}, ""
		lines.Objects(&s, &v, []byte(in), lines.Trim, func() {
			for s.Object(); s.Key(); {
				read += string(s.Value().Raw)
			}
		})
		assert.Equal(t, want.read, read, "%q", in)
		assert.Equal(t, want.status, v.Status, "%q", in)
	}
}
