package otlpjson

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/plog"
)

// Tokens counts input and output tokens of models, according to the attributes.
type Tokens struct {
	Input  int64
	Output int64
}

func (t *Tokens) add(o Tokens) {
	t.Input += o.Input
	t.Output += o.Output
}

// Session is what one agent did in one conversation.
type Session struct {
	Service      string
	Conversation string
	// Runs counts the agents started from outside; FailedRuns, those of them that ended in an error.
	Runs, FailedRuns int
	// Agents counts the sub-agents that they started.
	Agents int
	// Calls counts model calls.
	Calls int
	// Tools counts tool calls; FailedTools, those of them that failed.
	Tools, FailedTools int
	// Tokens is the sum over all spans of the session: each token is on one of them.
	Tokens Tokens
}

// Model is the sum of the calls to one model. It has no tokens if the format counts them only per run.
type Model struct {
	Name   string
	Calls  int
	Tokens Tokens
}

// Tool is how often one tool was called.
type Tool struct {
	Name          string
	Calls, Failed int
}

// Summary is the counted content of the requests.
type Summary struct {
	// Sessions are in the order in which they were first seen.
	Sessions []Session
	// Models and Tools are sorted: the most used first, then by name.
	Models []Model
	Tools  []Tool

	Traces, Spans, FailedSpans int
	// Records counts log records; ErrorRecords, those of severity ERROR and above.
	Records, ErrorRecords int
}

// Summarize counts the content of d. Spans with the same ID in a trace count once.
func Summarize(d *Data) Summary {
	c := counter{sessions: map[[2]string]*Session{}, models: map[string]*Model{}, tools: map[string]*Tool{}}
	for _, t := range gather(d.Traces) {
		c.sum.Traces++
		for _, s := range t.spans {
			c.addSpan(s)
		}
	}
	for _, logs := range d.Logs {
		c.addLogs(logs)
	}
	return c.result()
}

// Total adds up the sessions.
func (s *Summary) Total() Session {
	var total Session
	for i := range s.Sessions {
		row := &s.Sessions[i]
		total.Runs += row.Runs
		total.FailedRuns += row.FailedRuns
		total.Agents += row.Agents
		total.Calls += row.Calls
		total.Tools += row.Tools
		total.FailedTools += row.FailedTools
		total.Tokens.add(row.Tokens)
	}
	return total
}

type counter struct {
	sum      Summary
	order    []*Session
	sessions map[[2]string]*Session
	models   map[string]*Model
	tools    map[string]*Tool
}

func (c *counter) session(s *span) *Session {
	key := [2]string{s.service, s.conversation()}
	row := c.sessions[key]
	if row == nil {
		row = &Session{Service: s.service, Conversation: key[1]}
		c.sessions[key] = row
		c.order = append(c.order, row)
	}
	return row
}

func (c *counter) addSpan(s *span) {
	c.sum.Spans++
	if s.failed() {
		c.sum.FailedSpans++
	}
	if t := s.tokens(); t != (Tokens{}) {
		c.session(s).Tokens.add(t)
	}
	switch s.operation() {
	case operationAgent:
		c.addAgent(s)
	case operationChat:
		c.session(s).Calls++
		m := entry(c.models, s.model(), func(name string) *Model { return &Model{Name: name} })
		m.Calls++
		m.Tokens.add(s.tokens())
	case operationTool:
		row := c.session(s)
		t := entry(c.tools, text(s.Attributes(), attrTool), func(name string) *Tool { return &Tool{Name: name} })
		row.Tools++
		t.Calls++
		if s.failed() {
			row.FailedTools++
			t.Failed++
		}
	}
}

func (c *counter) addAgent(s *span) {
	row := c.session(s)
	if !s.isRun() {
		row.Agents++
		return
	}
	row.Runs++
	if s.failed() {
		row.FailedRuns++
	}
}

func (c *counter) addLogs(logs plog.Logs) {
	for _, resource := range logs.ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			for _, record := range scope.LogRecords().All() {
				c.sum.Records++
				if record.SeverityNumber() >= plog.SeverityNumberError {
					c.sum.ErrorRecords++
				}
			}
		}
	}
}

func (c *counter) result() Summary {
	for _, row := range c.order {
		c.sum.Sessions = append(c.sum.Sessions, *row)
	}
	for _, m := range c.models {
		c.sum.Models = append(c.sum.Models, *m)
	}
	slices.SortFunc(c.sum.Models, func(a, b Model) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	})
	for _, t := range c.tools {
		c.sum.Tools = append(c.sum.Tools, *t)
	}
	slices.SortFunc(c.sum.Tools, func(a, b Tool) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	})
	return c.sum
}

// entry returns the value of key in m, creating it if necessary.
func entry[T any](m map[string]*T, key string, create func(string) *T) *T {
	v := m[key]
	if v == nil {
		v = create(key)
		m[key] = v
	}
	return v
}
