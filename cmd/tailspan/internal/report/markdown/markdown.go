package markdown

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/report"
	"github.com/tailspan/tailspan/render"
)

// DefaultBytes is the default limit of [Write]: a comment on GitHub has at most 65,536 characters.
const DefaultBytes = 60_000

// Limits of the parts of a run.
const (
	maxFailures   = 20
	maxAgents     = 40
	maxModels     = 10
	lastWordBytes = 4000
)

// Write writes runs in at most limit bytes.
func Write(w io.Writer, runs []*report.Run, limit int) error {
	d := &document{limit: limit}
	if len(runs) > 1 {
		d.contents(runs)
	}
	for i, run := range runs {
		d.run(run, (limit-d.Len())/(len(runs)-i))
	}
	_, err := io.WriteString(w, d.String())
	return err
}

// document holds what was written so far.
type document struct {
	strings.Builder
	limit int
}

func (d *document) printf(format string, args ...any) { fmt.Fprintf(&d.Builder, format, args...) }

// contents lists several runs, the newest last.
func (d *document) contents(runs []*report.Run) {
	d.printf("### %d agent runs\n\n"+
		"| Verdict | Run | Started (UTC) | Duration | Calls | Failed | Tokens | Cost |\n"+
		"|---|---|---|--:|--:|--:|--:|--:|\n", len(runs))
	for i, r := range runs {
		if d.Len() > d.limit/3 {
			d.printf("\n%d newer runs are left out.\n", len(runs)-i)
			break
		}
		t := &r.Usage.Total.Tokens
		d.printf("| %s | %s | %s | %s | %d | %d | %s | %s |\n", r.Verdict.Kind, cell(r.Title()), date(r.Start),
			r.Took(), r.Calls, r.CallsFailed+r.CallsDenied, render.ShortCount(t.Input+t.Output), report.Cost(r.Usage.Total))
	}
	d.printf("\n")
}

func date(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// run writes one run in about room bytes and leaves out log items that have no room.
func (d *document) run(r *report.Run, room int) {
	if room < 2000 {
		return // only the list of runs names it
	}
	end := d.Len() + room
	d.printf("### %s: %s\n\n", r.Verdict.Kind, code(r.Title()))
	if r.Verdict.Reason != "" {
		d.printf("%s\n\n", code(r.Verdict.Reason))
	}
	d.figures(r)
	d.failures(r)
	if r.LastWords != nil && strings.TrimSpace(r.LastWords.Text) != "" {
		d.printf("**Last message**\n\n%s\n", block(cut(r.LastWords.Text, lastWordBytes)))
	}
	d.agents(r)
	d.usage(r)
	d.log(r, end-d.Len())
}

func (d *document) figures(r *report.Run) {
	t := &r.Usage.Total.Tokens
	calls := fmt.Sprint(r.Calls)
	if lost := r.Lost(); lost != "" {
		calls += " (" + lost + ")"
	}
	d.printf("| Agent | Duration | Tokens in | Tokens out | Cost | Model calls | Tool calls | Sub-agents |\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
	d.printf("| %s | %s | %s | %s | %s | %s | %s | %d |\n\n", cell(r.Program+" "+r.Version), r.Took(),
		render.ShortCount(t.Input), render.ShortCount(t.Output), report.Cost(r.Usage.Total), r.ModelCallCount(), calls, r.Agents)
	facts := []string{"trace " + code(r.TraceID)}
	if !r.Undated() {
		facts = append([]string{"Started " + date(r.Start) + " UTC"}, facts...)
	}
	for _, f := range [...]struct{ name, value string }{
		{"session", r.SessionID}, {"pipeline", strings.TrimSpace(r.Pipeline + " " + r.PipelineRun)}, {"step", r.Step},
		{"folder", r.Folder}, {"branch", r.Branch}, {"exit code", r.ExitCode}, {"signal", r.ProcessSignal},
	} {
		if f.value != "" {
			facts = append(facts, f.name+" "+code(f.value))
		}
	}
	d.printf("%s\n\n", strings.Join(facts, " · "))
	if r.LostCaller {
		d.printf("This is a sub-agent. Its caller is not in the input.\n\n")
	}
}

func (d *document) failures(r *report.Run) {
	if len(r.Problems) == 0 {
		return
	}
	d.printf("**Failures (%d)**\n\n| At | What | Agent | Why |\n|--:|---|---|---|\n", len(r.Problems))
	for i, p := range r.Problems {
		if i == maxFailures {
			d.printf("| | and %d more | | |\n", len(r.Problems)-i)
			break
		}
		what := cell(cut(p.What+" "+p.Target, 160))
		if p.Denied {
			what += " (denied)"
		}
		d.printf("| %s | %s | %s | %s |\n", r.Offset(p.At), what, cell(p.Agent), cell(cut(p.Detail, 240)))
	}
	d.printf("\n")
}

// agents draws when the agent of a run and its sub-agents were active.
func (d *document) agents(r *report.Run) {
	if r.Agents == 0 || r.Undated() {
		return
	}
	d.printf("**Timeline**\n\n%s\n", block(timeline(r)))
}

func (d *document) usage(r *report.Run) {
	d.printf("**Tokens and cost**\n\n| Model | Input | of it cached | cache write | Output | of it reasoning | Cost |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for i, m := range r.ByModel() {
		if i == maxModels {
			d.printf("| more models | | | | | | |\n")
			break
		}
		t := &m.Usage.Tokens
		d.printf("| %s | %s | %s | %s | %s | %s | %s |\n", cell(m.Model), render.GroupedCount(t.Input), render.GroupedCount(t.CacheRead),
			render.GroupedCount(t.CacheWrite), render.GroupedCount(t.Output), render.GroupedCount(t.Reasoning), report.Cost(m.Usage))
	}
	d.printf("\n")
	if r.Usage.Incomplete {
		d.printf("The total lacks tokens.\n\n")
	}
	if r.Usage.Total.CostEstimated {
		d.printf("~ marks an estimate by a list of prices; the agent reported no cost.\n\n")
	}
}

// log writes the log in about room bytes, collapsed.
func (d *document) log(r *report.Run, room int) {
	if r.Omitted || room < 500 {
		d.printf("The log of this run is left out. `tailspan report --run %s` shows it.\n\n", r.TraceID)
		return
	}
	text, left := logOf(r, room-300)
	d.printf("<details><summary>Log</summary>\n\n%s\n", block(text))
	if left > 0 {
		d.printf("%d items are left out here.\n\n", left)
	}
	d.printf("</details>\n\n")
}
