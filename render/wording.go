package render

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
)

// noticeHead is the word for a notice that is worth a line, empty for one that is not.
func noticeHead(l events.Level) string {
	switch l {
	case events.LevelWarn:
		return "warning"
	case events.LevelError:
		return "error"
	default:
		return ""
	}
}

// noticeText is what a notice says, its code where it says nothing. Agents put some into brackets of their own.
func noticeText(e *events.DisplayEvent) string {
	line := firstLine(plainError(e.Text), e.Notice.Code)
	if inner, ok := strings.CutPrefix(line, "["); ok && strings.HasSuffix(inner, "]") && !strings.ContainsAny(inner[:len(inner)-1], "[]") {
		return inner[:len(inner)-1]
	}
	return line
}

func failed(e *events.End) bool {
	return e != nil && !interrupted(e) && (e.Error || e.Decided == events.OutcomeError || e.Decided == events.OutcomeKilled)
}

func interrupted(e *events.End) bool {
	return e != nil && (e.Interrupted || e.Decided == events.OutcomeInterrupted && e.Principle == "")
}

// failure is why a run or turn failed: the error's first line, else the result's, else the code, else the cause.
func failure(e *events.End) string {
	killed := ""
	if e.Decided == events.OutcomeKilled {
		killed = e.Decided.String()
	}
	return firstLine(plainError(e.Err), e.Result, e.Code, string(e.Cause), killed)
}

// aborted is head and detail for a turn that was stopped: by the user, or by the agent on principle.
func aborted(e *events.End) (head, detail string) {
	if e == nil {
		return "turn aborted", ""
	}
	if e.Interrupted {
		return "turn interrupted", ""
	}
	return "turn aborted", firstLine(e.Principle, e.Err)
}

// approval is what waits for permission: "Bash: rm -r build".
func approval(a *events.Approval) string {
	if a == nil {
		return ""
	}
	return colon(toolName(a.Tool), brief(a.Subject))
}

// questions are the questions of an Ask, each with its options: "Which branch? (main / dev)".
func questions(a *events.Ask) []string {
	if a == nil {
		return nil
	}
	var all []string
	for _, q := range a.Questions {
		line := firstLine(q.Prompt, q.Header)
		var labels []string
		for _, o := range q.Options {
			if label := brief(o.Label); label != "" {
				labels = append(labels, label)
			}
		}
		if len(labels) > 0 {
			line += " (" + strings.Join(labels, " / ") + ")"
		}
		all = append(all, line)
	}
	return all
}

// outcome is what came of a call: "error: first line", "12 lines", "ok" or the first line, the first that applies.
func outcome(t *events.Tool) string {
	summary := firstLine(t.Summary)
	switch {
	case t.Error:
		return colon("error", firstLine(t.Err, t.Summary))
	case t.HasLines:
		return strconv.Itoa(t.Lines) + " lines"
	case summary == "":
		return "ok"
	default:
		return summary
	}
}

// took is " (340ms)", how long a call took, where that is asked for and known.
func took(r *Renderer, t *events.Tool) string {
	if !r.settings.Results || t.Duration < leastDuration {
		return ""
	}
	return " (" + short(t.Duration) + ")"
}

// leastDuration is the shortest one that is shown.
const leastDuration = time.Millisecond / 2

// short is a duration with no more than people read: "340ms", "4.1s", "1m02s", "3h05m".
func short(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute-50*time.Millisecond:
		return d.Round(time.Second / 10).String()
	case d < time.Hour-time.Second/2:
		s := int(d.Round(time.Second) / time.Second)
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	default:
		m := int(d.Round(time.Minute) / time.Minute)
		return fmt.Sprintf("%dh%02dm", m/60, m%60)
	}
}
