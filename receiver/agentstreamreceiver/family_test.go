package agentstreamreceiver_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/goldentest"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/internal/spantree"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/telemetry"
)

// reading is a file on its way through parser and session, some lines at a time.
type reading struct {
	registry *telemetry.Registry
	id, path string
	source   *parser.Source
	stream   *telemetry.Stream
	lines    [][]byte
	offset   int64
	live     time.Time        // when the next line is written; zero for a complete file
	written  func(*time.Time) // changes the times of events; nil keeps them
	identity otlp.Identity
	pause    time.Duration // by which the times of the lines are later than written
	fed      []telemetry.Line
	before   [][]events.DisplayEvent // what was fed, with fed
}

func newReading(t *testing.T, registry *telemetry.Registry, path string) *reading {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	source, err := parser.New(parser.Auto)
	require.NoError(t, err)
	lines := slices.Collect(bytes.Lines(data))
	if parser.IsDocument(path) {
		lines = [][]byte{data}
	}
	return &reading{registry: registry, id: filepath.Base(path), path: path, source: source, lines: lines}
}

func (r *reading) done() bool { return len(r.lines) == 0 }

// read processes the next n lines; after the last of them the file is idle.
func (r *reading) read(n int) {
	for range min(n, len(r.lines)) {
		line := r.lines[0]
		r.lines = r.lines[1:]
		r.feed(r.source.ParseEvents(bytes.TrimSuffix(line, []byte("\n"))))
		r.offset += int64(len(line))
	}
	if r.done() {
		r.feed(r.source.Flush())
		if r.stream != nil {
			r.stream.Idle()
		}
	}
}

func (r *reading) feed(evs []events.DisplayEvent) {
	if len(evs) == 0 {
		return
	}
	for i := range evs {
		if r.written != nil {
			r.written(&evs[i].Time)
		}
		if r.pause > 0 && !evs[i].Time.IsZero() {
			evs[i].Time = evs[i].Time.Add(r.pause)
		}
	}
	if r.stream == nil {
		info := parser.InfoOf(r.source.Provider())
		r.stream = r.registry.Open(r.settings(info))
	}
	line := telemetry.Line{Offset: r.offset, Live: !r.live.IsZero(), Arrival: r.live, Read: r.live}
	if line.Live {
		line.Arrival, line.Read = r.live.Add(r.pause), r.live.Add(r.pause)
		r.fed, r.before = append(r.fed, line), append(r.before, cloneEvents(evs))
	}
	r.stream.Feed(line, evs)
}

// reopen opens the stream of a followed file again after it was closed, like the receiver.
func (r *reading) reopen(t *testing.T) {
	t.Helper()
	state, _ := r.stream.State()
	settings := r.settings(parser.InfoOf(r.source.Provider()))
	settings.State = &state
	r.stream = r.registry.Open(settings)
	for i, line := range r.fed {
		line.Replay, line.Live = true, false
		r.stream.Feed(line, cloneEvents(r.before[i]))
	}
}

// cloneEvents copies events with what Feed may change or a parser may reuse.
func cloneEvents(evs []events.DisplayEvent) []events.DisplayEvent {
	list := slices.Clone(evs)
	for i := range list {
		list[i].Tool.Input, list[i].Tool.Output = slices.Clone(list[i].Tool.Input), slices.Clone(list[i].Tool.Output)
	}
	return list
}

func (r *reading) settings(info parser.Info) telemetry.StreamSettings {
	changed := fileTime
	if !r.live.IsZero() {
		changed = r.live
	}
	return telemetry.StreamSettings{
		ID: r.id, Agent: program.Agent{Provider: info.Name, ServiceName: info.ServiceName, System: info.System, Folders: info.Folders, OwnMessageIDs: info.OwnMessageIDs, Bodies: info.Bodies, StreamIDs: info.StreamIDs, CallIDs: info.CallIDs, TotalsOfAgents: info.TotalsOfAgents},
		FileTime: changed, IdleGap: time.Hour, Identity: r.identity, ParentSession: parser.ParentSession(info.Name, r.path), Group: parser.Group(info.Name, r.path),
	}
}

// exports collects the output.
type exports struct {
	traces []ptrace.Traces
	logs   []plog.Logs
}

func (e *exports) take(out telemetry.Output) {
	e.traces = append(e.traces, out.Traces)
	e.logs = append(e.logs, out.Logs)
}

// readFamily reads files together: next returns which one continues, and by how many lines.
func readFamily(t *testing.T, paths []string, next func(files []*reading) (int, int)) *exports {
	t.Helper()
	registry := telemetry.NewRegistry(goldenSettings())
	var open, all []*reading
	for _, path := range paths {
		open = append(open, newReading(t, registry, path))
	}
	all = slices.Clone(open)
	var e exports
	for len(open) > 0 {
		i, n := next(open)
		open[i].read(n)
		if open[i].stream != nil {
			e.take(open[i].stream.Take())
		}
		if open[i].done() {
			open = slices.Delete(open, i, i+1)
		}
	}
	for _, r := range all {
		if r.stream != nil {
			r.stream.Close(otlp.CloseReasonShutdown)
			e.take(r.stream.Take())
		}
	}
	e.take(registry.Close())
	return &e
}

// list names everything in the exports, sorted, so that two orders of reading can be compared.
func (e *exports) list() []string {
	var list []string
	for _, td := range e.traces {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					list = append(list, fmt.Sprint("span ", s.Name(), " ", s.TraceID(), s.SpanID(), s.ParentSpanID(), s.StartTimestamp(), s.EndTimestamp(), s.Status().Code(), sortedAttributes(s)))
				}
			}
		}
	}
	for _, ld := range e.logs {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, lr := range sl.LogRecords().All() {
					uid, _ := lr.Attributes().Get(otlp.AttrLogRecordUID)
					list = append(list, fmt.Sprint("record ", lr.EventName(), " ", uid.AsString(), lr.TraceID(), lr.SpanID(), lr.Timestamp()))
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

func sortedAttributes(s ptrace.Span) string {
	var attrs []string
	for k, v := range s.Attributes().All() {
		attrs = append(attrs, k+"="+v.AsString())
	}
	slices.Sort(attrs)
	return strings.Join(attrs, " ")
}

// families are the folders of sessions that belong together; main* is read first, then the rest by name.
func families(t *testing.T) map[string][]string {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join("..", "..", "testdata", "*", "families", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	all := map[string][]string{}
	for _, folder := range folders {
		var files []string
		for _, below := range []string{"", "chats", filepath.Join("chats", "*"), filepath.Join("subagents", "workflows", "*")} {
			some, err := filepath.Glob(filepath.Join(folder, below, "*.json*"))
			require.NoError(t, err)
			files = append(files, some...)
		}
		slices.SortStableFunc(files, func(a, b string) int { return parentFirst(a) - parentFirst(b) })
		provider := filepath.Base(filepath.Dir(filepath.Dir(folder)))
		all[provider+"/"+filepath.Base(folder)] = files
	}
	return all
}

func parentFirst(path string) int {
	switch name := filepath.Base(path); {
	case strings.HasPrefix(name, "main"), strings.HasPrefix(name, "original"):
		return 0
	default:
		return 1
	}
}

// TestFamilies reads the files of a session and its sub-agents, parents first, and compares the tree with a golden file.
func TestFamilies(t *testing.T) {
	for name, paths := range families(t) {
		t.Run(name, func(t *testing.T) {
			e := readFamily(t, paths, func([]*reading) (int, int) { return 0, 1 << 30 })
			assert.Empty(t, otlpjson.Check(e.traces...))
			folder, _, _ := strings.Cut(filepath.ToSlash(filepath.Dir(paths[0])), "/chats")
			goldentest.Compare(t, filepath.Join(folder, "family.spans.golden"), spantree.Draw(e.traces...))
		})
	}
}

// TestFamiliesInAnyOrder feeds the files of a family at once, in random order and by random numbers of lines: the output is
// that of reading parents first.
func TestFamiliesInAnyOrder(t *testing.T) {
	for name, paths := range families(t) {
		if strings.HasSuffix(name, "/fork") {
			continue // only marks distinguish a fork from its original; see TestForkExportsNothingTwice
		}
		t.Run(name, func(t *testing.T) {
			want := readFamily(t, paths, func([]*reading) (int, int) { return 0, 1 << 30 }).list()
			for seed := range uint64(40) {
				rng := rand.New(rand.NewPCG(seed, 7))
				got := readFamily(t, paths, func(files []*reading) (int, int) { return rng.IntN(len(files)), 1 + rng.IntN(12) })
				require.Equal(t, want, got.list(), "seed %d", seed)
			}
		})
	}
}

// TestForkExportsNothingTwice: the copied history of a fork yields nothing, in either order of reading.
func TestForkExportsNothingTwice(t *testing.T) {
	paths := families(t)["claude/fork"]
	whole := func([]*reading) (int, int) { return 0, 1 << 30 }
	forward := readFamily(t, paths, whole).list()
	reversed := slices.Clone(paths)
	slices.Reverse(reversed)
	assert.Equal(t, forward, readFamily(t, reversed, whole).list())
	messages := map[string]int{}
	for _, line := range forward {
		if _, id, ok := strings.Cut(line, "gen_ai.response.id="); ok {
			id, _, _ = strings.Cut(id, " ")
			messages[id]++
		}
	}
	require.NotEmpty(t, messages)
	for id, n := range messages {
		assert.Equal(t, 1, n, "model call %s", id)
	}
}

// TestFamilyOfAParentCutShort ends the parent's file after each of its lines, like a collector that is stopped while a
// sub-agent is running: the tree stays sound.
func TestFamilyOfAParentCutShort(t *testing.T) {
	for name, paths := range families(t) {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(paths[0])
			require.NoError(t, err)
			cut := slices.Clone(paths)
			cut[0] = filepath.Join(t.TempDir(), filepath.Base(paths[0]))
			end := 0
			for line := range bytes.Lines(data) {
				end += len(line)
				require.NoError(t, os.WriteFile(cut[0], data[:end], 0o600))
				e := readFamily(t, cut, func([]*reading) (int, int) { return 0, 1 << 30 })
				require.Empty(t, otlpjson.Check(e.traces...), "%d bytes of %s", end, paths[0])
			}
		})
	}
}

// TestFamilyWithClocksApart reads sub-agents' files with a wrong clock: their spans are outside of their calls and are marked.
func TestFamilyWithClocksApart(t *testing.T) {
	stamp := regexp.MustCompile(`"timestamp":"([^"]+)"`)
	for _, off := range []time.Duration{-time.Minute, -300 * time.Millisecond, time.Minute} {
		t.Run(off.String(), func(t *testing.T) {
			paths := slices.Clone(families(t)["claude/subagent"])
			require.Greater(t, len(paths), 1)
			for i, path := range paths[1:] {
				data, err := os.ReadFile(path)
				require.NoError(t, err)
				moved := stamp.ReplaceAllFunc(data, func(b []byte) []byte {
					at, err := time.Parse(time.RFC3339Nano, string(stamp.FindSubmatch(b)[1]))
					require.NoError(t, err)
					return []byte(`"timestamp":"` + at.Add(off).Format(time.RFC3339Nano) + `"`)
				})
				require.NotEqual(t, data, moved)
				paths[i+1] = filepath.Join(t.TempDir(), filepath.Base(path))
				require.NoError(t, os.WriteFile(paths[i+1], moved, 0o600))
			}
			e := readFamily(t, paths, func([]*reading) (int, int) { return 0, 1 << 30 })
			assert.Empty(t, otlpjson.Check(e.traces...))
		})
	}
}

// TestFamilyOfTwoAccounts reads a stream, ended after each of its lines, and the transcripts of the same session: the stream
// is the exported account, and spans below a call that it does not contain must still have a parent.
func TestFamilyOfTwoAccounts(t *testing.T) {
	folder := filepath.Join("..", "..", "testdata", "claude")
	for _, name := range []string{"background", "subagent", "subagent-2.0.50", "subagent-2.1.30"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(folder, name+".jsonl"))
			require.NoError(t, err)
			stream := filepath.Join(t.TempDir(), "stream.jsonl")
			paths := append([]string{stream}, families(t)["claude/"+name]...)
			end := 0
			for line := range bytes.Lines(data) {
				end += len(line)
				require.NoError(t, os.WriteFile(stream, data[:end], 0o600))
				e := readFamily(t, paths, func([]*reading) (int, int) { return 0, 1 << 30 })
				require.Empty(t, otlpjson.Check(e.traces...), "%d bytes of %s", end, name)
			}
		})
	}
}
