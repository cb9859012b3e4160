package agentstreamreceiver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/parser"
)

// transcript writes one made session in the form of Claude Code's transcripts: model messages of a text, a thought and one
// to three calls, then their results, in running time. Sizes of texts are those of real sessions: 55 % up to 500 bytes,
// 30 % up to 3 KB, 12 % up to 9 KB, 3 % up to 19 KB; a result stands twice, as it does there.
type transcript struct {
	rand    *rand.Rand
	session string
	parent  any
	clock   time.Time
	out     bytes.Buffer
	calls   []string
}

const transcriptWords = `func return error context span trace receiver the of and config build test value string int if else for range nil struct
interface package import result file path line commit branch merge json parse token model tool call input output stream delta
message user assistant thinking plan check fix patch apply run exec shell python go node make`

func newTranscript(seed uint64) *transcript {
	t := &transcript{rand: rand.New(rand.NewPCG(7, seed)), clock: time.Date(2026, 11, 27, 8, 0, 0, 0, time.UTC)}
	t.session = t.id()
	return t
}

func (t *transcript) id() string {
	a, b := t.rand.Uint64(), t.rand.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", uint32(a), uint16(a>>32), uint16(a>>48)&0xfff, uint16(b), b>>16)
}

func (t *transcript) size() int {
	between := func(from, to int) int { return from + t.rand.IntN(to-from) }
	switch p := t.rand.IntN(100); {
	case p < 55:
		return between(30, 500)
	case p < 85:
		return between(500, 3000)
	case p < 97:
		return between(3000, 9000)
	default:
		return between(9000, 19000)
	}
}

func (t *transcript) text(n int) string {
	words := strings.Fields(transcriptWords)
	var b strings.Builder
	for b.Len() < n {
		w := words[t.rand.IntN(len(words))]
		b.WriteString(w)
		if t.rand.IntN(16) == 0 {
			b.WriteString(" \n\t\"" + w + "\": {")
		}
		b.WriteByte(' ')
	}
	return b.String()[:n]
}

// member is one of a line, whose order is that of the format.
type member struct {
	key   string
	value any
}

func (t *transcript) line(kind string, members ...member) {
	id := t.id()
	t.clock = t.clock.Add(time.Duration(20+t.rand.IntN(4000)) * time.Millisecond)
	all := append([]member{
		{"parentUuid", t.parent}, {"isSidechain", false}, {"userType", "external"}, {"cwd", "/home/dev/src/shop"}, {"sessionId", t.session},
		{"version", "2.1.7"}, {"gitBranch", "main"}, {"type", kind},
	}, members...)
	all = append(all, member{"uuid", id}, member{"timestamp", t.clock.Format("2006-01-02T15:04:05.000Z")})
	enc := json.NewEncoder(&t.out)
	enc.SetEscapeHTML(false)
	for i, m := range all {
		t.out.WriteByte("{,"[min(i, 1)])
		_ = enc.Encode(m.key)
		t.out.Truncate(t.out.Len() - 1)
		t.out.WriteByte(':')
		_ = enc.Encode(m.value)
		t.out.Truncate(t.out.Len() - 1)
	}
	t.out.WriteString("}\n")
	t.parent = id
}

// message is the model's or the user's; its members stand in the order of the format.
type message struct {
	ID      string  `json:"id,omitempty"`
	Type    string  `json:"type,omitempty"`
	Role    string  `json:"role"`
	Model   string  `json:"model,omitempty"`
	Content any     `json:"content"`
	Stop    string  `json:"stop_reason,omitempty"`
	Usage   *tokens `json:"usage,omitempty"`
}

type tokens struct {
	Input      int    `json:"input_tokens"`
	CacheWrite int    `json:"cache_creation_input_tokens"`
	CacheRead  int    `json:"cache_read_input_tokens"`
	Output     int    `json:"output_tokens"`
	Tier       string `json:"service_tier"`
}

type block struct {
	CallID    string `json:"tool_use_id,omitempty"`
	Type      string `json:"type"`
	Text      string `json:"text,omitempty"`
	Thinking  string `json:"thinking,omitempty"`
	Signature string `json:"signature,omitempty"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Input     any    `json:"input,omitempty"`
	Content   string `json:"content,omitempty"`
	Error     *bool  `json:"is_error,omitempty"`
}

type result struct {
	Stdout      string `json:"stdout"`
	Stderr      string `json:"stderr"`
	Interrupted bool   `json:"interrupted"`
}

func (t *transcript) prompt() {
	t.line("user", member{"promptId", t.id()}, member{"message", message{Role: "user", Content: t.text(120)}})
}

func (t *transcript) call() block {
	b := block{Type: "tool_use", ID: "toolu_" + t.id()[:18]}
	t.calls = append(t.calls, b.ID)
	switch t.rand.IntN(5) {
	case 0:
		b.Name, b.Input = "Bash", map[string]string{"command": t.text(t.size() / 2), "description": t.text(40)}
	case 1:
		b.Name, b.Input = "Edit", map[string]string{"file_path": "/home/dev/src/shop/b.go", "old_string": t.text(t.size() / 2), "new_string": t.text(t.size() / 2)}
	case 2:
		b.Name, b.Input = "Grep", map[string]string{"pattern": t.text(20)}
	case 3:
		b.Name, b.Input = "WebFetch", map[string]string{"url": "https://example.org/" + t.id(), "prompt": t.text(60)}
	default:
		b.Name, b.Input = "Read", map[string]string{"file_path": "/home/dev/src/shop/a.go"}
	}
	return b
}

// turn is a model message, a line for each of its blocks, and the results of its calls.
func (t *transcript) turn() {
	t.calls = t.calls[:0]
	var blocks []block
	if t.rand.IntN(10) < 3 {
		blocks = append(blocks, block{Type: "thinking", Thinking: t.text(t.size()), Signature: strings.Repeat(t.id(), 4)})
	}
	if t.rand.IntN(10) < 6 {
		blocks = append(blocks, block{Type: "text", Text: t.text(t.size())})
	}
	for range 1 + t.rand.IntN(3) {
		blocks = append(blocks, t.call())
	}
	m := message{ID: "msg_" + t.id()[:20], Type: "message", Role: "assistant", Model: "claude-model-x", Stop: "tool_use"}
	m.Usage = &tokens{Input: 12, CacheWrite: t.rand.IntN(9000), CacheRead: t.rand.IntN(90000), Output: 1 + t.rand.IntN(900), Tier: "standard"}
	for _, b := range blocks {
		m.Content = []block{b}
		t.line("assistant", member{"message", m}, member{"requestId", "req_" + m.ID[4:]})
	}
	for _, id := range t.calls {
		text, failed := t.text(t.size()), t.rand.IntN(20) == 0
		t.line("user",
			member{"message", message{Role: "user", Content: []block{{CallID: id, Type: "tool_result", Content: text, Error: &failed}}}},
			member{"toolUseResult", result{Stdout: text[:min(len(text), 6000)]}})
	}
}

// writeTranscripts writes sessions of a size.
func writeTranscripts(tb testing.TB, dir string, files, size int) {
	tb.Helper()
	for i := range files {
		t := newTranscript(uint64(i))
		for n := 0; t.out.Len() < size; n++ {
			if n%40 == 0 {
				t.prompt()
			}
			t.turn()
		}
		require.NoError(tb, os.WriteFile(filepath.Join(dir, t.session+".jsonl"), t.out.Bytes(), 0o600))
	}
}

// readTranscripts is what stands in the files of a folder.
func readTranscripts(tb testing.TB, dir string) (data [][]byte) {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	require.NoError(tb, err)
	for _, name := range files {
		file, err := os.ReadFile(name)
		require.NoError(tb, err)
		data = append(data, file)
	}
	return data
}

// countEvents is how many records lines give, each event being one.
func countEvents(tb testing.TB, data [][]byte) (n int64) {
	tb.Helper()
	for _, file := range data {
		p, err := parser.New(parser.Auto)
		require.NoError(tb, err)
		for line := range bytes.Lines(file) {
			n += int64(len(p.ParseEvents(bytes.TrimSuffix(line, []byte("\n")))))
		}
		n += int64(len(p.Flush()))
	}
	return n
}

// walk goes over the top-level members of lines with gjson: what the receiver is measured by.
func walk(data [][]byte) (members int) {
	for _, file := range data {
		for line := range bytes.Lines(file) {
			gjson.ParseBytes(line).ForEach(func(_, _ gjson.Result) bool {
				members++
				return true
			})
		}
	}
	return members
}

// tally counts what it is given, and keeps nothing.
type tally struct {
	spans, records atomic.Int64
	enough         int64
	done           chan struct{}
}

// readAll runs a receiver with its defaults over a folder until so many records came, and returns the counts.
func readAll(tb testing.TB, dir string, records int64) *tally {
	tb.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.Stream.Include = []string{filepath.Join(dir, "*.jsonl")}
	cfg.Stream.StartAt = "beginning"
	t := &tally{enough: records, done: make(chan struct{})}
	nextTraces, err := consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error {
		t.spans.Add(int64(td.SpanCount()))
		return nil
	})
	require.NoError(tb, err)
	nextLogs, err := consumer.NewLogs(func(_ context.Context, ld plog.Logs) error {
		n := int64(ld.LogRecordCount())
		if now := t.records.Add(n); now >= t.enough && now-n < t.enough {
			close(t.done)
		}
		return nil
	})
	require.NoError(tb, err)
	factory := NewFactory()
	set := receivertest.NewNopSettings(factory.Type())
	traces, err := factory.CreateTraces(tb.Context(), set, cfg, nextTraces)
	require.NoError(tb, err)
	logs, err := factory.CreateLogs(tb.Context(), set, cfg, nextLogs)
	require.NoError(tb, err)
	require.NoError(tb, traces.Start(tb.Context(), componenttest.NewNopHost()))
	require.NoError(tb, logs.Start(tb.Context(), componenttest.NewNopHost()))
	select {
	case <-t.done:
	case <-time.After(time.Minute):
		tb.Errorf("%d of %d records after a minute", t.records.Load(), t.enough)
	}
	require.NoError(tb, traces.Shutdown(tb.Context()))
	require.NoError(tb, logs.Shutdown(tb.Context()))
	return t
}

// BenchmarkReceiver reads files to their end: everything from the file to the consumers, with the defaults of a user. The
// same bytes are walked over with gjson in the same run: "ratio" is how much of gjson's speed the receiver has, by the
// time of all cores together. TAILSPAN_BENCH_DATA names a folder of transcripts to be read in place of made ones.
func BenchmarkReceiver(b *testing.B) {
	dir := os.Getenv("TAILSPAN_BENCH_DATA")
	if dir == "" {
		dir = b.TempDir()
		writeTranscripts(b, dir, 8, 4<<20)
	}
	data := readTranscripts(b, dir)
	size := 0
	for _, file := range data {
		size += len(file)
	}
	records := countEvents(b, data)
	var read, walked time.Duration
	b.SetBytes(int64(size))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		start := cpuTime(b)
		readAll(b, dir, records)
		read += cpuTime(b) - start
		b.StopTimer()
		start = cpuTime(b)
		require.NotZero(b, walk(data))
		walked += cpuTime(b) - start
		b.StartTimer()
		n++
	}
	megabytes := float64(n) * float64(size) / 1e6
	b.ReportMetric(megabytes/read.Seconds(), "MB/cpu-s")
	b.ReportMetric(megabytes/walked.Seconds(), "gjson-MB/s")
	b.ReportMetric(walked.Seconds()/read.Seconds(), "ratio")
}

// TestBenchmarkedReading holds that what is measured is the whole work.
func TestBenchmarkedReading(t *testing.T) {
	dir := t.TempDir()
	writeTranscripts(t, dir, 2, 64<<10)
	data := readTranscripts(t, dir)
	got := readAll(t, dir, countEvents(t, data))
	assert.Equal(t, countEvents(t, data), got.records.Load(), "a record an event")
	calls := 0
	for _, file := range data {
		calls += bytes.Count(file, []byte(`"type":"tool_use"`))
	}
	assert.Greater(t, got.spans.Load(), int64(calls), "a span a call, and those of model calls and runs")
}
