//go:build linux || darwin

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/render"
)

// benchInput is a stream as an agent writes it.
type benchInput struct {
	name, provider string
	data           []byte
}

// benchCaptures are recorded runs, each repeated many times under new IDs, so that no line is a repeat.
func benchCaptures(t testing.TB) []benchInput {
	t.Helper()
	ids := regexp.MustCompile(`("uuid":"|toolu_|msg_|call_|"item_|"id":")([0-9a-zA-Z]{8})`)
	var all []benchInput
	for _, c := range []benchInput{
		{name: "stream", provider: "claude", data: []byte("parallel.jsonl")},
		{name: "transcript", provider: "claude", data: []byte("interactive.session.jsonl")},
		{name: "stream", provider: "codex", data: []byte("parallel.jsonl")},
		{name: "rollout", provider: "codex", data: []byte("parallel.session.jsonl")},
	} {
		capture, err := os.ReadFile(fixtureFolder(c.provider) + "/" + string(c.data))
		require.NoError(t, err)
		c.data = nil
		for i := range max(1, 2<<20/len(capture)) {
			c.data = append(c.data, ids.ReplaceAll(capture, fmt.Appendf(nil, "${1}%08x", i))...)
		}
		all = append(all, c)
	}
	return all
}

// benchLines returns lines of Claude Code of about 4 KiB: in turn a text, a call and its result.
func benchLines() benchInput {
	var b bytes.Buffer
	text := strings.Repeat(`A line of plain words, with \"quotes\" and a tab.\tThe end.\n`, 60)
	for i := range 512 {
		fmt.Fprintf(&b, `{"type":"assistant","message":{"id":"msg_%04d","role":"assistant","content":[{"type":"text","text":"%s"}]},"session_id":"e54ad106"}`+"\n", i, text)
		fmt.Fprintf(&b, `{"type":"assistant","message":{"id":"msg_%04d","role":"assistant","content":[{"type":"tool_use","id":"toolu_%04d","name":"Write","input":{"file_path":"/home/dev/shop/calc.go","content":"%s"}}]},"session_id":"e54ad106"}`+"\n", i, i, text)
		fmt.Fprintf(&b, `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%04d","content":"%s"}]},"session_id":"e54ad106"}`+"\n", i, text)
	}
	return benchInput{name: "4KiB", provider: "claude", data: b.Bytes()}
}

// renderAll renders a stream with a Writer, as if writing to a pipe.
func renderAll(t testing.TB, in benchInput, s render.Settings, out io.Writer) {
	source, err := parser.New(in.provider)
	require.NoError(t, err)
	w := render.NewWriter(render.New(out, s), source, render.WriterSettings{Mode: s.Mode, Style: s.Style})
	for data := in.data; len(data) > 0; {
		n := min(len(data), input.BufferSize)
		_, err := w.Write(data[:n])
		require.NoError(t, err)
		data = data[n:]
	}
	require.NoError(t, w.Close())
}

// parseAll parses a stream without rendering.
func parseAll(t testing.TB, in benchInput) (events int) {
	source, err := parser.New(in.provider)
	require.NoError(t, err)
	for line := range bytes.Lines(in.data) {
		events += len(source.ParseEvents(line[:len(line)-1]))
	}
	return events + len(source.Flush())
}

// processorTime returns the CPU time of the process on all cores, including the garbage collector. Unlike the wall
// clock, it excludes other work on the machine.
func processorTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRender renders the lines of streams in every look. "cpu-MB/s" is the input that one core parses and renders
// per second of CPU time. "parser-share" is the parser's part of that time, measured in the same run.
func BenchmarkRender(b *testing.B) {
	for _, in := range append(benchCaptures(b), benchLines()) {
		for _, look := range looks {
			b.Run(fmt.Sprintf("provider=%s/lines=%s/look=%s", in.provider, in.name, look.name), func(b *testing.B) {
				b.SetBytes(int64(len(in.data)))
				b.ReportAllocs()
				s := look.Settings
				s.Summary = true
				var parsing, all time.Duration
				for b.Loop() {
					start := processorTime(b)
					renderAll(b, in, s, io.Discard)
					all += processorTime(b) - start
					b.StopTimer()
					start = processorTime(b)
					parseAll(b, in)
					parsing += processorTime(b) - start
					b.StartTimer()
				}
				b.ReportMetric(float64(len(in.data))*float64(b.N)/all.Seconds()/1e6, "cpu-MB/s")
				b.ReportMetric(parsing.Seconds()/all.Seconds(), "parser-share")
			})
		}
	}
}

// TestBenchmarkBodies checks that the benchmark measures work that is actually done.
func TestBenchmarkBodies(t *testing.T) {
	for _, in := range append(benchCaptures(t), benchLines()) {
		assert.Greater(t, parseAll(t, in), bytes.Count(in.data, []byte("\n"))/4, "%s %s", in.provider, in.name)
		sizes := map[string]int{}
		for _, look := range looks {
			var out bytes.Buffer
			renderAll(t, in, look.Settings, &out)
			sizes[look.name] = out.Len()
		}
		for _, style := range render.StyleNames() {
			assert.Greater(t, sizes[style], sizes["default"]+1000, "%s %s %s", in.provider, in.name, style)
		}
	}
}
