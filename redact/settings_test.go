package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/redact"
)

func TestRules(t *testing.T) {
	r := newRedactor(t, redact.Settings{Rules: []redact.Rule{
		{Name: "acme", Pattern: `\bACME-[0-9]{6}\b`, Keyword: "ACME-"},
		{Name: "ticket", Pattern: `ticket ([a-z]+)`},
		{Name: "wide", Pattern: `zzz.*`},
		{Name: "letters", Pattern: `red[a-z]+|y+`},
	}})
	for _, tc := range []struct{ name, in, want string }{
		{"whole match", "use ACME-123456 here", "use [redacted:acme] here"},
		{"no keyword", "use acme-123456 here", "use acme-123456 here"},
		{"group", "ticket abc and ticket def", "ticket [redacted:ticket] and ticket [redacted:ticket]"},
		{"beside what is built in", "TOKEN=zz-0123456789 ACME-123456", "TOKEN=[redacted] [redacted:acme]"},
		{"wide", "a zzz b ghp_" + alnum36, "a [redacted:wide]"},
		{"matches the marker", "redder yyy TOKEN=zz-0123456789", "[redacted:letters] [redacted:letters] TOKEN=[redacted]"},
		{"in JSON", `{"a":"ticket abc"}`, `{"a":"ticket [redacted:ticket]"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := r.String(tc.in)
			assert.Equal(t, tc.want, got)
			assert.Equal(t, got, string(r.Bytes([]byte(tc.in))))
			assert.Equal(t, got, r.String(got))
		})
	}
}

func TestNames(t *testing.T) {
	r := newRedactor(t, redact.Settings{Names: []string{"acme_seal", "Blob"}})
	for _, tc := range []struct{ in, want string }{
		{"ACME_SEAL=zz9plural", "ACME_SEAL=[redacted]"},
		{`{"myAcmeSeal":"two words"}`, `{"myAcmeSeal":"[redacted]"}`},
		{"x-acme-seal: zz9plural", "x-acme-seal: [redacted]"},
		{"blob=zz9plural", "blob=[redacted]"},
		{"seal=zz9plural", "seal=zz9plural"},
		{"acme_seal_path=zz9plural", "acme_seal_path=zz9plural"},
	} {
		assert.Equal(t, tc.want, r.String(tc.in))
	}
}

func TestAllow(t *testing.T) {
	r := newRedactor(t, redact.Settings{Allow: []string{`^zz-demo-`, `^AKIADEMO`}})
	for _, tc := range []struct{ in, want string }{
		{"TOKEN=zz-demo-0123456789", "TOKEN=zz-demo-0123456789"},
		{"TOKEN=yy-demo-0123456789", "TOKEN=[redacted]"},
		{"AKIADEMODEMODEMO0000", "AKIADEMODEMODEMO0000"},
		{`{"api_key":"zz-demo-0123456789"}`, `{"api_key":"zz-demo-0123456789"}`},
	} {
		assert.Equal(t, tc.want, r.String(tc.in))
	}
}

func TestSettingsErrors(t *testing.T) {
	s := redact.Settings{
		Rules: []redact.Rule{{Name: "Bad Name", Pattern: "x"}, {Name: "a", Pattern: "("}, {Name: "b", Pattern: "(x)(y)"}, {Name: "c", Pattern: "x*"}},
		Names: []string{"ab"},
		Allow: []string{"["},
	}
	err := s.Validate()
	require.Error(t, err)
	for _, want := range []string{
		`rules[0].name must be 1 to 40 of a-z, 0-9 and -, got 8 bytes`, `parse rules[1].pattern: missing closing )`,
		`rules[2].pattern must have at most one group, got 2`, `rules[3].pattern must not match the empty text`,
		`names[0] must have a part of 3 letters or more and at most 80 bytes, got 2 and 2`, `parse allow[0]: missing closing ]`,
	} {
		assert.ErrorContains(t, err, want)
	}
	assert.NoError(t, (&redact.Settings{}).Validate())
}

// Errors contain no value of a setting, since it may be a secret.
func TestSettingsErrorsShowNoValue(t *testing.T) {
	const value = "zz-demo-0123456789"
	for name, s := range map[string]redact.Settings{
		"allow":                  {Allow: []string{"(" + value}},
		"pattern":                {Rules: []redact.Rule{{Name: "a", Pattern: "[" + value}}},
		"pattern, escape":        {Rules: []redact.Rule{{Name: "a", Pattern: `\y` + value}}},
		"pattern, groups":        {Rules: []redact.Rule{{Name: "a", Pattern: "(a)(" + value + ")"}}},
		"pattern, empty":         {Rules: []redact.Rule{{Name: "a", Pattern: "(" + value + ")?"}}},
		"name of a rule":         {Rules: []redact.Rule{{Name: value + " X", Pattern: "a"}}},
		"name, without a letter": {Names: []string{strings.Repeat("- ", 50) + value}},
	} {
		err := s.Validate()
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "0123456789", name)
	}
}

type bare struct{}

func (bare) ParseEvents([]byte) []events.DisplayEvent {
	return []events.DisplayEvent{{Kind: events.KindText, Text: "TOKEN=zz-0123456789"}}
}

func TestSource(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	s := redact.New(bare{}, r)
	assert.Equal(t, []string{"text:TOKEN=[redacted]"}, short(s.ParseEvents(nil)))
	assert.Equal(t, 1, s.Redacted())
	assert.Nil(t, s.Flush())
	assert.Nil(t, s.Tick())
	assert.Equal(t, events.LineOK, s.LineStatus())
	assert.Equal(t, bare{}, s.Unwrap())

	inner := &script{pending: []events.DisplayEvent{{Kind: events.KindText, Text: "password: hunter2secret"}}}
	s = redact.New(inner, r)
	assert.Equal(t, []string{"text:password: [redacted]"}, short(s.Flush()))
	assert.Equal(t, events.LineIgnored, s.LineStatus())
}

// Control sequences do not hide a secret: a renderer removes them and would join its halves.
func TestControls(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	for _, tc := range []struct{ in, want string }{
		{"x \x1b[01;31mghp_\x1b[m\x1b[K" + alnum36 + " y", "x \x1b[01;31m[redacted:github] y"},
		{"\x1b[32mghp_" + alnum36 + "\x1b[0m", "\x1b[32m[redacted:github]\x1b[0m"},
		{"\x1b[1mTOKEN\x1b[0m=\x1b[3mzz-0123456789\x1b[0m", "\x1b[1mTOKEN\x1b[0m=\x1b[3m[redacted]\x1b[0m"},
		{"a\x00b ghp_" + alnum36[:9] + "\x08\x00" + alnum36[9:], "a\x00b [redacted:github]"},
		{"ghp_\u009b31m" + alnum36, "[redacted:github]"},
		{`{"a":"ghp_\u001b[0m` + alnum36 + `"}`, `{"a":"[redacted:github]"}`},
		{"\x1b[32mok\x1b[0m token", "\x1b[32mok\x1b[0m token"},
	} {
		got := r.String(tc.in)
		assert.Equal(t, tc.want, got)
		assert.Equal(t, got, string(r.Bytes([]byte(tc.in))))
		assert.Equal(t, got, r.String(got))
	}
}
