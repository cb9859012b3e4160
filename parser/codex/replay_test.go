package codex_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

func TestCopiedHistory(t *testing.T) {
	meta := func(at, id, created, rest string) string {
		return `{"timestamp":"` + at + `","type":"session_meta","payload":{"id":"` + id + `","timestamp":"` + created + `"` + rest + `}}`
	}
	said := func(at, text string) string {
		return `{"timestamp":"` + at + `","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + text + `"}]}}`
	}
	turn := func(at, rest string) string {
		return `{"timestamp":"` + at + `","type":"event_msg","payload":{"type":"task_started",` + rest + `}}`
	}
	const (
		early, born, later = "2026-03-02T11:00:00Z", "2026-03-02T12:00:00Z", "2026-03-02T12:00:05Z"
		parent, fork       = "019cae34-7780-7000-8000-00000000000a", "019cae6b-6600-7000-8000-00000000000b" // created at early and born
		forked             = `,"forked_from_id":"` + parent + `"`
	)
	for _, tc := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"times kept", []string{meta(born, fork, born, forked), meta(early, parent, early, ""), said(early, "copy"), said(later, "own")}, []string{"own"}},
		{"times kept, no head of the parent", []string{meta(born, fork, born, forked), said(early, "copy"), said(later, "own")}, []string{"own"}},
		{"a turn ID shows it", []string{meta(born, fork, born, forked), meta(born, parent, early, ""), turn(born, `"turn_id":"019cae34-8000-7000-8000-000000000001"`), said(later, "copy"),
			turn(later, `"turn_id":"019cae6b-7000-7000-8000-000000000001"`), said(later, "own")}, []string{"own"}},
		{"a second shows it", []string{meta(born, fork, born, forked), meta(born, parent, early, ""), turn(born, `"turn_id":"1","started_at":1772449200`), said(later, "copy"),
			turn(later, `"turn_id":"2","started_at":1772452800`), said(later, "own")}, []string{"own"}},
		{"the own head again", []string{meta(born, fork, born, forked), meta(born, parent, early, ""), said(born, "copy"), meta(born, fork, born, forked), said(born, "own")}, []string{"own"}},
		{"a pause", []string{meta(born, fork, born, forked), meta(born, parent, early, ""), said(born, "copy"), said("2026-03-02T12:00:00.900Z", "copy"), said(later, "own")}, []string{"own"}},
		{"no pause if turns are reported", []string{meta(born, fork, born, forked), meta(born, parent, early, ""), turn(born, `"turn_id":"019cae34-8000-7000-8000-000000000001"`), said(later, "copy")}, nil},
		{"a parent's parent", []string{meta(born, fork, born, forked), meta(born, parent, early, ""), meta(born, "older", early, ""), said(born, "copy")}, nil},
		{"an older head without a fork", []string{meta(born, fork, born, ""), meta(born, parent, early, ""), said(born, "copy")}, nil},
		{"another rollout behind", []string{meta(early, parent, early, ""), said(early, "one"), meta(born, fork, born, ""), said(later, "two")}, []string{"one", "two"}},
		{"an older rollout behind", []string{meta(born, fork, born, ""), said(later, "one"), meta(early, parent, early, ""), said(early, "two")}, []string{"one", "two"}},
		{"a rollout behind a fork", []string{meta(born, fork, born, forked), meta(early, parent, early, ""), said(early, "copy"), said(later, "own"), meta(later, "third", later, ""), said(later, "two")}, []string{"own", "two"}},
		{"nothing copied", []string{meta(born, fork, born, forked+`,"history_mode":"paginated"`), said(later, "own")}, []string{"own"}},
		{"no fork", []string{meta(born, fork, born, ""), said(early, "a clock that went back")}, []string{"a clock that went back"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var texts []string
			for _, e := range all(t, tc.lines...) {
				if e.Kind == events.KindText {
					texts = append(texts, e.Text)
				}
			}
			assert.Equal(t, tc.want, texts)
		})
	}
}

// TestTwoRolloutsInOneFile reads one rollout behind another, as in a file that a user made of several. No event of either is lost.
func TestTwoRolloutsInOneFile(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "codex", "*.session.jsonl"))
	require.NoError(t, err)
	require.Greater(t, len(paths), 20)
	count := func(paths ...string) map[events.Kind]int {
		kinds, p := map[events.Kind]int{}, newSource()
		for _, path := range paths {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			for line := range bytes.Lines(data) {
				for _, e := range p.ParseEvents(bytes.TrimSuffix(line, []byte("\n"))) {
					kinds[e.Kind]++
				}
			}
		}
		return kinds
	}
	for _, first := range paths {
		switch filepath.Base(first) { // one of each dialect, and a sub-agent
		case "parity.session.jsonl", "parity-0.125.session.jsonl", "parity-0.42.session.jsonl", "parity-0.29.session.jsonl", "subagents-v2-child.session.jsonl":
		default:
			continue
		}
		for _, second := range paths {
			if first == second {
				continue
			}
			want := count(first)
			for kind, n := range count(second) {
				want[kind] += n
			}
			assert.Equal(t, want, count(first, second), "%s, then %s", first, second)
		}
	}
}
