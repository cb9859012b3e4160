package telemetry

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/events"
)

// agent is one invoke_agent span in the making: the run's own agent, or a sub-agent under the call that started it.
type agent struct {
	run    *run
	call   *call // nil for the run's own agent
	spanID pcommon.SpanID
	parent pcommon.SpanID
	name   string
	id     string // the provider's id of a sub-agent

	span       interval
	lastInput  moment // the last prompt or result: where the next model call begins
	chat       *chat
	models     []string
	usage      events.Tokens // what its model calls told
	toolCalls  int
	toolErrors int
	background bool // the format says that its work goes on after the call
	detached   bool // its call, or who made that, was over when the first sign of it came
	muted      bool // another stream tells of it
	closed     bool
}

// chat is one model call in the making.
type chat struct {
	messageID string
	model     string
	system    string
	spanID    pcommon.SpanID
	span      interval
	usage     events.Tokens
	hasUsage  bool
}

// sawModel notes a model that worked for the agent.
func (a *agent) sawModel(model string) {
	if model != "" && !slices.Contains(a.models, model) {
		a.models = append(a.models, model)
	}
}

// heard reports whether what the agent does goes out, and no other stream's account of it.
func (a *agent) heard() bool { return !a.run.copied && !a.muted }

// cover stretches the agent's span over i, and with it the spans that it lies in, so that children lie inside their
// parents. What is closed is out already and stays as it is; so does the call of a sub-agent in the background.
func (a *agent) cover(i interval) {
	for at := a; !at.closed; {
		at.span.coverAll(i)
		if at.call == nil || at.background || at.detached || at.call.closed {
			return
		}
		at.call.span.coverAll(i)
		at = at.call.caller
	}
}

// outlivesCall reports whether the agent's work lies outside of its call, or may: a call whose maker is over is cut to
// the maker's time.
func (a *agent) outlivesCall() bool {
	switch {
	case a.call == nil:
		return false
	case a.detached && a.call.caller.closed:
		return true
	default:
		return a.call.closed && !a.call.span.holds(a.span)
	}
}

// inBackground reports whether the agent's work goes on after its run: it, or one that it works for, was put in the
// background.
func (a *agent) inBackground() bool {
	for at := a; at.call != nil; at = at.call.caller {
		if at.background || at.detached {
			return true
		}
	}
	return false
}
