package telemetry_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// strs calls f with every text in a map, including nested maps and lists.
func strs(m pcommon.Map, f func(key, value string)) {
	for key, v := range m.All() {
		eachStr(key, v, f)
	}
}

func eachStr(key string, v pcommon.Value, f func(key, value string)) {
	switch v.Type() {
	case pcommon.ValueTypeMap:
		strs(v.Map(), f)
	case pcommon.ValueTypeSlice:
		for _, item := range v.Slice().All() {
			eachStr(key, item, f)
		}
	case pcommon.ValueTypeStr:
		f(key, v.Str())
	}
}

// TestNamesAreBounded checks that spans, records and their names contain no name or ID over the limit and no NUL byte,
// and that two names that differ only at their end stay different.
func TestNamesAreBounded(t *testing.T) {
	long := func(what string) string { return "\x00" + strings.Repeat("é", 100_000) + what }
	start := started()
	start.SessionID, start.Model = long("session"), long("model")
	start.Session = &events.Session{Version: long("version"), WorkingDir: long("dir"), Branch: long("branch"), PermissionMode: long("mode")}
	a, b := use(1, long("message"), long("call a"), long("tool"), "target\x00"), use(1, long("message"), long("call b"), long("tool"), "")
	a.Tool.Server, a.Tool.AgentType, a.ItemID, b.ItemID = long("server"), long("type"), long("item a"), long("item b")
	failed := result(2, long("call a"))
	failed.Tool.Error, failed.Tool.Err, failed.Tool.Summary = true, "no\x00 luck", "no\x00 luck"
	ask := events.DisplayEvent{Kind: events.KindAskRequest, Time: at(2), Ask: &events.Ask{
		ID:        long("ask"),
		Questions: []events.AskQuestion{{ID: long("q"), Header: "h\x00", Prompt: "p\x00", Options: []events.AskOption{{Label: "l\x00", Description: "d\x00"}}}},
		Answers:   []events.AskAnswer{{QuestionID: long("q"), Selected: []string{"s\x00"}}},
	}}
	approval := events.DisplayEvent{Kind: events.KindApprovalRequest, Time: at(2), Approval: &events.Approval{ID: long("id"), Tool: long("tool"), Subject: "s\x00"}}
	notice := events.DisplayEvent{Kind: events.KindNotice, Time: at(2), Text: "n\x00", Notice: events.Notice{Code: long("code")}}
	said := text(3, long("message 2"), "a\x00b")
	end := ended("")
	end.End = &events.End{Error: true, Code: long("code"), Err: "e\x00", Result: "r\x00", Principle: "p\x00"}
	all := script{line(start), line(a), line(b), line(failed), line(result(2, long("call b"))), line(ask), line(approval), line(notice), line(said), line(end)}
	for _, l := range all {
		for i := range l {
			l[i].SessionID = long("session")
		}
	}
	f := collect(t, all, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)

	check := func(key, value string) {
		assert.LessOrEqual(t, len(value), map[bool]int{true: 4096, false: 256}[key == otlp.AttrProcessWorkDir], key)
		assert.NotContains(t, value, "\x00", key)
		assert.True(t, utf8.ValidString(value), key)
	}
	calls := map[string]bool{}
	for _, s := range f.spans {
		assert.LessOrEqual(t, len(s.Name()), 256+len("execute_tool "))
		assert.NotContains(t, s.Name()+s.Status().Message(), "\x00")
		strs(s.Attributes(), check)
		if id := attr(s, otlp.AttrGenAIToolCallID); id != "" {
			calls[id] = true
		}
	}
	assert.Len(t, calls, 2, "ids that differ at their end")
	texts := 0
	for _, lr := range f.records {
		assert.NotContains(t, lr.Body().AsString(), "\x00")
		strs(lr.Attributes(), check)
		if lr.EventName() == "tailspan.text" {
			texts++
			assert.Equal(t, "ab", lr.Body().Str())
		}
	}
	require.Equal(t, 1, texts)
	require.Len(t, f.records, len(all))
}
