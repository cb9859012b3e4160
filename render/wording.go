package render

import (
	"strings"

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

// noticeText is what a notice says, its code where it says nothing.
func noticeText(e *events.DisplayEvent) string { return firstLine(e.Text, e.Notice.Code) }

func failed(e *events.End) bool { return e != nil && e.Error && !e.Interrupted }

func interrupted(e *events.End) bool { return e != nil && e.Interrupted }

// failure is why a run or turn failed: the error's first line, else the result's, else the code.
func failure(e *events.End) string { return firstLine(e.Err, e.Result, e.Code) }

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

// approval is what waits for leave: "Bash: rm -r build".
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
