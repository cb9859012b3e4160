package render_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

// TestLabels: a stream has the shortest label that distinguishes it from the other open ones.
func TestLabels(t *testing.T) {
	fix := func(pipeline, run, stepRun string) render.Origin {
		return render.Origin{Pipeline: pipeline, Run: run, Step: "fix", StepRun: stepRun}
	}
	long := strings.Repeat("run-", 20)
	tests := []struct {
		name    string
		streams []render.Origin
		want    []string
	}{
		{"one step", []render.Origin{fix("nightly", "17", "")}, []string{"fix"}},
		{"steps of one pipeline", []render.Origin{{Pipeline: "nightly", Run: "17", Step: "build"}, fix("nightly", "17", "")}, []string{"build", "fix"}},
		{"one step in two pipelines", []render.Origin{fix("alpha", "1", ""), fix("beta", "1", "")}, []string{"alpha/fix", "beta/fix"}},
		{"two runs of a pipeline", []render.Origin{fix("nightly", "17", ""), fix("nightly", "18", "")}, []string{"17/fix", "18/fix"}},
		{"two runs of one and another", []render.Origin{fix("a", "1", ""), fix("a", "2", ""), fix("b", "2", "")}, []string{"a/1/fix", "a/2/fix", "b/fix"}},
		{"jobs of a matrix", []render.Origin{fix("n", "1", "linux"), fix("n", "1", "darwin")}, []string{"fix/linux", "fix/darwin"}},
		{"a step with and without a pipeline", []render.Origin{fix("n", "1", ""), {Step: "fix"}}, []string{"n/fix", "fix"}},
		{"pipelines without steps", []render.Origin{{Pipeline: "a", Run: "1"}, {Pipeline: "a", Run: "2"}}, []string{"1/a", "2/a"}},
		{"two sessions of one step", []render.Origin{{Step: "fix", Session: "s1"}, {Step: "fix", Session: "s2"}}, []string{"fix", "fix"}},
		{"a session", []render.Origin{{Session: "01a21ec6-1111-7000-8000-000000000001"}}, []string{"…00000001"}},
		{"a session of another kind", []render.Origin{{Session: "01a21ec6-1111-4000-8000-000000000001"}}, []string{"01a21ec6"}},
		{"sessions of one minute", []render.Origin{
			{Session: "01a21ec6-1111-7000-8000-000000000001"}, {Session: "01a21ec6-1111-7000-8000-000000000002"}, {Session: "7f3b0000"},
		}, []string{"…00000001", "…00000002", "7f3b0000"}},
		{"sessions that begin alike", []render.Origin{{Session: "01a21ec6-1111"}, {Session: "01a21ec6-2222"}}, []string{"01a21ec6-1", "01a21ec6-2"}},
		{"long ids", []render.Origin{fix("n", long+"1", ""), fix("n", long+"2", "")}, []string{long + "1/fix", long + "2/fix"}},
		{"what is not seen", []render.Origin{fix("al\u200bpha\x1b[2J", "", ""), fix("beta\n", "", "")}, []string{"alpha/fix", "beta/fix"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			log := render.NewLog(&out, render.LogSettings{
				Settings: render.Settings{Mode: render.ModeVerbose, Style: render.StyleActivity}, Throttle: render.ThrottleSettings{Interval: -1},
			})
			var streams []*render.Stream
			for _, o := range tt.streams {
				streams = append(streams, log.Open(o))
			}
			for i, s := range streams {
				reads(s, fmt.Sprint("file", i))
			}
			labels := regexp.MustCompile(`--:--:-- \[(.*)\] Read file`)
			var got []string
			for _, m := range labels.FindAllStringSubmatch(out.String(), -1) {
				got = append(got, m[1])
			}
			assert.Equal(t, tt.want, got)
			for _, s := range streams[1:] {
				require.NoError(t, s.Close())
			}
			out.Reset()
			reads(streams[0], "file")
			assert.Contains(t, out.String(), "["+log0(tt.streams[0])+"] Read file", "alone again")
		})
	}
}

// log0 returns the label of a stream that is alone.
func log0(o render.Origin) string {
	if o.Step != "" {
		return o.Step
	}
	if o.Pipeline != "" {
		return o.Pipeline
	}
	if strings.HasPrefix(o.Session[9:], "1111-7") {
		return "…00000001"
	}
	return o.Session[:8]
}

// TestHeadingsOfPipelines: a stream is introduced with its full name; later headings are as short as possible. The first
// stream is named if that is requested, or if another one is open.
func TestHeadingsOfPipelines(t *testing.T) {
	var out bytes.Buffer
	log := render.NewLog(&out, render.LogSettings{Settings: render.Settings{Mode: render.ModeVerbose}, Introduce: true})
	build := log.Open(render.Origin{Pipeline: "alpha", Run: "1", Step: "build"})
	build.Emit(said("one"))
	build.Emit(said("two"))
	test := log.Open(render.Origin{Pipeline: "alpha", Run: "1", Step: "test"})
	test.Emit(said("three"))
	build.Emit(said("four"))
	beta := log.Open(render.Origin{Pipeline: "beta", Run: "1", Step: "build"})
	build.Emit(said("five"))
	beta.Emit(said("six"))
	build.Emit(said("seven"))
	require.NoError(t, beta.Close())
	build.Emit(said("eight"))
	assert.Equal(t, "--- [alpha/build] ---\none\ntwo\n--- [alpha/test] ---\nthree\n--- [build] ---\nfour\n"+
		"--- [alpha/build] ---\nfive\n--- [beta/build] ---\nsix\n--- [alpha/build] ---\nseven\neight\n", out.String())

	out.Reset()
	log = render.NewLog(&out, render.LogSettings{Settings: render.Settings{Mode: render.ModeVerbose}})
	a := log.Open(render.Origin{Session: "01a21ec6-1111"})
	a.Emit(said("one"))
	b := log.Open(render.Origin{Session: "01a21ec6-2222"})
	b.Emit(said("two"))
	a.Emit(said("three"))
	assert.Equal(t, "one\n--- [01a21ec6-2] ---\ntwo\n--- [01a21ec6-1] ---\nthree\n", out.String())
}

// TestQuietNamesThePipeline if the step is ambiguous.
func TestQuietNamesThePipeline(t *testing.T) {
	var out bytes.Buffer
	log := render.NewLog(&out, render.LogSettings{Settings: render.Settings{Mode: render.ModeQuiet}})
	a, b := log.Open(render.Origin{Pipeline: "alpha", Step: "fix"}), log.Open(render.Origin{Pipeline: "beta", Step: "fix"})
	for _, s := range []*render.Stream{a, b} {
		reads(s, "x")
		s.Emit(end(events.End{}))
		require.NoError(t, s.Close())
	}
	assert.Equal(t, "[alpha/fix] Run finished (session 1a2b3c4d)\n[fix] Run finished (session 1a2b3c4d)\n", out.String())
}
