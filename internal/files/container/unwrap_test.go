package container_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/container"
)

const stamp = "2026-10-05T08:00:00.000000001Z"

func unwrap(limit int, lines ...string) (got []string, times []time.Time, pending bool) {
	u := container.New(limit)
	for _, line := range lines {
		l, whole := u.Line([]byte(line))
		if !whole {
			continue
		}
		text := string(l.Data)
		if l.TooLong {
			text = strings.TrimSpace("(too long) " + text)
		}
		got, times = append(got, text), append(times, l.Time)
	}
	return got, times, u.Pending()
}

func TestUnwrap(t *testing.T) {
	at := time.Date(2026, 10, 5, 8, 0, 0, 1, time.UTC)
	for _, tc := range []struct {
		name    string
		lines   []string
		want    []string
		time    time.Time // of the last line
		pending bool
	}{
		{"no framing", []string{`{"type":"x"}`, "words", ""}, []string{`{"type":"x"}`, "words", ""}, time.Time{}, false},
		{"CRI", []string{stamp + ` stdout F {"a":1}`, stamp + " stderr F words", stamp + " stdout F "}, []string{`{"a":1}`, "words", ""}, at, false},
		{"CRI, the blank of an empty line lost", []string{stamp + " stdout F"}, []string{""}, at, false},
		{"CRI, parts", []string{stamp + ` stdout P {"a"`, stamp + ` stdout P :"b`, stamp + ` stdout F  c"}`}, []string{`{"a":"b c"}`}, at, false},
		{"CRI, more tags", []string{stamp + ` stdout P:x {"a"`, stamp + ` stdout F:y:z :1}`}, []string{`{"a":1}`}, at, false},
		{"CRI, parts of both outputs", []string{stamp + ` stdout P {"a"`, stamp + " stderr P war", stamp + " stderr F ning", stamp + ` stdout F :1}`}, []string{"warning", `{"a":1}`}, at, false},
		{"CRI, another zone", []string{"2026-10-05T10:00:00.000000001+02:00 stdout F x"}, []string{"x"}, at, false},
		{"CRI, the end is to come", []string{stamp + ` stdout P {"a"`}, nil, time.Time{}, true},
		{"CRI, no such tag", []string{stamp + " stdout X {}"}, []string{stamp + " stdout X {}"}, time.Time{}, false},
		{"Docker", []string{`{"log":"{\"a\":\"\\n\"}\n","stream":"stdout","time":"` + stamp + `"}`}, []string{`{"a":"\n"}`}, at, false},
		{"Docker, other writers' blanks", []string{`{"log": "{}\n", "stream": "stdout", "time": "` + stamp + `"}`}, []string{`{}`}, at, false},
		{"Docker, attributes", []string{`{"log":"x\n","stream":"stdout","attrs":{"tag":"\"time\":\"now\""},"time":"` + stamp + `"}`}, []string{"x"}, at, false},
		{"Docker, parts of both outputs", []string{`{"log":"{\"a\"","stream":"stdout","time":"` + stamp + `"}`, `{"log":"e\n","stream":"stderr","time":"` + stamp + `"}`,
			`{"log":":1}\n","stream":"stdout","time":"` + stamp + `"}`}, []string{"e", `{"a":1}`}, at, false},
		{"Docker, escapes", []string{`{"log":"\u003c\ud83d\ude00\ud83d\/\"\t\n","stream":"stdout","time":"` + stamp + `"}`}, []string{"<😀\uFFFD/\"\t"}, at, false},
		{"not Docker: no time", []string{`{"log":"x\n","stream":"stdout"}`}, []string{`{"log":"x\n","stream":"stdout"}`}, time.Time{}, false},
		{"GitHub", []string{"\xef\xbb\xbf2026-10-05T08:00:00.0000001Z {\"a\":1}"}, []string{`{"a":1}`}, at.Add(99), false},
		{"a time before words stays", []string{"2026-10-05T08:00:00.0000001Z ##[group]Run claude"}, []string{"2026-10-05T08:00:00.0000001Z ##[group]Run claude"}, time.Time{}, false},
		{"no time", []string{"2026-10-05 08:00:00 {}", "2026-13-05T08:00:00Z {}", "12 {}"}, []string{"2026-10-05 08:00:00 {}", "2026-13-05T08:00:00Z {}", "12 {}"}, time.Time{}, false},
		{"over the limit in parts", []string{stamp + " stdout P " + strings.Repeat("x", 60), stamp + " stdout F " + strings.Repeat("y", 60), stamp + " stdout F next"}, []string{"(too long)", "next"}, at, false},
		{"over the limit in parts, an object", []string{stamp + ` stdout P {"id":"c1","text":"` + strings.Repeat("x", 60), stamp + " stdout P " + strings.Repeat("y", 60), stamp + ` stdout F ","last":1}`},
			[]string{`(too long) {"id":"c1","text":"` + strings.Repeat("x", 60) + strings.Repeat("y", 60) + `","last":1}`}, at, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, times, pending := unwrap(100, tc.lines...)
			assert.Equal(t, tc.want, got)
			assert.Equal(t, tc.pending, pending)
			if len(times) > 0 {
				assert.True(t, tc.time.Equal(times[len(times)-1]), "%v", times)
			}
		})
	}
}

func TestFlush(t *testing.T) {
	u := container.New(100)
	_, some := u.Flush()
	require.False(t, some)
	u.Line([]byte(stamp + ` stdout P {"a"`))
	u.Line([]byte(stamp + ` stderr P warn`))
	first, some := u.Flush()
	require.True(t, some)
	assert.Equal(t, `{"a"`, string(first.Data))
	second, some := u.Flush()
	require.True(t, some)
	assert.Equal(t, `warn`, string(second.Data))
	_, some = u.Flush()
	assert.False(t, some)
	assert.False(t, u.Pending())
}

// FuzzUnwrap holds:
//   - lines of any bytes come out as they went in, whatever the runtime that wrote them and wherever it split them
//   - a line of Docker's has the text that encoding/json gives it
//   - no line at all makes it panic, and none without a framing is changed
func FuzzUnwrap(f *testing.F) {
	for _, seed := range []string{`{"type":"x","text":"a\"b"}`, "words", "", "\x00\xff", stamp + ` stdout F {}`, stamp + ` {"a":1}`, `{"log":"x\n","time":"` + stamp + `"}`, "\xef\xbb\xbf", "\u2028<>&"} {
		f.Add([]byte(seed), uint8(3))
	}
	f.Fuzz(func(t *testing.T, data []byte, size uint8) {
		raw := container.New(1 << 20)
		if l, whole := raw.Line(data); whole && l.Time.IsZero() {
			require.Equal(t, string(data), string(l.Data))
		}
		line := bytes.ReplaceAll(data, []byte("\n"), nil)
		parts := slices.Collect(slices.Chunk(line, int(size)+1))
		var cri, docker []string
		for i, part := range parts {
			tag, end := "P", ""
			if i == len(parts)-1 {
				tag, end = "F", "\n"
			}
			cri = append(cri, fmt.Sprintf("%s stdout %s %s", stamp, tag, part))
			framed, err := json.Marshal(map[string]string{"log": string(part) + end})
			require.NoError(t, err)
			docker = append(docker, string(framed[:len(framed)-1])+`,"stream":"stdout","time":"`+stamp+`"}`)
		}
		if len(parts) == 0 {
			return
		}
		got, _, pending := unwrap(1<<20, cri...)
		require.Equal(t, []string{string(line)}, got)
		require.False(t, pending)
		if utf8.Valid(line) && len(parts) == 1 { // a driver splits where it likes, and repairs what is no UTF-8
			got, _, pending = unwrap(1<<20, docker...)
			require.Equal(t, []string{string(line)}, got)
			require.False(t, pending)
		}
	})
}

func BenchmarkUnwrap(b *testing.B) {
	line := `{"type":"assistant","message":{"content":[{"type":"text","text":"` + strings.Repeat("some words, ", 80) + `"}]}}`
	quoted, err := json.Marshal(line + "\n")
	require.NoError(b, err)
	for name, framed := range map[string]string{
		"none": line, "cri": stamp + " stdout F " + line, "docker": `{"log":` + string(quoted) + `,"stream":"stdout","time":"` + stamp + `"}`,
	} {
		b.Run("framing="+name, func(b *testing.B) {
			u, data := container.New(1<<20), []byte(framed)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				u.Line(data)
			}
		})
	}
}
