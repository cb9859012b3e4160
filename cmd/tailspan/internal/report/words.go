package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/render"
)

// Title returns the prompt of a run as its name.
func (r *Run) Title() string {
	return cmp.Or(r.Prompt, "Run of "+cmp.Or(r.Name, r.Program, "an agent"))
}

// Result describes how a call ended, in a word or two.
func (call *Call) Result() string {
	switch {
	case call.Denied:
		return "denied"
	case call.Failed && call.ErrorType == otlp.ErrorTypeNoResult:
		return "no result"
	case call.Failed && call.ExitCode != "" && call.ExitCode != "0":
		return "exit " + call.ExitCode
	case call.Failed:
		return "error"
	case call.Closed == otlp.CloseReasonInterrupted:
		return "interrupted"
	case call.Background:
		return "background"
	default:
		return "ok"
	}
}

// Word names an item that is no text of the agent; for a text it returns "".
func (item *Item) Word() string {
	switch {
	case item.Kind == events.KindPrompt && item.Synthetic:
		return "Context"
	case item.Kind == events.KindText && item.Synthetic:
		return "Agent program"
	}
	switch item.Kind {
	case events.KindPrompt:
		return "Prompt"
	case events.KindReasoning:
		return "Reasoning"
	case events.KindNotice:
		switch item.Level {
		case events.LevelError:
			return "Error"
		case events.LevelWarn:
			return "Warning"
		}
		return "Notice"
	case events.KindTurnAborted:
		return "Refused"
	case events.KindApprovalRequest:
		return "Asks for approval"
	case events.KindAskRequest:
		return "Asks"
	default:
		return ""
	}
}

// ModelCallCount returns the number of model calls of a run, or "–" if the recording has tokens but no model calls.
func (r *Run) ModelCallCount() string {
	if r.ModelCalls == 0 && r.Usage.Total.Tokens.Input > 0 {
		return "–"
	}
	return strconv.Itoa(r.ModelCalls)
}

// Lost says how many calls of a run failed or were denied, or returns "" if none did.
func (t *Totals) Lost() string {
	var parts []string
	if t.CallsFailed > 0 {
		parts = append(parts, strconv.Itoa(t.CallsFailed)+" failed")
	}
	if t.CallsDenied > 0 {
		parts = append(parts, strconv.Itoa(t.CallsDenied)+" denied")
	}
	return strings.Join(parts, ", ")
}

// Undated reports whether the recording of a run lacks times.
func (r *Run) Undated() bool { return !r.End.After(r.Start) }

// Took formats the duration of a span, or returns "–" if it is unknown.
func (s *Span) Took() string {
	if d := s.Duration(); d > 0 {
		return render.ShortDuration(d)
	}
	return "–"
}

// Offset formats a time relative to the start of the run: "9.4s", "12:01", "1:02:03". It returns "" if the recording lacks times.
func (r *Run) Offset(at time.Time) string {
	if r.Undated() {
		return ""
	}
	d := max(at.Sub(r.Start), 0)
	switch s := int(d.Seconds()); {
	case d < time.Minute:
		return strconv.FormatFloat(d.Truncate(100*time.Millisecond).Seconds(), 'f', 1, 64) + "s"
	case d < time.Hour:
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	default:
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
}

// Cost formats a cost, or returns "–" if it is unknown.
func Cost(u events.Usage) string {
	if !u.HasCost {
		return "–"
	}
	return render.USD(u.CostUSD, u.CostEstimated)
}

// Size formats a number of bytes.
func Size(n int) string {
	switch {
	case n < 1<<10:
		return strconv.Itoa(n) + " bytes"
	case n < 1<<20:
		return strconv.FormatFloat(float64(n)/(1<<10), 'f', 1, 64) + " KiB"
	default:
		return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) + " MiB"
	}
}

// CutNote says how much of a content is shown, or returns "" for all of it.
func (c *Content) CutNote() string {
	switch {
	case !c.Cut:
		return ""
	case c.Size > len(c.Text):
		return "cut: the first " + Size(len(c.Text)) + " of " + Size(c.Size)
	default:
		return "cut after " + Size(len(c.Text))
	}
}

// ByModel returns the usage of a run for each model.
func (r *Run) ByModel() []otlp.ModelUsage {
	if len(r.Usage.Models) > 1 {
		list := slices.Clone(r.Usage.Models)
		for i := range list {
			list[i].Model = cmp.Or(oneLine(list[i].Model), "model not known")
		}
		return append(list, otlp.ModelUsage{Model: "Total", Usage: r.Usage.Total})
	}
	return []otlp.ModelUsage{{Model: cmp.Or(strings.Join(r.Models, ", "), "Total"), Usage: r.Usage.Total}}
}
