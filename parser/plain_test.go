package parser_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser"
)

// plainOf returns the lines of plain text of the last call.
func plainOf(s *parser.Source) (plain [][]byte) {
	for _, line := range s.Malformed() {
		if parser.IsPlain(line) {
			plain = append(plain, line)
		}
	}
	return plain
}

// TestPlain checks that all parsers agree on what is plain text between records.
func TestPlain(t *testing.T) {
	for line, plain := range map[string]bool{
		"FATAL: out of credits":           true,
		"    at cli.js:1":                 true,
		`API Error: 401 {"type":"error"}`: true,
		"\x1b[31mred\x1b[0m":              true,
		"[1/2] building":                  true,
		"[error] no key":                  true,
		"{ Error: no key":                 true,
		"data: the base":                  true,
		"":                                false,
		" \t ":                            false,
		`{"type":"assis`:                  false,
		`data: {"type":"assis`:            false,
		"{":                               false,
		`[ {"a":`:                         false,
		`tant","message":{"role":"assistant","x":1}}}`: false,
		`{"type":"brand_new_type_of_line"}`:            false,
	} {
		for _, provider := range parser.Names() {
			if provider == parser.Auto || provider == parser.None {
				continue
			}
			s, err := parser.New(provider)
			require.NoError(t, err)
			s.ParseEvents([]byte(line))
			want := [][]byte{}
			if plain {
				want = [][]byte{[]byte(line)}
			}
			assert.ElementsMatch(t, want, plainOf(s), "%s: %q", provider, line)
		}
	}
}

// TestPlainBeforeTheProvider checks that text before the first record is returned once: not again if a quiet time passed it.
func TestPlainBeforeTheProvider(t *testing.T) {
	record := []byte(`{"type":"system","subtype":"init","session_id":"s1","model":"claude-x","cwd":"/w","tools":[],"uuid":"u0"}`)
	for _, quiet := range []bool{false, true} {
		s, err := parser.New(parser.Auto)
		require.NoError(t, err)
		s.ParseEvents([]byte("npm warn 1"))
		assert.Empty(t, plainOf(s))
		if quiet {
			s.Quiet()
			assert.Len(t, s.Raw(), 1)
		}
		s.ParseEvents([]byte("npm warn 2"))
		s.ParseEvents(record)
		want := "npm warn 1 npm warn 2"
		if quiet {
			want = "npm warn 2"
		}
		var all []string
		for _, line := range plainOf(s) {
			all = append(all, string(line))
		}
		assert.Equal(t, want, strings.Join(all, " "))
		s.ParseEvents(record)
		assert.Empty(t, plainOf(s))
	}
}
