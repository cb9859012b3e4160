package telemetry_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// rawFile is a file whose lines are exported unchanged.
type rawFile struct {
	id     string
	lines  []string
	silent int // number of lines that were accepted before a restart
}

// passOn exports the lines of files, one file after the other, and returns the bodies and the UIDs.
func passOn(registry *telemetry.Registry, files ...rawFile) (bodies []string, uids map[string]int, copied int) {
	uids = map[string]int{}
	var f collected
	for _, file := range files {
		stream := registry.Open(telemetry.StreamSettings{ID: file.id, Fingerprint: file.lines[0]})
		offset := int64(0)
		for i, data := range file.lines {
			stream.Raw(telemetry.Line{Offset: offset, Replay: i < file.silent}, [][]byte{[]byte(data)})
			offset += int64(len(data)) + 1
		}
		out := stream.Take()
		copied += out.Counts.Copied
		f.take(out)
	}
	for _, lr := range f.records {
		uid, _ := lr.Attributes().Get(otlp.AttrLogRecordUID)
		bodies, uids[uid.Str()] = append(bodies, lr.Body().AsString()), uids[uid.Str()]+1
	}
	return bodies, uids, copied
}

// TestRawLines: each line is exported once under a separate UID that depends on the lines before it; a copy of a file exports nothing.
func TestRawLines(t *testing.T) {
	tests := []struct {
		name   string
		files  []rawFile
		want   []string
		copied int
	}{
		{"blank lines are no content", []rawFile{{id: "a", lines: []string{"$ make", "", " \t\r", "ok"}}}, []string{"$ make", "ok"}, 0},
		{"a line that repeats", []rawFile{{id: "a", lines: []string{"ok", "ok", "ok"}}}, []string{"ok", "ok", "ok"}, 0},
		{
			"redacted lines", []rawFile{{id: "a", lines: []string{"-----BEGIN PRIVATE KEY-----", "[redacted:private-key]", "[redacted:private-key]", "[redacted:private-key]"}, silent: 2}},
			[]string{"[redacted:private-key]", "[redacted:private-key]"}, 0,
		},
		{"a copy", []rawFile{{id: "a", lines: []string{"$ make", "ok"}}, {id: "b", lines: []string{"$ make", "ok"}}}, []string{"$ make", "ok"}, 2},
		{
			"files that begin alike", []rawFile{{id: "a", lines: []string{"$ make", "one", "ok"}}, {id: "b", lines: []string{"$ make", "two", "ok"}}},
			[]string{"$ make", "one", "ok", "two", "ok"}, 1,
		},
		{"lines that were accepted", []rawFile{{id: "a", lines: []string{"$ make", "ok"}, silent: 1}, {id: "b", lines: []string{"$ make"}}}, []string{"ok"}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bodies, uids, copied := passOn(newRegistry(), tt.files...)
			assert.Equal(t, tt.want, bodies)
			assert.Len(t, uids, len(tt.want))
			assert.Equal(t, tt.copied, copied)
		})
	}
}

// TestRawLinesOverRestart: a line has its UID whether the lines before it are read again or their state was stored.
func TestRawLinesOverRestart(t *testing.T) {
	lines := []string{"$ make", "one", "ok"}
	_, want, _ := passOn(newRegistry(), rawFile{id: "a", lines: lines})
	_, again, _ := passOn(newRegistry(), rawFile{id: "a", lines: lines, silent: 2})
	first := newRegistry().Open(telemetry.StreamSettings{ID: "a", Fingerprint: lines[0]})
	first.Raw(telemetry.Line{Offset: 0}, [][]byte{[]byte(lines[0])})
	first.Raw(telemetry.Line{Offset: 7}, [][]byte{[]byte(lines[1])})
	state, _ := first.State()
	kept := newRegistry().Open(telemetry.StreamSettings{ID: "a", Fingerprint: lines[0], State: &state})
	kept.Raw(telemetry.Line{Offset: 11}, [][]byte{[]byte(lines[2])})
	var f collected
	f.take(kept.Take())
	uid, _ := f.records[0].Attributes().Get(otlp.AttrLogRecordUID)
	assert.Contains(t, want, uid.Str())
	for uid := range again {
		assert.Contains(t, want, uid)
	}
}
