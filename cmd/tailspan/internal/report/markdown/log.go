package markdown

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/report"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

// Limits of one item of a log.
const (
	textBytes   = 2000
	targetBytes = 200
)

// logOf returns the log of a run in at most room bytes, and how many items had no room.
func logOf(r *report.Run, room int) (text string, left int) {
	l := &log{run: r, room: room}
	l.items(&r.Agent, "")
	return l.b.String(), l.left
}

// log builds the log of a run as plain lines.
type log struct {
	run  *report.Run
	room int
	b    strings.Builder
	left int
}

func (l *log) items(a *report.Agent, indent string) {
	for _, item := range a.Items {
		line := l.item(item, indent)
		if line != "" && l.b.Len()+len(line) > l.room {
			l.left++
		} else {
			l.b.WriteString(line)
		}
		for _, sub := range item.Agents() {
			l.b.WriteString(l.agent(sub, indent+"    "))
			l.items(sub, indent+"    ")
		}
	}
}

func (l *log) agent(a *report.Agent, indent string) string {
	t := &a.Usage.Total.Tokens
	line := fmt.Sprintf("%s── %s, %s, %s in, %s out, %s\n", indent, a.Name, a.Took(), render.ShortCount(t.Input),
		render.ShortCount(t.Output), a.Outcome)
	if l.b.Len()+len(line) > l.room {
		return ""
	}
	return line
}

func (l *log) item(item *report.Item, indent string) string {
	head := fmt.Sprintf("%s%7s  ", indent, l.run.Offset(item.At))
	under := strings.Repeat(" ", utf8.RuneCountInString(head))
	switch {
	case item.Call != nil:
		c := item.Call
		line := fmt.Sprintf("%s%s · %s · %s\n", head, strings.TrimSpace(c.Tool+" "+cut(c.Target, targetBytes)), c.Took(), c.Result())
		if c.Failed && c.Problem != "" {
			line += under + cut(c.Problem, targetBytes) + "\n"
		}
		return line
	case item.Chat != nil:
		return fmt.Sprintf("%smodel call %s failed: %s\n", head, item.Chat.Model, cut(item.Chat.Problem, targetBytes))
	case item.Agent != nil, item.Kind == events.KindReasoning:
		return ""
	}
	text := strings.TrimSpace(item.Text.Text)
	if item.Kind == events.KindPrompt && item.Synthetic {
		text = events.Summary(text)
	}
	text = cut(text, textBytes)
	if word := item.Word(); word != "" {
		text = word + ": " + text
	}
	return head + strings.ReplaceAll(text, "\n", "\n"+under) + "\n"
}

// cut cuts a text to about limit bytes.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}
