package scan_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// line returns an assistant line of about n bytes whose text has the characters of code.
func line(n int) []byte {
	text := strings.Repeat(`func Total(prices ...int) int {\n\tsum := 0 // \"cents\"\n`, max(1, n/60))
	return []byte(`{"type":"assistant","message":{"id":"msg_01","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929",` +
		`"content":[{"type":"text","text":"` + text + `"}],"stop_reason":null,"usage":{"input_tokens":5,"output_tokens":3,` +
		`"cache_creation":{"ephemeral_5m_input_tokens":317}}},"parent_tool_use_id":null,"session_id":"4bbb","uuid":"e7bd","timestamp":"2026-11-27T20:43:59.120Z"}`)
}

// shape is a line, or several, with a name and the number of top-level members.
type shape struct {
	name    string
	lines   [][]byte
	members int
}

// shapes are lines with texts of three sizes, one with a text that needs no escapes, and a recorded run, which has
// many small members.
func shapes(t testing.TB) []shape {
	t.Helper()
	capture, err := os.ReadFile("../../../testdata/claude/parallel.jsonl")
	require.NoError(t, err)
	recorded := bytes.Split(bytes.TrimSpace(capture), []byte("\n"))
	plain := bytes.ReplaceAll(line(16<<10), []byte(`\`), []byte("/"))
	return []shape{
		{"1KiB", [][]byte{line(1 << 10)}, 6}, {"16KiB", [][]byte{line(16 << 10)}, 6}, {"256KiB", [][]byte{line(256 << 10)}, 6},
		{"plain", [][]byte{bytes.ReplaceAll(plain, []byte(`/"`), []byte("/'"))}, 6}, {"capture", recorded, 249},
	}
}

// BenchmarkScan iterates over the members of lines and, for comparison, runs gjson.ForEach over the same bytes in the same run.
func BenchmarkScan(b *testing.B) {
	for _, shape := range shapes(b) {
		size := int64(len(bytes.Join(shape.lines, nil)))
		b.Run("line="+shape.name+"/by=scan", func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			var s scan.Scanner
			for b.Loop() {
				if scanMembers(&s, shape.lines) != shape.members {
					b.Fatal("wrong work")
				}
			}
		})
		b.Run("line="+shape.name+"/by=gjson", func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if gjsonMembers(shape.lines) != shape.members {
					b.Fatal("wrong work")
				}
			}
		})
	}
}

// TestBenchmarkBodies checks that the benchmark measures the intended work.
func TestBenchmarkBodies(t *testing.T) {
	var s scan.Scanner
	for _, shape := range shapes(t) {
		require.Equal(t, shape.members, scanMembers(&s, shape.lines), shape.name)
		require.Equal(t, shape.members, gjsonMembers(shape.lines), shape.name)
	}
}

func scanMembers(s *scan.Scanner, lines [][]byte) int {
	n := 0
	for _, line := range lines {
		s.Reset(line)
		for s.Object(); s.Key(); n++ {
			s.Skip()
		}
		if s.Err() != nil {
			return -1
		}
	}
	return n
}

func gjsonMembers(lines [][]byte) int {
	n := 0
	for _, line := range lines {
		gjson.ParseBytes(line).ForEach(func(_, _ gjson.Result) bool {
			n++
			return true
		})
	}
	return n
}

// BenchmarkText decodes texts with the characters of code, and computes their length.
func BenchmarkText(b *testing.B) {
	code := []byte(strings.Repeat(`func Total(prices ...int) int {\n\tsum := 0 // \"cents\"\n`, 64))
	for _, body := range []struct {
		name string
		text []byte
	}{{"code", code}, {"plain", bytes.ReplaceAll(code, []byte(`\`), []byte("/"))}} {
		dst := scan.AppendString(nil, body.text)
		b.Run("body="+body.name+"/do=append", func(b *testing.B) {
			b.SetBytes(int64(len(body.text)))
			b.ReportAllocs()
			for b.Loop() {
				dst = scan.AppendString(dst[:0], body.text)
			}
		})
		b.Run("body="+body.name+"/do=count", func(b *testing.B) {
			b.SetBytes(int64(len(body.text)))
			b.ReportAllocs()
			for b.Loop() {
				if scan.TextLen(body.text) != len(dst) {
					b.Fatal("wrong work")
				}
			}
		})
	}
}

// BenchmarkNames reads what every line has: a time, and names and IDs that repeat.
func BenchmarkNames(b *testing.B) {
	var s scan.Strings
	at := scan.Value{Kind: scan.KindString, Raw: []byte(`"2026-11-27T20:43:59.120Z"`)}
	session := scan.Value{Kind: scan.KindString, Raw: []byte(`"e54ad106-a87b-483a-925c-32d7ea3021fc"`)}
	b.Run("do=time", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			at.Time()
		}
	})
	b.Run("do=intern", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Intern(session)
		}
	})
	b.Run("do=copy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Text(session)
		}
	})
}
