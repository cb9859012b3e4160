package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
)

// maxOpenCalls is how many running calls of a stream the status line knows; the oldest is evicted.
const maxOpenCalls = 256

// minTool is the least number of cells that the running tool gets before other parts of the status line are left out.
const minTool = 16

// watched is what a Terminal knows of one stream. It is an [events.Sink].
type watched struct {
	terminal *Terminal
	origin   Origin
	since    time.Time // when the run began, by the clock; zero while none is running
	open     []openCall
	usage    events.UsageTotal
	waiting  string // what the agent waits for the user to decide
}

// openCall is a call that runs.
type openCall struct {
	id    string
	words words
	agent bool // it runs a sub-agent
}

// watch adds a stream to the status line.
func (t *Terminal) watch(o Origin) *watched {
	w := &watched{terminal: t, origin: o}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streams = append(t.streams, w)
	return w
}

// Close takes the stream off the status line.
func (w *watched) Close() error {
	t := w.terminal
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streams = slices.DeleteFunc(t.streams, func(o *watched) bool { return o == w })
	t.draw()
	return nil
}

// Emit applies one event.
func (w *watched) Emit(e *events.DisplayEvent) {
	w.terminal.mu.Lock()
	defer w.terminal.mu.Unlock()
	if e.Kind == events.KindSessionEnded {
		w.since, w.open, w.waiting = time.Time{}, nil, ""
		return
	}
	if w.since.IsZero() {
		w.since = time.Now()
	}
	switch e.Kind {
	case events.KindApprovalRequest:
		w.waiting = activityWait(e)
	case events.KindAskRequest:
		w.waiting = activityWait(e)
	case events.KindUsage:
		if e.Usage != nil {
			w.usage.Add(e.Model, e.Usage)
		}
	case events.KindToolUse:
		w.start(e)
	case events.KindToolResult:
		if e.Tool.State != events.ToolStateBackground || e.Tool.Error {
			w.end(e.Tool.ID)
		}
	case events.KindToolProgress:
		if e.Tool.State == events.ToolStateCompleted || e.Tool.State == events.ToolStateFailed || e.Tool.State == events.ToolStateStopped {
			w.end(e.Tool.ID)
		}
	case events.KindText:
		w.waiting = ""
	}
}

// activityWait is what the user is asked.
func activityWait(e *events.DisplayEvent) string {
	if e.Kind == events.KindApprovalRequest {
		return colon("waiting for approval", approval(e.Approval))
	}
	for _, q := range questions(e.Ask) {
		return colon("asking", q)
	}
	return ""
}

func (w *watched) start(e *events.DisplayEvent) {
	if e.Tool.Partial || e.Tool.ID == "" {
		return
	}
	w.end(e.Tool.ID)
	known := lookUp(e.Tool.Name)
	w.open = append(w.open, openCall{
		id: boundedID(e.Tool.ID), words: callWords(&e.Tool), agent: known != nil && known.field == fieldTask || e.Tool.AgentType != "",
	})
	if len(w.open) > maxOpenCalls {
		w.open = w.open[1:]
	}
}

func (w *watched) end(id string) {
	w.waiting = ""
	id = boundedID(id)
	w.open = slices.DeleteFunc(w.open, func(c openCall) bool { return c.id == id })
}

// status is the line for all streams, at most width cells: what runs, then how many streams, for how long, how many
// tokens, at what cost, how many sub-agents. Where it is narrow, the last of these go first.
func (t *Terminal) status(width int) string {
	doing, facts := t.facts()
	if doing == nil {
		return ""
	}
	head := " " + spinner[t.frame%len(spinner)] + " "
	for len(facts) > 0 && cells(head)+minTool+cells(joinFacts(facts)) > width {
		facts = facts[:len(facts)-1]
	}
	tail := joinFacts(facts)
	line := head + doing(width-cells(head)-cells(tail)) + tail
	return strings.TrimRight(fit(line, width), " ")
}

func joinFacts(facts []string) string {
	if len(facts) == 0 {
		return ""
	}
	return " · " + strings.Join(facts, " · ")
}

// facts returns what runs now, as a function of a width in cells (nil if nothing runs), and the figures of the runs.
func (t *Terminal) facts() (doing func(width int) string, facts []string) {
	var running, agents int
	var since time.Time
	var sum events.Usage
	for _, w := range t.streams {
		u := w.usage.Sum()
		sum.Tokens.Add(u.Tokens)
		sum.CostUSD += u.CostUSD
		sum.HasCost = sum.HasCost || u.HasCost
		if w.since.IsZero() {
			continue
		}
		running++
		if since.IsZero() || w.since.Before(since) {
			since = w.since
		}
		for _, c := range w.open {
			if c.agent {
				agents++
			}
		}
		doing = w.doing
	}
	if running == 0 {
		return nil, nil
	}
	if elapsed := time.Since(since).Truncate(time.Second); elapsed > 0 {
		facts = append(facts, short(elapsed))
	}
	if n := sum.Tokens.Input + sum.Tokens.Output; n > 0 {
		facts = append(facts, count(n)+" tokens")
	}
	if sum.HasCost {
		facts = append(facts, fmt.Sprintf("$%.2f", sum.CostUSD))
	}
	if agents > 0 {
		facts = append(facts, plural(agents, "sub-agent"))
	}
	if running > 1 {
		facts = append(facts, plural(running, "step"))
	}
	return doing, facts
}

// doing is the newest call that runs, behind its step.
func (w *watched) doing(width int) string {
	if width <= 0 {
		return ""
	}
	step := ""
	if name := brief(w.origin.Step); name != "" {
		step = "[" + name + "] "
	}
	switch rest := width - cells(step); {
	case rest <= 0:
		return fit(step, width)
	case w.waiting != "":
		return step + fit(w.waiting, rest)
	case len(w.open) > 0:
		return step + w.open[len(w.open)-1].words.fit(rest)
	default:
		return step + fit("thinking", rest)
	}
}

// count is a number as people read it: "950", "12.3k", "1.2M".
func count(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 999_950:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	default:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
