package mockmodel_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/tools/internal/mockmodel"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(int) { http.DefaultClient.CloseIdleConnections() }))
}

// requests are minimal second requests of a conversation in each format: a prompt, a call, its result.
var requests = []struct {
	name, path, body string
	api              mockmodel.API
	want             []string // in the streamed answer, in order
}{
	{"messages", "/v1/messages", `{"model":"m","stream":true,"system":"be good","tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"go"},
		{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"Bash","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"out"},{"type":"text","text":"reminder"}]}]}`,
		mockmodel.APIMessages, []string{"message_start", `"thinking":"hm"`, `"text":"It is"`, `"name":"Bash"`, `"partial_json":"{\"command\":\"ls\"}"`, `"stop_reason":"tool_use"`, `"output_tokens":7`, "message_stop"}},
	{"responses", "/v1/responses", `{"model":"m","stream":true,"instructions":"be good","tools":[{"type":"function","name":"Bash"}],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},
		{"type":"function_call","call_id":"c","name":"Bash","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"out"}]}`,
		mockmodel.APIResponses, []string{"response.created", `"text":"hm"`, "response.output_text.delta", `"arguments":"{\"command\":\"ls\"}"`, "response.completed", `"output_tokens":7`}},
	{"completions", "/v1/chat/completions", `{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"Bash"}}],"messages":[{"role":"system","content":"be good"},{"role":"user","content":"go"},
		{"role":"assistant","tool_calls":[{"id":"c"}]},{"role":"tool","tool_call_id":"c","content":"out"}]}`,
		mockmodel.APICompletions, []string{`"reasoning_content":"hm"`, `"content":"It is"`, `"name":"Bash"`, `"finish_reason":"tool_calls"`, `"completion_tokens":7`, "[DONE]"}},
	{"gemini", "/v1beta/models/m:streamGenerateContent?alt=sse", `{"systemInstruction":{"parts":[{"text":"be good"}]},"tools":[{"functionDeclarations":[{"name":"Bash"}]}],"contents":[{"role":"user","parts":[{"text":"go"}]},
		{"role":"model","parts":[{"functionCall":{"name":"Bash"}}]},{"role":"user","parts":[{"functionResponse":{"response":{"output":"out"}}}]}]}`,
		mockmodel.APIGemini, []string{`"thought":true`, `"text":"It is here"`, `"functionCall"`, `"finishReason":"STOP"`}},
}

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(b)
}

// TestEachFormatIsReadAndAnswered sends the second request of a conversation: the script sees the prompt, the result and
// one step, and the stream contains what the script returned.
func TestEachFormatIsReadAndAnswered(t *testing.T) {
	turn := mockmodel.Turn{Reasoning: "hm", Text: "It is here", Calls: []mockmodel.Call{{Name: "Bash", Args: map[string]string{"command": "ls"}}},
		Tokens: mockmodel.Tokens{Input: 20, Output: 7, CacheRead: 5}}
	for _, tt := range requests {
		t.Run(tt.name, func(t *testing.T) {
			server, err := mockmodel.Start(func(*mockmodel.Request) mockmodel.Turn { return turn })
			require.NoError(t, err)
			defer server.Close()
			status, body := post(t, server.URL()+tt.path, tt.body)
			assert.Equal(t, http.StatusOK, status)
			for rest, i := body, 0; i < len(tt.want); i++ {
				_, after, found := strings.Cut(rest, tt.want[i])
				require.True(t, found, "%s is not in the rest of the stream:\n%s", tt.want[i], rest)
				rest = after
			}
			served := server.Served()
			require.Len(t, served, 1)
			got := served[0].Request
			assert.Equal(t, mockmodel.Request{API: tt.api, Model: "m", Stream: true, Tools: []string{"Bash"}, System: "be good", Said: "go\n", Prompt: "go", Steps: 1},
				mockmodel.Request{API: got.API, Model: got.Model, Stream: got.Stream, Tools: got.Tools, System: got.System, Said: got.Said, Prompt: got.Prompt, Steps: got.Steps})
			require.Len(t, got.Results, 1)
			assert.Contains(t, got.Results[0], "out")
			assert.NotEmpty(t, served[0].Turn.Calls[0].ID)
		})
	}
}

func TestRefusalHasTheStatusAndTheCause(t *testing.T) {
	server, err := mockmodel.Start(func(*mockmodel.Request) mockmodel.Turn { return mockmodel.Turn{Status: 529, Cause: "overloaded_error"} })
	require.NoError(t, err)
	defer server.Close()
	for _, tt := range requests {
		status, body := post(t, server.URL()+tt.path, tt.body)
		assert.Equal(t, 529, status, tt.name)
		assert.Contains(t, body, "overloaded_error", tt.name)
	}
	assert.Len(t, server.Served(), len(requests))
}

func TestOtherRequestsAreKeptApart(t *testing.T) {
	server, err := mockmodel.Start(nil)
	require.NoError(t, err)
	defer server.Close()
	status, body := post(t, server.URL()+"/v1/messages/count_tokens", `{}`)
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "input_tokens")
	status, _ = post(t, server.URL()+"/elsewhere", `{}`)
	assert.Equal(t, http.StatusNotFound, status)
	assert.Empty(t, server.Served())
	assert.Equal(t, []string{"POST /v1/messages/count_tokens", "POST /elsewhere"}, server.Other())
}
