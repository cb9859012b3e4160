package watch

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tailspan/tailspan/render"
)

// printed records what was printed of a run.
type printed struct {
	started, ended bool
	failed         map[string]int // number of failed calls by agent key
}

// printer prints one line for each run that starts or ends and for each call that fails. It skips what ended before it began.
type printer struct {
	w     io.Writer
	since time.Time
	runs  map[string]*printed
}

// printLines prints changes of the board until ctx ends.
func printLines(ctx context.Context, w io.Writer, board *Board) error {
	p := &printer{w: w, since: time.Now(), runs: map[string]*printed{}}
	return pump(board, ctx.Done(), p.print)
}

// print prints what is new.
func (p *printer) print(runs []Run) error {
	var b strings.Builder
	present := make(map[string]*printed, len(runs))
	for i := len(runs) - 1; i >= 0; i-- { // oldest first
		r := &runs[i]
		top := r.Top()
		was := p.runs[top.Key]
		if was == nil {
			was = &printed{failed: map[string]int{}, ended: !r.AtWork && top.Ended.Before(p.since)}
			was.started = was.ended
		}
		present[top.Key] = was
		if !was.started {
			was.started = true
			p.line(&b, top.Started, "started", r, nil, top.Title)
		}
		if !was.ended {
			p.failures(&b, r, was)
		}
		if !was.ended && !r.AtWork {
			was.ended = true
			p.line(&b, top.Ended, "ended", r, nil, p.summary(r))
		}
	}
	p.runs = present
	if b.Len() == 0 {
		return nil
	}
	_, err := io.WriteString(p.w, b.String())
	return err
}

// failures prints the calls of a run that failed since the last print.
func (p *printer) failures(b *strings.Builder, r *Run, was *printed) {
	for i := range r.Agents {
		a := &r.Agents[i]
		fresh := a.Failed - was.failed[a.Key]
		was.failed[a.Key] = a.Failed
		var failed []*Call
		for j := range a.Calls {
			if a.Calls[j].State == CallFailed {
				failed = append(failed, &a.Calls[j])
			}
		}
		for _, c := range failed[max(0, len(failed)-fresh):] {
			if at := c.Started.Add(c.Took); !at.Before(p.since) {
				p.line(b, at, "failed", r, a, join(": ", c.Fit(0), c.Error))
			}
		}
	}
}

// line prints one line about a run, or an agent of it.
func (p *printer) line(b *strings.Builder, at time.Time, what string, r *Run, a *Agent, text string) {
	who := join(" ", r.Service, r.Project)
	if r.Session != "" {
		who = join(" ", who, "["+short(r.Session)+"]")
	}
	if a != nil && a.Depth > 0 {
		who += " " + a.title()
	}
	fmt.Fprintf(b, "%s %s\n", at.UTC().Format(time.RFC3339), join("  ", pad(what, len("started")), who, text))
}

// summary describes how a run ended.
func (p *printer) summary(r *Run) string {
	top := r.Top()
	facts := []string{r.Verdict.String(), render.ShortDuration(since(top.Started, top.Ended))}
	if top.Tokens > 0 {
		facts = append(facts, render.ShortCount(top.Tokens)+" tokens")
	}
	if top.Cost != "" {
		facts = append(facts, top.Cost)
	}
	return strings.Join(facts, " · ")
}
