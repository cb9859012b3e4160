package page

import (
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/report"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/render"
)

var functions = template.FuncMap{
	"page":     func(run, single *report.Run) runView { return runView{run, single != nil} },
	"heading":  func(v runView, id, text string) headingView { return headingView{v.Single, idOf(id, v.Run), text} },
	"date":     func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
	"offset":   (*report.Run).Offset,
	"group":    render.GroupedCount,
	"short":    render.ShortCount,
	"cost":     report.Cost,
	"join":     func(list []string) string { return strings.Join(list, ", ") },
	"tokens":   func(u otlp.AgentUsage) int64 { return u.Total.Tokens.Input + u.Total.Tokens.Output },
	"first":    func(c report.Content) string { return events.Summary(c.Text) },
	"outcome":  outcomeClass,
	"models":   (*report.Run).ByModel,
	"calls":    modelCalls,
	"rows":     rows,
	"subagent": func(r row, a *report.Agent) row { return row{Run: r.Run, Item: &report.Item{Agent: a}} },
	"timeline": newTimeline,
	"problems": problems,
	"place":    place,
	"lost":     func(run *report.Run) int { return run.CallsFailed + run.CallsDenied },
	"more":     func(n int) int { return max(n-shownProblems, 0) },
}

// runView is a run on a page of one or several runs.
type runView struct {
	Run    *report.Run
	Single bool
}

type headingView struct {
	Single   bool
	ID, Text string
}

func idOf(id string, run *report.Run) string {
	if id == "" {
		return ""
	}
	return id + "-" + run.ID
}

// row is an item in the log of a run.
type row struct {
	*report.Item
	Run *report.Run
}

func rows(run *report.Run, items []*report.Item) []row {
	list := make([]row, len(items))
	for i, item := range items {
		list[i] = row{item, run}
	}
	return list
}

// Offset returns the time of the item relative to the start of the run.
func (r row) Offset() string { return r.Run.Offset(r.At) }

// Class returns the class of the item in the style sheet.
func (r row) Class() string {
	switch {
	case r.Call != nil && r.Call.Denied:
		return "call denied"
	case r.Call != nil && r.Call.Failed, r.Chat != nil:
		return "call bad"
	case r.Call != nil, r.Agent != nil:
		return "call"
	case r.Kind == events.KindNotice && r.Level != events.LevelInfo:
		return "notice " + r.Level.String()
	default:
		return r.Kind.String()
	}
}

// foldedBytes is the length from which a prompt is collapsed, in bytes.
const foldedBytes = 1500

// Folded reports whether only the first line of a text is shown initially.
func (r row) Folded() bool {
	return r.Kind == events.KindReasoning || r.Kind == events.KindPrompt && (r.Synthetic || len(r.Text.Text) > foldedBytes)
}

// openItems is the largest number of items of a sub-agent without failures that is expanded initially.
const openItems = 12

// Open reports whether the log of a sub-agent is expanded initially.
func (r row) Open() bool {
	return r.Agent.Failed || len(r.Agent.Items) <= openItems
}

func outcomeClass(c *report.Call) string {
	switch {
	case c.Denied:
		return "denied"
	case c.Failed:
		return "failed"
	case c.Result() != "ok":
		return "other"
	default:
		return "ok"
	}
}

// modelCall is a row in the table of model calls.
type modelCall struct {
	Chat          *report.Chat
	Agent, Offset string
}

func modelCalls(run *report.Run) (list []modelCall) {
	if run.Omitted {
		return nil
	}
	run.Each(func(a *report.Agent) {
		for _, chat := range a.Chats {
			list = append(list, modelCall{chat, a.Name, run.Offset(chat.Start)})
		}
	})
	slices.SortStableFunc(list, func(a, b modelCall) int { return a.Chat.Start.Compare(b.Chat.Start) })
	return list
}

// shownProblems is how many failures are listed initially, maxProblems how many are listed at all.
const (
	shownProblems = 12
	maxProblems   = 200
)

// place returns the anchor of a failure on the page.
func place(run *report.Run, item string) string {
	if run.Omitted || item == "" {
		return "run-" + run.ID
	}
	return "s" + item
}

// problemList is a part of the failures of a run.
type problemList struct {
	Run  *report.Run
	List []report.Problem
}

func problems(run *report.Run, rest bool) problemList {
	list := run.Problems[:min(len(run.Problems), maxProblems)]
	shown := min(len(list), shownProblems)
	if rest {
		return problemList{run, list[shown:]}
	}
	return problemList{run, list[:shown]}
}
