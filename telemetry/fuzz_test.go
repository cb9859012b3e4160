package telemetry_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// FuzzParseTraceParent: a value is rejected, empty, or parsed into the IDs that it contains.
func FuzzParseTraceParent(f *testing.F) {
	f.Add("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	f.Add("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more")
	f.Add("00-00000000000000000000000000000000-0000000000000000-00")
	f.Add("")
	f.Fuzz(func(t *testing.T, value string) {
		p, err := otlp.ParseTraceParent(value)
		switch {
		case err != nil || value == "":
			assert.True(t, p.Empty())
		default:
			assert.False(t, p.Empty())
			assert.Equal(t, p.TraceID.String()+"-"+p.SpanID.String(), strings.Join(strings.Split(value, "-")[1:3], "-"))
		}
	})
}

// FuzzEventFromRecord: any record is rejected or read, whatever its attributes hold.
func FuzzEventFromRecord(f *testing.F) {
	for _, kind := range events.Kinds() {
		f.Add("tailspan."+kind.String(), "body", otlp.AttrGenAIToolName, "Read", int64(7))
	}
	f.Add("other", "", otlp.AttrToolLines, "x", int64(-1))
	f.Fuzz(func(t *testing.T, name, body, key, text string, number int64) {
		lr := plog.NewLogRecord()
		lr.SetEventName(name)
		lr.Body().SetStr(body)
		lr.Attributes().PutStr(key, text)
		lr.Attributes().PutInt(otlp.AttrToolLines, number)
		lr.Attributes().PutInt(otlp.AttrGenAIConversationID, number) // of another type than ours
		lr.Attributes().PutEmptySlice(otlp.AttrAskQuestions).AppendEmpty().SetStr(text)
		var ev events.DisplayEvent
		if !otlp.EventFromRecord(lr, &ev) {
			assert.Equal(t, events.DisplayEvent{}, ev)
			return
		}
		assert.Equal(t, name, "tailspan."+ev.Kind.String())
		assert.Empty(t, ev.SessionID)
	})
}
