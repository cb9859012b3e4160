package eventjson

// The test is in the package: it compares unexported fields.

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

// TestEventJSONHasAll checks that each payload of an event is printed.
func TestEventJSONHasAll(t *testing.T) {
	for _, tc := range []struct {
		name  string
		event events.DisplayEvent
		want  string
	}{
		{"failed result", events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{ID: "c", Name: "Bash", Error: true, Err: "boom", Duration: 1500 * time.Millisecond}},
			`{"kind":"tool_result","id":"c","name":"Bash","size":0,"error":true,"error_text":"boom","duration_s":1.5}`},
		{"failed run", events.DisplayEvent{Kind: events.KindSessionEnded, End: &events.End{Error: true, Code: "error_max_turns", Err: "boom", Duration: 6653 * time.Millisecond}},
			`{"kind":"session_end","end_code":"error_max_turns","error":true,"error_text":"boom","duration_s":6.653}`},
		{"refused turn", events.DisplayEvent{Kind: events.KindTurnAborted, End: &events.End{Principle: "no harm"}},
			`{"kind":"turn_aborted","principle":"no harm","error":false}`},
		{"who serves the model", events.DisplayEvent{Kind: events.KindText, Text: "x", Model: "m", ModelProvider: "mock"},
			`{"kind":"text","model":"m","model_provider":"mock","text":"x"}`},
		{"message", events.DisplayEvent{Kind: events.KindMessage, Text: "x", Reasoning: "y"}, `{"kind":"message","text":"x","reasoning":"y"}`},
		{"session of a sub-agent", events.DisplayEvent{Kind: events.KindSessionStarted, Session: &events.Session{AgentName: "a", ParentID: "p", SubAgent: true}},
			`{"kind":"session_start","agent_name":"a","parent_session_id":"p","sub_agent":true}`},
		{"approval", events.DisplayEvent{Kind: events.KindApprovalRequest, Approval: &events.Approval{ID: "a", Tool: "bash", Subject: "rm x"}},
			`{"kind":"approval_request","approval":{"id":"a","tool":"bash","subject":"rm x"}}`},
		{"ask", events.DisplayEvent{Kind: events.KindAskRequest, Ask: &events.Ask{ID: "q", Questions: []events.AskQuestion{
			{ID: "1", Header: "h", Prompt: "which?", Multi: true, Options: []events.AskOption{{Label: "a", Description: "d"}, {Label: "b"}}}},
			Answers: []events.AskAnswer{{QuestionID: "1", Selected: []string{"a"}}}}},
			`{"kind":"ask_request","ask":{"id":"q","questions":[{"id":"1","header":"h","prompt":"which?","options":[{"label":"a","description":"d"},{"label":"b"}],"multi":true}],` +
				`"answers":[{"question_id":"1","selected":["a"]}]}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			data, err := json.Marshal(newEventJSON(&tc.event))
			require.NoError(t, err)
			assert.JSONEq(t, tc.want, string(data))
		})
	}
}

// TestEventJSONNames checks that no two embedded structs share a name: encoding/json would print neither.
func TestEventJSONNames(t *testing.T) {
	seen := map[string]string{}
	for i := range reflect.TypeFor[eventJSON]().NumField() {
		field := reflect.TypeFor[eventJSON]().Field(i)
		fields := []reflect.StructField{field}
		if field.Anonymous {
			fields = reflect.VisibleFields(field.Type.Elem())
		}
		for _, f := range fields {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			require.NotEmpty(t, name, f.Name)
			assert.Empty(t, seen[name], "%s is in %s too", name, field.Name)
			seen[name] = field.Name
		}
	}
}
