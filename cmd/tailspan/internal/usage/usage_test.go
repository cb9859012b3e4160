package usage_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/usage"
	"github.com/tailspan/tailspan/internal/goldentest"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/ledger"
)

// message is a line in a transcript of Claude Code.
type message struct {
	session, id, time, folder, model string
	input, output                    int
}

func (m message) line() string {
	return fmt.Sprintf(`{"type":"assistant","sessionId":%q,"uuid":"u-%s-%s","timestamp":%q,"cwd":%q,"version":"2.1.332","message":`+
		`{"id":%q,"role":"assistant","model":%q,"content":[{"type":"text","text":"Text of %s."}],"stop_reason":"end_turn",`+
		`"usage":{"input_tokens":%d,"cache_read_input_tokens":1000,"cache_creation_input_tokens":10,"output_tokens":%d}}}`+"\n",
		m.session, m.session, m.id, m.time, m.folder, m.id, m.model, m.id, m.input, m.output)
}

// history writes transcripts, one per session, and returns their paths.
func history(t *testing.T, messages ...message) []string {
	t.Helper()
	folder, paths := t.TempDir(), []string{}
	for _, m := range messages {
		path := filepath.Join(folder, m.session+".jsonl")
		if _, err := os.Stat(path); err != nil {
			paths = append(paths, path)
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		require.NoError(t, err)
		_, err = f.WriteString(m.line())
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	return paths
}

func sample(t *testing.T) []string {
	return history(t,
		message{"s1", "m1", "2026-11-27T22:30:00Z", "/home/dev/shop", "claude-large", 500, 100},
		message{"s1", "m2", "2026-11-27T23:30:00Z", "/home/dev/shop", "claude-large", 12_345_678, 200},
		message{"s2", "m3", "2026-11-28T08:00:00Z", "/home/dev/a/rather/long/path/to/a/project", "claude-small", 70, 7},
		message{"s3", "m4", "2026-12-01T08:00:00Z", "", "claude-small", 90, 9},
	)
}

func read(t *testing.T, by string, files []string, change func(*usage.Settings)) *usage.Report {
	t.Helper()
	dimensions, err := usage.ParseDimensions(by)
	require.NoError(t, err)
	s := usage.Settings{By: dimensions, Zone: time.UTC, Provider: "auto", MaxLine: 1 << 20}
	if change != nil {
		change(&s)
	}
	r, err := usage.Read(t.Context(), s, files)
	require.NoError(t, err)
	return r
}

// rows formats the rows of a report: values, then tokens of input and output.
func rows(r *usage.Report) (list []string) {
	for _, row := range r.Rows {
		list = append(list, fmt.Sprint(strings.Join(row.Of, " "), " ", row.Tokens.Input, " ", row.Tokens.Output))
	}
	return list
}

func TestDimensions(t *testing.T) {
	files := sample(t)
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for by, want := range map[string][]string{
		"day":       {"2026-11-27 12348198 300", "2026-11-28 1080 7", "2026-12-01 1100 9"},
		"week":      {"2026-W48 12349278 307", "2026-W49 1100 9"},
		"month":     {"2026-11 12349278 307", "2026-12 1100 9"},
		"session":   {"s1 12348198 300", "s3 1100 9", "s2 1080 7"},
		"model":     {"claude-large 12348198 300", "claude-small 2180 16"},
		"agent":     {"claude-code 12350378 316"},
		"pipeline":  {" 12350378 316"},
		"project":   {"/home/dev/shop 12348198 300", " 1100 9", "/home/dev/a/rather/long/path/to/a/project 1080 7"},
		"model,day": {"claude-large 2026-11-27 12348198 300", "claude-small 2026-11-28 1080 7", "claude-small 2026-12-01 1100 9"},
	} {
		r := read(t, by, files, nil)
		assert.Equal(t, want, rows(r), by)
		assert.EqualValues(t, 12_350_694, r.Total.Total(), by)
	}
	r := read(t, "day", files, func(s *usage.Settings) { s.Zone = berlin })
	assert.Equal(t, []string{"2026-11-27 1510 100", "2026-11-28 12347768 207", "2026-12-01 1100 9"}, rows(r))
}

func TestPeriod(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	files := sample(t)
	for _, tc := range []struct{ since, until, want string }{
		{"", "", "300 7 9"},
		{"2026-11-28", "", "7 9"},
		{"", "2026-11-28", "300 7"},
		{"2026-11-28", "2026-11-28", "7"},
		{"2026-11-27T23:00:00Z", "2026-11-28T08:00:00Z", "200"},
		{"13h", "", "200 7 9"},
		{"1d", "", "300 7 9"},
		{"5h", "", "7 9"},
		{"1w", "4h", "300"},
	} {
		p, err := usage.ParsePeriod(tc.since, tc.until, now)
		require.NoError(t, err)
		var got []string
		for _, row := range read(t, "day", files, func(s *usage.Settings) { s.Period = p }).Rows {
			got = append(got, fmt.Sprint(row.Tokens.Output))
		}
		assert.Equal(t, tc.want, strings.Join(got, " "), "%+v", tc)
	}
	for since, until := range map[string]string{"yesterday": "", "2026-11-28": "2026-11-27", "d": "", "-1d": "", "1x": ""} {
		_, err := usage.ParsePeriod(since, until, now)
		assert.Error(t, err, since)
	}
}

func TestParseDimensions(t *testing.T) {
	for by, want := range map[string]string{"": "not one of day", "dya": `"dya"`, "day,day": "twice", "day,": `""`} {
		_, err := usage.ParseDimensions(by)
		assert.ErrorContains(t, err, want)
	}
}

// TestCopyCountsOnce has a session that was resumed into another file, which repeats its lines under a new session ID.
func TestCopyCountsOnce(t *testing.T) {
	first := message{"s1", "m1", "2026-11-27T10:00:00Z", "/w", "m", 100, 10}
	copied := first
	copied.session = "s2"
	other := first // another message with the same ID
	other.session, other.time = "s3", "2026-11-27T11:00:00Z"
	r := read(t, "day", history(t, first, copied, message{"s2", "m2", "2026-11-27T10:01:00Z", "/w", "m", 200, 20}, other), nil)
	assert.Equal(t, []string{"2026-11-27 3430 40"}, rows(r))
}

// TestSameEveryTime reads all recordings together and concurrently, including several forms of one session.
func TestSameEveryTime(t *testing.T) {
	files := slices.DeleteFunc(glob(t, "*/*.jsonl"), madeUp)
	prices := ledger.Prices{{Model: "*", Input: 1.37, Cached: 0.137, Output: 7.91}}
	added := func(workers int) string {
		var b bytes.Buffer
		r := read(t, "session,model,project", files, func(s *usage.Settings) { s.Workers, s.Prices = workers, prices })
		require.NoError(t, r.WriteJSON(&b))
		return b.String()
	}
	want := added(1)
	for range 3 {
		require.Equal(t, want, added(8))
	}
}

// TestTranscriptBeforeStream has a stream and the transcript of one session, with names in both orders: the transcript counts,
// with the models and days that streams of Codex lack.
func TestTranscriptBeforeStream(t *testing.T) {
	for _, session := range []string{"codex/parity", "codex/denied", "gemini/terminated", "gemini/bad-stream", "opencode/parity"} {
		transcript := filepath.Join(testdata, session+".session.jsonl")
		want := rows(read(t, "model,day", []string{transcript}, nil))
		for _, names := range [][2]string{{"a", "b"}, {"b", "a"}} {
			folder := t.TempDir()
			copyOld(t, filepath.Join(testdata, session+".jsonl"), filepath.Join(folder, names[0]+".jsonl"))
			copyOld(t, transcript, filepath.Join(folder, names[1]+".jsonl"))
			assert.Equal(t, want, rows(read(t, "model,day", []string{filepath.Join(folder, "a.jsonl"), filepath.Join(folder, "b.jsonl")}, nil)), session)
		}
	}
}

func TestPrices(t *testing.T) {
	prices := ledger.Prices{{Model: "claude-large", Input: 2, Cached: 1, CacheWrite5m: 4, CacheWrite1h: 8, Output: 10}}
	r := read(t, "model", sample(t), func(s *usage.Settings) { s.Prices = prices })
	large := r.Rows[0]
	assert.InDelta(t, (12_346_178*2+2000*1+20*4+300*10)/1e6, large.Estimate.USD(), 1e-9)
	assert.Zero(t, r.Rows[1].Cost(), "it has no price")
	assert.Contains(t, table(t, r, 100), "~$24.70")
	for cost, want := range map[float64]string{0: "-", 1e-6: "$0.0001", 0.00123: "$0.0012", 0.0149: "$0.0149", 0.52: "$0.52", 1234.567: "$1,234.57"} {
		r.Total = usage.Sum{Reported: usage.NewNanoUSD(cost)}
		last := strings.Fields(table(t, r, 0))
		assert.Equal(t, want, last[len(last)-1])
	}
}

func table(t *testing.T, r *usage.Report, width int) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.WriteTable(&b, usage.TableSettings{Width: width, Home: "/home/dev"}))
	return b.String()
}

// TestTable draws tables for screens of these widths; 0 is a pipe.
func TestTable(t *testing.T) {
	var b strings.Builder
	for _, by := range []string{"day", "day,project,model"} {
		r := read(t, by, sample(t), nil)
		for _, width := range []int{0, 120, 80, 60, 40, 20} {
			fmt.Fprintf(&b, "by %s, %d columns\n%s\n", by, width, table(t, r, width))
			for line := range strings.Lines(table(t, r, width)) {
				if width >= 40 {
					assert.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), width, line)
				}
			}
		}
	}
	goldentest.Compare(t, filepath.Join("testdata", "tables.golden"), b.String())
}

func TestJSON(t *testing.T) {
	p, err := usage.ParsePeriod("2026-11-28", "", time.Now().UTC())
	require.NoError(t, err)
	r := read(t, "project,day", sample(t), func(s *usage.Settings) { s.Period = p })
	var b bytes.Buffer
	require.NoError(t, r.WriteJSON(&b))
	assert.True(t, json.Valid(b.Bytes()))
	goldentest.Compare(t, filepath.Join("testdata", "report.json.golden"), b.String())
}

// TestUnreadable has a truncated file, a missing one, and one of an unknown format: the rest counts.
func TestUnreadable(t *testing.T) {
	folder := t.TempDir()
	notes, cut := filepath.Join(folder, "notes.jsonl"), filepath.Join(folder, "cut.jsonl.gz")
	require.NoError(t, os.WriteFile(notes, []byte("{\"a\":1}\nnotes\n"), 0o600))
	require.NoError(t, os.WriteFile(cut, []byte("\x1f\x8b\x08"), 0o600))
	r := read(t, "day", append(sample(t), notes, cut, filepath.Join(folder, "gone.jsonl")), nil)
	assert.Len(t, r.Unreadable, 2)
	assert.Equal(t, 2, r.Unrecognized)
	assert.EqualValues(t, 12_350_694, r.Total.Total())
	for _, err := range r.Unreadable {
		assert.ErrorContains(t, err, folder)
	}
}

// TestNamesAreSafe has a path with a secret and with terminal control sequences.
func TestNamesAreSafe(t *testing.T) {
	secret := "ghp_" + strings.Repeat("0123456789", 3) + "abcdef"
	files := history(t, message{"s1", "m1", "2026-11-27T10:00:00Z", "/home/" + secret, "red\x1b[31m model", 1, 1})
	redactor, err := redact.NewRedactor(redact.Settings{})
	require.NoError(t, err)
	r := read(t, "project,model", files, func(s *usage.Settings) { s.Redactor = redactor })
	var b bytes.Buffer
	require.NoError(t, r.WriteJSON(&b))
	for _, out := range []string{table(t, r, 0), table(t, r, 100), b.String()} {
		assert.NotContains(t, out, secret)
		assert.NotContains(t, out, "\x1b")
	}
}
