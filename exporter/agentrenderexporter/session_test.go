package agentrenderexporter

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// TestSummaryOfARunThatGoesOn checks what is written of a run that is active when the exporter stops: no summary, until the
// exporter that receives its end summarizes the whole run.
func TestSummaryOfARunThatGoesOn(t *testing.T) {
	// shown returns what an exporter writes that missed the first records of a run, and is stopped after the others.
	shown := func(evs []events.DisplayEvent, unheard int) string {
		out := &flakyOutput{allow: -1}
		exp := started(t, out, func(c *Config) { c.Mode = "verbose" })
		logs := recordsOf(evs)
		seen := 0
		logs.ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool {
			rl.ScopeLogs().At(0).LogRecords().RemoveIf(func(plog.LogRecord) bool { seen++; return seen <= unheard })
			return false
		})
		require.NoError(t, exp.ConsumeLogs(t.Context(), logs))
		require.NoError(t, exp.Shutdown(t.Context()))
		return out.String()
	}
	evs := run()
	const begun = "--- [1a2b3c4d] ---\nI look.\n[tool: Read(src/auth.ts)]\n"
	assert.Equal(t, begun, shown(evs[:3], 0), "it goes on")
	ended := append(evs[:3:3], evs[len(evs)-1])
	assert.Equal(t, begun+"[run failed: out of turns]\n--- Summary ---\ntools     1 call, 1 failed\n  Read  1 call, 1 failed\nduration  4.1s\n",
		shown(ended, 0), "it has ended")

	// An aborted turn ends a run too.
	whole := slices.DeleteFunc(evs, func(e events.DisplayEvent) bool { return e.Kind == events.KindTurnAborted })
	assert.Contains(t, shown(whole, 3), "--- Summary ---\ntools     3 calls, 1 failed, 5s\n  Task  1 call, 3s\n"+
		"  Grep  1 call, 1 failed, 1s\n  Read  1s\n  before this log began  1 call\n", "another log showed the first call")
}

// TestEndsOfTranscripts: a run that no line ends has a record of its end, which triggers its summary. An end that is not known
// yet does not, nor does that of a sub-agent in a separate file.
func TestEndsOfTranscripts(t *testing.T) {
	end := func(outcome string, change func(plog.LogRecord)) plog.Logs {
		logs := plog.NewLogs()
		records(text("s", "run ended")).CopyTo(logs)
		lr := logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
		lr.SetEventName(otlp.EventNameRunEnd)
		lr.Attributes().PutStr(otlp.AttrRunOutcome, outcome)
		lr.Attributes().PutInt(otlp.AttrToolCalls, 2)
		lr.Attributes().PutDouble(otlp.AttrElapsed, 5)
		if change != nil {
			change(lr)
		}
		return logs
	}
	none := func(plog.LogRecord) {}
	shown := func(c func(*Config), logs plog.Logs) string {
		out := &flakyOutput{allow: -1}
		exp := started(t, out, c)
		tool := item{session: "s", event: events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{Name: "Read", Target: "a.go"}}}
		require.NoError(t, exp.ConsumeLogs(t.Context(), joined(records(tool), logs)))
		return out.String()
	}
	verbose := func(c *Config) { c.Mode, c.Style = "verbose", "activity" }
	quiet := func(c *Config) { c.Mode = "quiet" }
	const sum = "[s] --- Summary ---\n[s] tools     2 calls\n[s]   Read  1 call\n[s]   before this log began  1 call\n[s] duration  5s\n"
	assert.Equal(t, "[s] Read a.go\n[s] finished (5s)\n"+sum, clockless(shown(verbose, end("ok", none))))
	assert.Equal(t, "Run finished (session s, 5s)\n", shown(quiet, end("ok", none)))
	assert.Equal(t, "Run failed: killed (session s, 5s)\n", shown(quiet, end("killed", none)))
	assert.Equal(t, "Run interrupted (session s, 5s)\n", shown(quiet, end("interrupted", none)))
	assert.Empty(t, shown(quiet, end("incomplete", none)), "another collector goes on")
	assert.Equal(t, "Run incomplete: timeout (session s, 5s)\n", shown(quiet, end("incomplete", func(lr plog.LogRecord) {
		lr.Attributes().PutBool(otlp.AttrEndError, true)
		lr.Attributes().PutStr(otlp.AttrErrorType, "timeout")
	})))
	assert.Equal(t, "[s] Read a.go\n[s]   agent ag: finished (5s)\n", clockless(shown(verbose, end("ok", func(lr plog.LogRecord) {
		lr.Attributes().PutStr(otlp.AttrAgentID, "ag")
	}))))
	stalled := end("", func(lr plog.LogRecord) {
		lr.SetEventName(otlp.EventNameStalled)
		lr.Body().SetStr("no output for 5m0s")
	})
	assert.Equal(t, "[s] Read a.go\n[s] warning: no output for 5m0s\n", clockless(shown(verbose, stalled)))
	out := &flakyOutput{allow: -1}
	require.NoError(t, started(t, out, verbose).ConsumeLogs(t.Context(), joined(records(text("other", "Hi.")), stalled, records(text("s", "There.")))))
	assert.Equal(t, "[other] Hi.\n[s] warning: no output for 5m0s\n[s] There.\n", clockless(out.String()), "before the first answer")
}

// clockless removes the times of the activity style.
func clockless(log string) string { return strings.ReplaceAll(log, "--:--:-- ", "") }
