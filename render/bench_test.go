package render_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

// BenchmarkEmit renders one event: a plain text, one with colours and other scripts, and a tool call.
func BenchmarkEmit(b *testing.B) {
	for name, e := range benchEvents() {
		for _, style := range []render.Style{render.StyleMarker, render.StyleTranscript, render.StyleProgress, render.StyleActivity} {
			b.Run("event="+name+"/style="+style.String(), func(b *testing.B) {
				r := render.New(io.Discard, render.Settings{Mode: render.ModeVerbose, Style: style})
				b.SetBytes(int64(len(e.Text) + len(e.Tool.Target)))
				b.ReportAllocs()
				for b.Loop() {
					r.Emit(e)
				}
				require.NoError(b, r.Err())
			})
		}
	}
}

func benchEvents() map[string]*events.DisplayEvent {
	return map[string]*events.DisplayEvent{
		"plain":  said(strings.Repeat("A line of plain words.\n", 200)),
		"mixed":  said(strings.Repeat("\x1b[32mok\x1b[0m 商品の値段 done\r\n", 200)),
		"tool":   use("t1", "Read", "/home/dev/shop/calc.go"),
		"script": use("t1", "Bash", strings.Repeat("echo 'a line of a long script'\n", 1000)),
	}
}

// TestBenchEvents checks that the benchmark measures the intended work.
func TestBenchEvents(t *testing.T) {
	for name, e := range benchEvents() {
		require.NotEmpty(t, emit(render.Settings{Mode: render.ModeVerbose}, e), name)
	}
}
