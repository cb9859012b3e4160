package scan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// line makes an assistant line of about n bytes, its text full of what code is full of.
func line(n int) []byte {
	text := strings.Repeat(`func Total(prices ...int) int {\n\tsum := 0 // \"cents\"\n`, max(1, n/60))
	return []byte(`{"type":"assistant","message":{"id":"msg_01","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929",` +
		`"content":[{"type":"text","text":"` + text + `"}],"stop_reason":null,"usage":{"input_tokens":5,"output_tokens":3,` +
		`"cache_creation":{"ephemeral_5m_input_tokens":317}}},"parent_tool_use_id":null,"session_id":"4bbb","uuid":"e7bd","timestamp":"2026-11-27T20:43:59.120Z"}`)
}

// BenchmarkScan walks the members of a line, beside gjson.ForEach over the same bytes in the same run.
func BenchmarkScan(b *testing.B) {
	for _, size := range []int{1 << 10, 16 << 10, 256 << 10} {
		doc := line(size)
		b.Run(fmt.Sprintf("line=%dKiB/by=scan", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			var s scan.Scanner
			for b.Loop() {
				if scanMembers(&s, doc) != 6 {
					b.Fatal("wrong work")
				}
			}
		})
		b.Run(fmt.Sprintf("line=%dKiB/by=gjson", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				if gjsonMembers(doc) != 6 {
					b.Fatal("wrong work")
				}
			}
		})
	}
}

// TestBenchmarkBodies runs what the benchmark measures, so that it can't measure wrong work.
func TestBenchmarkBodies(t *testing.T) {
	var s scan.Scanner
	require.Equal(t, 6, scanMembers(&s, line(1<<10)))
	require.Equal(t, 6, gjsonMembers(line(1<<10)))
}

func scanMembers(s *scan.Scanner, doc []byte) int {
	n := 0
	s.Reset(doc)
	for s.Object(); s.Key(); n++ {
		s.Skip()
	}
	if s.Err() != nil {
		return -1
	}
	return n
}

func gjsonMembers(doc []byte) int {
	n := 0
	gjson.ParseBytes(doc).ForEach(func(_, _ gjson.Result) bool {
		n++
		return true
	})
	return n
}

// BenchmarkTextLen measures a text as a reader needs it who never looks at it, beside making it.
func BenchmarkTextLen(b *testing.B) {
	body := []byte(strings.Repeat(`func Total(prices ...int) int {\n\tsum := 0 // \"cents\"\n`, 1000))
	b.Run("by=length", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			scan.TextLen(body)
		}
	})
	b.Run("by=text", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		var text []byte
		for b.Loop() {
			text = scan.AppendString(text[:0], body)
		}
	})
}
