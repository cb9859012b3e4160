package term

import (
	"slices"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/account"
	"github.com/tailspan/tailspan/render/internal/text"
	"github.com/tailspan/tailspan/render/style"
)

// maxOpenCalls is the maximum number of running calls of a stream that are tracked; the oldest is evicted.
const maxOpenCalls = 256

// minTool is the minimum number of cells for the running tool before other parts of the status line are omitted.
const minTool = 16

// Watched is what a Terminal knows about one stream. It is an [events.Sink] that must be closed.
type Watched struct {
	terminal *Terminal
	step     string
	since    time.Time // when the run began, by the clock; zero if none is running
	open     []openCall
	account  account.Account
	waiting  string // what the user is asked to decide
}

// openCall is a running call.
type openCall struct {
	id    string
	call  style.Call
	agent bool // it runs a sub-agent
}

// Watch adds the stream of a step to the status line. An account adds up what it uses.
func (t *Terminal) Watch(step string, a account.Account) *Watched {
	w := &Watched{terminal: t, step: step, account: a}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streams = append(t.streams, w)
	return w
}

// Close removes the stream from the status line.
func (w *Watched) Close() error {
	t := w.terminal
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streams = slices.DeleteFunc(t.streams, func(o *Watched) bool { return o == w })
	t.draw()
	return nil
}

// Emit applies one event.
func (w *Watched) Emit(e *events.DisplayEvent) {
	w.terminal.mu.Lock()
	defer w.terminal.mu.Unlock()
	w.account.Add(e)
	if e.Kind == events.KindSessionEnded {
		w.since, w.open, w.waiting = time.Time{}, nil, ""
		return
	}
	if w.since.IsZero() {
		w.since = time.Now()
	}
	switch e.Kind {
	case events.KindApprovalRequest:
		w.waiting = style.Waiting(e)
	case events.KindAskRequest:
		w.waiting = style.Waiting(e)
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

func (w *Watched) start(e *events.DisplayEvent) {
	if e.Tool.Partial || e.Tool.ID == "" {
		return
	}
	w.end(e.Tool.ID)
	w.open = append(w.open, openCall{id: text.BoundedID(e.Tool.ID), call: style.CallOf(&e.Tool), agent: style.StartsAgent(&e.Tool)})
	if len(w.open) > maxOpenCalls {
		w.open = w.open[1:]
	}
}

func (w *Watched) end(id string) {
	w.waiting = ""
	id = text.BoundedID(id)
	w.open = slices.DeleteFunc(w.open, func(c openCall) bool { return c.id == id })
}

// status returns the line for all streams, at most width cells wide: the running tool, then the number of streams, the
// time, the tokens, the cost and the number of sub-agents. In a narrow terminal, the last of these are omitted first.
func (t *Terminal) status(width int) string {
	doing, facts := t.facts()
	if doing == nil {
		return ""
	}
	head := " " + spinner[t.frame%len(spinner)] + " "
	for len(facts) > 0 && text.Cells(head)+minTool+text.Cells(joinFacts(facts)) > width {
		facts = facts[:len(facts)-1]
	}
	tail := joinFacts(facts)
	line := head + doing(width-text.Cells(head)-text.Cells(tail)) + tail
	return strings.TrimRight(text.Fit(line, width), " ")
}

func joinFacts(facts []string) string {
	if len(facts) == 0 {
		return ""
	}
	return " · " + strings.Join(facts, " · ")
}

// facts returns what is running, as a function of a width in cells (nil if nothing runs), and the figures of the runs.
func (t *Terminal) facts() (doing func(width int) string, facts []string) {
	var running, agents int
	var since time.Time
	var sum events.Usage
	for _, w := range t.streams {
		u := w.account.Usage()
		sum.Tokens.Add(u.Tokens)
		sum.CostUSD += u.CostUSD
		sum.HasCost, sum.CostEstimated = sum.HasCost || u.HasCost, sum.CostEstimated || u.CostEstimated
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
		facts = append(facts, text.Short(elapsed))
	}
	if n := sum.Tokens.Input + sum.Tokens.Output; n > 0 {
		facts = append(facts, text.Count(n)+" tokens")
	}
	if sum.HasCost {
		facts = append(facts, text.USD(sum.CostUSD, sum.CostEstimated))
	}
	if agents > 0 {
		facts = append(facts, text.Plural(agents, "sub-agent"))
	}
	if running > 1 {
		facts = append(facts, text.Plural(running, "step"))
	}
	return doing, facts
}

// doing returns the newest running call, after its step.
func (w *Watched) doing(width int) string {
	if width <= 0 {
		return ""
	}
	step := ""
	if name := text.Brief(w.step); name != "" {
		step = "[" + name + "] "
	}
	switch rest := width - text.Cells(step); {
	case rest <= 0:
		return text.Fit(step, width)
	case w.waiting != "":
		return step + text.Fit(w.waiting, rest)
	case len(w.open) > 0:
		return step + w.open[len(w.open)-1].call.Fit(rest)
	default:
		return step + text.Fit("thinking", rest)
	}
}
