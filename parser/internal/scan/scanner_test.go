package scan_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

func TestScannerStepsIn(t *testing.T) {
	line := []byte(` {"skip":{"type":"no","deep":[{"type":"no"}]},"message":{"content":[{"t":"a"},{"t":"b"}],"id":7},"type":"yes"} {"next":1}`)
	var s scan.Scanner
	s.Reset(line)
	var kind, id scan.Value
	var blocks []string
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "type":
			kind = s.Value()
		case "message":
			for s.Object(); s.Key(); {
				switch string(s.Name()) {
				case "content":
					for s.Array(); s.Element(); {
						blocks = append(blocks, string(s.Value().Raw))
					}
				case "id":
					id = s.Value()
				}
			}
		default:
			s.Skip()
		}
	}
	require.NoError(t, s.Err())
	assert.True(t, kind.Is("yes"))
	assert.EqualValues(t, 7, id.Int())
	assert.Equal(t, []string{`{"t":"a"}`, `{"t":"b"}`}, blocks)
	assert.Equal(t, `{"next":1}`, string(s.Rest()), "a second document stands behind the first")
}

func TestScannerRefuses(t *testing.T) {
	for _, doc := range []string{
		``, ` `, `{`, `[`, `"`, `"\"`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{a:1}`, `{"a" 1}`, `{"a":1 "b":2}`, `[1 2]`, `[1,]`, `[,]`,
		`{"a":[}`, `{"a":{]}`, `[}`, `{]`, `tru`, `nul`, `falsy`, `01`, `-`, `+1`, `.5`, `1.`, `1e`, `1e+`, `0x1`, `NaN`, `{"a":x}`, "\x00{}", `}`, `]`, `,`, `:`,
		strings.Repeat(`{"a":`, 300) + `1` + strings.Repeat(`}`, 299), strings.Repeat(`[`, 20_000), strings.Repeat(`[`, 300) + strings.Repeat(`}`, 300),
	} {
		var s scan.Scanner
		for _, walk := range []bool{false, true} {
			s.Reset([]byte(doc))
			if walk {
				walkValue(&s)
			} else {
				s.Skip()
			}
			refused := s.Err() != nil || len(s.Rest()) > 0
			assert.True(t, refused, "accepted %.60q (walk=%v)", doc, walk)
			assert.False(t, json.Valid([]byte(doc)), "the table holds valid JSON: %.60q", doc)
		}
	}
}

func TestScannerStaysRefused(t *testing.T) {
	var s scan.Scanner
	s.Reset([]byte(`{"a":tru,"b":1}`))
	require.True(t, s.Object())
	require.True(t, s.Key())
	assert.False(t, s.Value().Exists())
	assert.ErrorIs(t, s.Err(), scan.ErrSyntax)
	assert.False(t, s.Key())
	assert.False(t, s.Object())
	assert.Equal(t, scan.KindNone, s.Peek())
	s.Reset([]byte(`1`))
	assert.EqualValues(t, 1, s.Value().Int(), "Reset makes it new")
}

func TestScannerRepeat(t *testing.T) {
	var s scan.Scanner
	last := []byte(`{"a":{"b":1}}`)
	for _, tc := range []struct {
		name, doc, value string
		last             []byte
	}{
		{"none before", `{"u":{"a":{"b":1}},"x":1}`, `{"a":{"b":1}}`, nil},
		{"the same", `{"u": {"a":{"b":1}},"x":1}`, `{"a":{"b":1}}`, last},
		{"another", `{"u":{"a":{"b":2}},"x":1}`, `{"a":{"b":2}}`, last},
		{"shorter", `{"u":{},"x":1}`, `{}`, last},
		{"no object", `{"u":12,"x":1}`, `12`, []byte(`1`)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s.Reset([]byte(tc.doc))
			require.True(t, s.Object())
			require.True(t, s.Key())
			assert.Equal(t, tc.value, string(s.Repeat(tc.last).Raw))
			require.True(t, s.Key())
			assert.Equal(t, "x", string(s.Name()))
			s.Skip()
			assert.False(t, s.Key())
			assert.NoError(t, s.Err())
		})
	}
	for _, torn := range []string{`{"u":{"a":{"b":1}`, `{"u":{"a":{"b":1}}`, `{"u":{"a":{"b":1}}]`} {
		s.Reset([]byte(torn))
		s.Object()
		s.Key()
		s.Repeat(last)
		assert.False(t, s.Key())
		assert.Error(t, s.Err(), torn)
	}
}

// A model wrote arguments with 20,000 levels; encoding/json accepts 10,000.
func TestScannerDepth(t *testing.T) {
	for _, depth := range []int{1, 63, 64, 65, 255, 256, 257, 320, 10_000, 20_000, 1_000_000} {
		for _, level := range [][2]string{{"[", "]"}, {`{"a":`, "}"}, {`[{"a":`, "}]"}} {
			deep := strings.Repeat(level[0], depth) + "[]" + strings.Repeat(level[1], depth)
			var s scan.Scanner
			s.Reset([]byte(`{"before":` + deep + `,"behind":1}`))
			var names []string
			for s.Object(); s.Key(); {
				names = append(names, string(s.Name()))
				s.Skip()
			}
			require.NoError(t, s.Err(), "%d levels of %s", depth, level)
			assert.Equal(t, []string{"before", "behind"}, names)
			s.Reset([]byte(`[` + deep[:len(deep)-1] + `,1]`))
			s.Skip()
			assert.Error(t, s.Err(), "%d levels of %s, the last one open", depth, level)
		}
	}
}

func TestScannerAllocatesNothing(t *testing.T) {
	line := []byte(`{"a":{"b":[1,2,{"c":"a long string that is longer than sixteen bytes, with \"quotes\""}]},"d":null}`)
	var s scan.Scanner
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		s.Reset(line)
		for s.Object(); s.Key(); {
			s.Skip()
		}
	}))
	require.NoError(t, s.Err())
}

func TestValueInt(t *testing.T) {
	for raw, want := range map[string]int64{
		`0`: 0, `-0`: 0, `17`: 17, `-17`: -17, `1.9`: 1, `2e3`: 2000, `123456789012345678`: 123456789012345678,
		`9223372036854775808`: 1<<63 - 1, `-1e400`: -1 << 63, `1e400`: 1<<63 - 1, `"5"`: 0, `null`: 0, `true`: 0,
	} {
		var s scan.Scanner
		s.Reset([]byte(raw))
		assert.Equal(t, want, s.Value().Int(), raw)
	}
}

func TestValueTime(t *testing.T) {
	at := time.Date(2026, 11, 27, 20, 43, 59, 120_000_000, time.UTC)
	for raw, want := range map[string]time.Time{
		`"2026-11-27T20:43:59.120Z"`:      at,
		`"2026-11-27T20:43:59.12Z"`:       at,
		`"2026-11-27T20:43:59.120000Z"`:   at,
		`"2026-11-27T22:43:59.120+02:00"`: at,
		`"2026-11-27T20:43:59Z"`:          at.Truncate(time.Second),
		`"2024-02-29T00:00:00Z"`:          time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC),
		`"2026-02-29T00:00:00Z"`:          {},
		`"2026-13-01T00:00:00Z"`:          {},
		`"2026-11-27T24:00:00Z"`:          {},
		`"2026-11-27T20:43:59.Z"`:         {},
		`"2026-11-27 20:43:59.120Z"`:      {},
		`"soon"`:                          {},
		`""`:                              {},
		`1795812239120`:                   at,
		`1795812239.12`:                   at,
		`-5`:                              {},
		`0`:                               {},
		`1e300`:                           {},
		`null`:                            {},
	} {
		var s scan.Scanner
		s.Reset([]byte(raw))
		assert.Equal(t, want, s.Value().Time(), raw)
	}
}

func TestTimesOfEveryDay(t *testing.T) {
	for at := time.Date(-1, 12, 25, 23, 59, 58, 7_000_000, time.UTC); at.Year() < 2500; at = at.AddDate(0, 0, 1) {
		if at.Year() < 0 {
			continue
		}
		raw := at.AppendFormat([]byte(`"`), `2006-01-02T15:04:05.000Z"`)
		if got := (scan.Value{Kind: scan.KindString, Raw: raw}).Time(); got != at { // require.Equal takes seconds for all of them
			require.Equal(t, at, got, "%s", raw)
		}
	}
}

func TestInternGivesTheTextOfEachName(t *testing.T) {
	var a scan.Strings
	for round := range 3 {
		for i := range 500 { // many more than are kept
			name := strings.Repeat("x", i%140) + strconv.Itoa(i)
			require.Equal(t, name, a.Intern(scan.Value{Kind: scan.KindString, Raw: []byte(`"` + name + `"`)}), "round %d", round)
		}
	}
	again := scan.Value{Kind: scan.KindString, Raw: []byte(`"a session's id"`)}
	a.Intern(again)
	assert.Zero(t, testing.AllocsPerRun(5000, func() { a.Intern(again) }), "it is made once")
}

func TestStringsOwnTheirMemory(t *testing.T) {
	var a scan.Strings
	line := []byte(`"abc"`)
	long := []byte(`"` + strings.Repeat(`x\n`, 300) + `"`)
	short := a.Text(scan.Value{Kind: scan.KindString, Raw: line})
	interned := a.Intern(scan.Value{Kind: scan.KindString, Raw: line})
	large := a.Text(scan.Value{Kind: scan.KindString, Raw: long})
	for i := range line {
		line[i] = '!'
	}
	for i := range long {
		long[i] = '!'
	}
	for range 10_000 { // many chunks later
		a.Copy([]byte("0123456789"))
	}
	assert.Equal(t, "abc", short)
	assert.Equal(t, "abc", interned)
	assert.Equal(t, strings.Repeat("x\n", 300), large)
}
