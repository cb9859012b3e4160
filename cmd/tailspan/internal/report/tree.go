package report

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/tailspan/tailspan/events"
)

// Runs arranges the collected data and returns all runs, the newest last. The Collector must not be used afterwards.
func (c *Collector) Runs() []*Run {
	for i := range c.records {
		c.placeRecord(&c.records[i], i)
	}
	for span, said := range c.said {
		if agent := c.agentOf(c.nodes[span]); agent != nil {
			agent.said.words += said.words
			agent.said.compactions += said.compactions
		}
	}
	var runs []*Run
	for _, n := range c.order {
		if n.agent != nil && c.agentAbove(n) == nil {
			runs = append(runs, n.run)
			continue
		}
		c.placeSpan(n)
	}
	slices.SortStableFunc(runs, func(a, b *Run) int { return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.ID, b.ID)) })
	for _, run := range runs {
		run.finish()
	}
	return runs
}

// placeRecord makes a record an item of its agent, or a part of its call.
func (c *Collector) placeRecord(r *record, number int) {
	n := c.nodes[r.span]
	if n == nil {
		return // its run is not in the input
	}
	item := r.item
	if call := n.call; call != nil {
		switch {
		case item.Kind == events.KindToolUse && !n.recorded:
			n.recorded = true
			call.Input = item.Text
			item.ID, item.Call, item.Text = call.ID, call, Content{}
		case item.Kind == events.KindToolUse:
			return
		case item.Kind == events.KindToolResult:
			call.result(&r.tool, item.Text)
			return
		}
	}
	agent := c.agentOf(n)
	switch {
	case agent == nil, item.Kind == events.KindToolUse && item.Call == nil, item.Kind == events.KindToolResult:
	case item.Kind == events.KindSessionEnded, item.Kind == events.KindTurnDone:
		agent.Result = &item.Text
	default:
		item.ID = cmp.Or(item.ID, "i"+strconv.Itoa(number))
		agent.Items = append(agent.Items, item)
	}
}

// result records the first result of a call.
func (call *Call) result(t *events.Tool, output Content) {
	if call.Output.Text == "" {
		call.Output, call.Summary = output, oneLine(t.Summary)
	}
	call.Denied = call.Denied || t.Denied
	call.Background = call.Background || t.State == events.ToolStateBackground
	if call.Failed {
		call.Problem = cmp.Or(oneLine(t.Err), call.Problem)
	}
}

// placeSpan assigns a model call, a tool call or a sub-agent to its agent or call.
func (c *Collector) placeSpan(n *node) {
	agent := c.agentAbove(n)
	parent := c.nodes[n.parent]
	switch {
	case agent == nil:
	case n.chat != nil:
		agent.Chats = append(agent.Chats, n.chat)
		if n.chat.Failed {
			agent.Items = append(agent.Items, &Item{ID: n.chat.ID, At: n.chat.End, Chat: n.chat})
		}
	case n.call != nil && !n.recorded:
		agent.Items = append(agent.Items, &Item{ID: n.call.ID, At: n.call.Start, Call: n.call})
	case n.agent != nil && parent != nil && parent.call != nil:
		parent.call.Agents = append(parent.call.Agents, n.agent)
	case n.agent != nil:
		agent.Items = append(agent.Items, &Item{ID: "at-" + n.agent.ID, At: n.agent.Start, Agent: n.agent})
	}
}

// agentOf returns the agent of a span or of its nearest ancestor with one; nil without a span.
func (c *Collector) agentOf(n *node) *Agent {
	switch {
	case n == nil:
		return nil
	case n.agent != nil:
		return n.agent
	default:
		return c.agentAbove(n)
	}
}

// maxDepth bounds the walk up from a span, in spans: parents in a forged trace may form a cycle.
const maxDepth = 1000

// agentAbove returns the nearest agent above a span; nil for the span of a run.
func (c *Collector) agentAbove(n *node) *Agent {
	for range maxDepth {
		if n = c.nodes[n.parent]; n == nil {
			return nil
		}
		if n.agent != nil {
			return n.agent
		}
	}
	return nil
}
