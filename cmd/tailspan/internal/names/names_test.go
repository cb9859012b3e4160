package names_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/names"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/pipeline"
)

// public lists the strings of an event that a log of names may show; all others are contents.
var public = map[string]bool{
	"SessionID": true, "TurnID": true, "MessageID": true, "ItemID": true, "ParentID": true, "AgentID": true, "ID": true, "PreviousID": true,
	"Model": true, "ModelProvider": true, "Name": true, "Server": true, "Tool": true, "Version": true, "PermissionMode": true,
	"Code": true, "Cause": true, "Principle": true, "ServiceTier": true, "Speed": true,
}

// scramble replaces every letter of every content in v, including fields that this test does not know.
func scramble(v reflect.Value, field string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			made := reflect.New(v.Type().Elem())
			made.Elem().Set(v.Elem())
			scramble(made.Elem(), field)
			v.Set(made)
		}
	case reflect.Struct:
		if v.Type().PkgPath() == "time" {
			return
		}
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				scramble(f, v.Type().Field(i).Name)
			}
		}
	case reflect.String:
		if !public[field] {
			v.SetString(letters(v.String()))
		}
	case reflect.Slice:
		if b, ok := v.Interface().([]byte); ok {
			v.SetBytes([]byte(letters(string(b))))
			return
		}
		made := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(made, v)
		for i := range made.Len() {
			scramble(made.Index(i), field)
		}
		v.Set(made)
	}
}

// letters replaces the words of a text and changes its length.
func letters(s string) string {
	if s == "" {
		return ""
	}
	return "Z" + strings.Map(func(r rune) rune {
		if r == '\n' || r == ' ' || r == '"' {
			return r
		}
		return 'q'
	}, s)
}

// log returns the log of a stream in a style, with names only; change modifies each event first.
func log(t *testing.T, data []byte, set render.LogSettings, change func(*events.DisplayEvent)) string {
	t.Helper()
	src, err := pipeline.NewEvents(pipeline.EventSettings{Provider: parser.Auto, Inputs: true, Outputs: true})
	require.NoError(t, err)
	var out bytes.Buffer
	stream := render.NewLog(&out, set).Open(render.Origin{Step: "build"})
	into := names.Wrap(stream)
	emit := func(evs []events.DisplayEvent) {
		for i := range evs {
			ev := evs[i]
			change(&ev)
			into.Emit(&ev)
		}
		for _, line := range src.Raw() {
			into.Raw(line)
			into.PassThrough(line)
		}
	}
	for line := range bytes.Lines(data) {
		emit(src.ParseEvents(bytes.TrimRight(line, "\r\n")))
	}
	emit(src.Flush())
	require.NoError(t, stream.Close())
	return out.String()
}

// TestNoContents checks that a log of names does not depend on contents: whatever replaces the texts, targets, arguments and
// outputs of a recording, its log is identical. So it contains no word of them.
func TestNoContents(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "testdata", "*", "*"))
	require.NoError(t, err)
	styles := []render.Style{render.StyleMarker, render.StyleTranscript, render.StyleProgress, render.StyleActivity}
	shown := 0
	for _, path := range paths {
		if ext := filepath.Ext(path); ext != ".jsonl" && ext != ".json" && ext != ".sse" {
			continue
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, style := range styles {
			set := render.LogSettings{Settings: render.Settings{Mode: render.ModeVerbose, Style: style, Results: true, Reasoning: true, Summary: true, Replay: true}}
			set.Throttle.Interval = -1
			plain := log(t, data, set, func(*events.DisplayEvent) {})
			other := log(t, data, set, func(e *events.DisplayEvent) { scramble(reflect.ValueOf(e).Elem(), "") })
			require.Equal(t, plain, other, "%s in style %s", path, style)
			shown += strings.Count(plain, "\n")
		}
	}
	assert.Greater(t, shown, 10000, "lines of log")
}

func TestName(t *testing.T) {
	for in, want := range map[string]string{
		"Bash": "Bash", "mcp__shop__find-item": "mcp__shop__find-item", "claude-opus-4-5@20251101": "unknown", "qwen3:8b": "qwen3:8b", "": "",
		"openai/gpt-4o": "gpt-4o", "/home/someone/models/big.gguf": "big.gguf", "tell me all": "unknown", "a\nb": "unknown",
		"x/": "unknown", strings.Repeat("x", 65): "unknown", "schlüssel": "unknown",
	} {
		assert.Equal(t, want, names.Name(in), in)
	}
}

func TestStrip(t *testing.T) {
	for _, kind := range []events.Kind{events.KindText, events.KindMessage, events.KindReasoning, events.KindPrompt, events.KindPhase, events.KindAskRequest} {
		_, ok := names.Strip(&events.DisplayEvent{Kind: kind, Text: "x", Reasoning: "y", Ask: &events.Ask{}})
		assert.False(t, ok, kind.String())
	}
	left, ok := names.Strip(&events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{Name: "Bash", Error: true, Err: "no such file", ExitCode: 2, HasExitCode: true}})
	assert.True(t, ok)
	assert.Equal(t, events.Tool{Name: "Bash", Error: true, Err: "exit code 2", ExitCode: 2, HasExitCode: true}, left.Tool)
	left, ok = names.Strip(&events.DisplayEvent{Kind: events.KindSessionEnded, End: &events.End{Error: true, Err: "secret words", Result: "x", Cause: events.CauseRateLimit}})
	assert.True(t, ok)
	assert.Equal(t, &events.End{Error: true, Err: "rate limit", Cause: events.CauseRateLimit}, left.End)
}
