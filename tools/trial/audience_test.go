package trial

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/tools/internal/otlpsink"
)

// audience is a sink that converts what it receives to the neutral events of the cases.
type audience struct {
	server *httptest.Server
	refuse func() error // nil for none; set before anything arrives

	mu     sync.Mutex
	events []event
	exits  []map[string]any // of processes
	closed []string         // reason why each run was closed
	tokens map[string]int
}

func newAudience(t *testing.T) *audience {
	a := &audience{tokens: map[string]int{}}
	a.server = httptest.NewServer(otlpsink.Handler(a.take))
	t.Cleanup(a.server.Close)
	return a
}

func (a *audience) take(_ *http.Request, b otlpsink.Batch) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refuse != nil {
		if err := a.refuse(); err != nil {
			return err
		}
	}
	for _, span := range b.Spans() {
		attrs := span.Attributes().AsRaw()
		for key, attr := range map[string]string{"in": otlp.AttrGenAIInputTokens, "out": otlp.AttrGenAIOutputTokens, "cache_read": otlp.AttrGenAICacheRead} {
			if n, ok := attrs[attr].(int64); ok {
				a.tokens[key] += int(n)
			}
		}
		if attrs[otlp.AttrGenAIOperationName] != "invoke_agent" {
			continue
		}
		reason, _ := attrs[otlp.AttrCloseReason].(string)
		a.closed = append(a.closed, reason)
	}
	for _, record := range b.Records() {
		attrs := record.Attributes().AsRaw()
		text := func(attr string) string { s, _ := attrs[attr].(string); return s }
		switch record.EventName() {
		case "tailspan.text":
			a.events = append(a.events, event{Kind: "text", Text: record.Body().Str()})
		case "tailspan.tool_use":
			a.events = append(a.events, event{Kind: "tool_use", Name: text(otlp.AttrGenAIToolName), ID: text(otlp.AttrGenAIToolCallID), Arg: events.Preview(text(otlp.AttrToolTarget))})
		case "tailspan.tool_result":
			a.events = append(a.events, event{Kind: "tool_result", ID: text(otlp.AttrGenAIToolCallID), Error: attrs[otlp.AttrToolError] == true})
		case "tailspan.session_end":
			a.events = append(a.events, event{Kind: "session_end", Error: attrs[otlp.AttrEndError] == true})
		case otlp.EventNameProcessExited:
			a.exits = append(a.exits, attrs)
		}
	}
	return nil
}

// received returns the events so far.
func (a *audience) received() []event {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.events)
}

// exited returns the records of processes that ended.
func (a *audience) exited() []map[string]any {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.exits)
}

// runs returns why each run was closed.
func (a *audience) runs() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.closed)
}
