package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/execute"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/guard"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/observer"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/summary"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/process"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/pipeline"
)

// judge is the part of run that limits a run and decides on its verdict.
type judge struct {
	limits            guard.Limits
	loopAfter         int
	failOn            string
	failures          []verdict.Kind // named by failOn
	summaryFile       string
	traceURL          string
	summary           *os.File         // nil without summaryFile
	escape            render.CISystems // whose commands are escaped in the summary
	name              func(string) string
	report            func(string)
	countPlain        bool // plain text, which is not shown, is counted if the run did not end well
	silentUnlessFails bool // the verdict is only reported if it changes the exit code
}

// add declares the flags.
func (j *judge) add(f *cli.Flags) {
	f.ListVar(&j.failOn, "fail-on", "", verdict.KindNames(),
		"exit with 1 if the command returns 0 and the verdict is one of these `verdicts`, which commas separate: "+strings.Join(verdict.KindNames(), ", "))
	f.DurationVar(&j.limits.StallAfter, "stall-after", 0, "warn when the command has written nothing for so long")
	f.BoolVar(&j.limits.StallKill, "stall-kill", false, "end the command then; needs --stall-after")
	f.DurationVar(&j.limits.MaxTime, "max-time", 0, "end the command after this time; a warning comes at 80 %")
	f.Float64Var(&j.limits.MaxCost, "max-cost", 0,
		"end the command when the agent has cost more than this, in US `dollars`; while it reports no cost, --prices estimates it; a warning comes at 80 %")
	f.Int64Var(&j.limits.MaxTokens, "max-tokens", 0,
		"end the command when the agent has used more tokens than this `number`, input and output; a warning comes at 80 %")
	f.IntVar(&j.loopAfter, "loop-after", guard.DefaultLoopAfter,
		"report a call that was made this `number` of times with the same arguments and result, and nothing new in between; 0: never")
	f.StringVar(&j.summaryFile, "summary-file", "", "write what the run did to this `file`, as Markdown")
	f.StringVar(&j.traceURL, "trace-url", "", "`address` of a trace for the summary, with "+summary.TraceID+" in place of its id")
}

// check returns all errors in the flags. given reports whether a flag was set.
func (j *judge) check(given func(flag string) bool) error {
	var errs []error
	var err error
	if j.failures, err = verdict.ParseKinds(j.failOn); err != nil {
		errs = append(errs, fmt.Errorf("--fail-on: %w", err))
	} else if given("fail-on") && len(j.failures) == 0 {
		errs = append(errs, fmt.Errorf("--fail-on must name a verdict (error, incomplete, denied, empty), got %q", j.failOn))
	}
	l := &j.limits
	for _, limit := range []struct {
		flag  string
		value any
		holds bool // the value is a limit
	}{
		{"stall-after", l.StallAfter, l.StallAfter > 0}, {"max-time", l.MaxTime, l.MaxTime > 0}, {"max-tokens", l.MaxTokens, l.MaxTokens > 0},
		{"max-cost", l.MaxCost, l.MaxCost > 0 && !math.IsInf(l.MaxCost, 0)},
	} {
		if given(limit.flag) && !limit.holds {
			errs = append(errs, fmt.Errorf("--%s must be positive and finite, got %v", limit.flag, limit.value))
		}
	}
	if j.loopAfter < 0 {
		errs = append(errs, errors.New("--loop-after must not be negative"))
	}
	if l.StallKill && !given("stall-after") {
		errs = append(errs, errors.New("--stall-kill needs --stall-after"))
	}
	switch {
	case j.traceURL != "" && j.summaryFile == "":
		errs = append(errs, errors.New("--trace-url needs --summary-file"))
	case j.traceURL != "" && !isWebAddress(j.traceURL):
		errs = append(errs, fmt.Errorf("--trace-url must be a URL of http or https, got %q", j.traceURL))
	case j.traceURL != "" && !strings.Contains(j.traceURL, summary.TraceID):
		errs = append(errs, fmt.Errorf("--trace-url must contain %s, got %q", summary.TraceID, j.traceURL))
	}
	return errors.Join(errs...)
}

// isWebAddress reports whether a browser can open an address that contains a placeholder for an ID.
func isWebAddress(address string) bool {
	u, err := url.Parse(strings.ReplaceAll(address, summary.TraceID, "0"))
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// open opens the files that are written at the end, before the command is run.
func (j *judge) open() (err error) {
	if j.summaryFile != "" {
		j.summary, err = create("--summary-file", j.summaryFile)
	}
	return err
}

// create creates or truncates the file of a flag. Only its owner can read it.
func create(flag, path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; the command is not run", flag, err)
	}
	return file, nil
}

// start watches a command. Once the command has ended and its output was read, the channels receive the result and the
// exceeded limit.
func (j *judge) start(ctx context.Context, s observer.Settings, child *execute.Child) (<-chan *observer.Result, <-chan otlp.StopReason) {
	done := make(chan *observer.Result, 1)
	j.limits.Priced = len(s.Prices) > 0
	s.Limits, s.LoopAfter, s.Name, s.Report = j.limits, j.loopAfter, j.name, j.report
	s.Stop = func(why otlp.StopReason) { child.StopFor(syscall.SIGTERM, string(why)) }
	o, err := observer.Start(ctx, s, child.Tail())
	if err != nil {
		j.report(fmt.Sprintf("the command is not watched: %v", err))
		close(done)
		none := make(chan otlp.StopReason)
		close(none)
		return done, none
	}
	go func() {
		defer close(done)
		result, err := o.End(execute.ExitOf(child.Wait()))
		if err != nil && ctx.Err() == nil {
			j.report(fmt.Sprintf("the command is not watched to its end: %v", err))
			return
		}
		done <- result
	}()
	return done, o.Stopped()
}

// blind returns what is unknown about unrecognized output if a flag depends on it.
func (j *judge) blind() string {
	var flags []string
	if j.limits.MaxTokens > 0 {
		flags = append(flags, guard.FlagOf(otlp.StopMaxTokens))
	}
	if j.limits.MaxCost > 0 {
		flags = append(flags, guard.FlagOf(otlp.StopMaxCost))
	}
	if slices.Contains(j.failures, verdict.KindDenied) {
		flags = append(flags, "denied of --fail-on")
	}
	const unknown = "; its tokens, cost and refused calls are not known, so "
	switch n := len(flags); n {
	case 0:
		return ""
	case 1:
		return unknown + flags[0] + " has no effect"
	default:
		return unknown + strings.Join(flags[:n-1], ", ") + " and " + flags[n-1] + " have no effect"
	}
}

// finish reports the verdict, writes the summary and returns the exit code. r is nil if the run was not watched to its
// end.
func (j *judge) finish(r *observer.Result, title string, exit process.Exit) int {
	status := exit.Status()
	if r == nil {
		unknown := verdict.Verdict{Kind: verdict.KindIncomplete, Reason: unwatched}
		j.summarize(new(summary.Reader), &summary.Page{Title: title, Verdict: unknown, Name: j.name})
		return j.uncertain(status, unwatched)
	}
	facts := r.Facts()
	if j.name != nil {
		facts = facts.WithoutContents(j.name)
	}
	v := facts.Verdict()
	fails := status == 0 && (slices.ContainsFunc(j.failures, v.Is) || facts.Exit.StopReason != "" && v.Kind == verdict.KindError)
	if fails {
		status = cli.ExitFailure
	}
	if v.Kind != verdict.KindOK && (fails || !j.silentUnlessFails) {
		j.report(v.String())
	}
	if v.Kind != verdict.KindOK && j.countPlain && r.Plain.Lines > 0 {
		j.reportPlain(&r.Plain)
	}
	status = cmp.Or(status, j.summarize(&r.Summary, &summary.Page{Title: title, Verdict: v, Spent: r.Spent, TraceURL: j.traceURL, Name: j.name}))
	if exit.Dropped > 0 {
		status = j.uncertain(status, "a part of the output was lost, and with it what it may say about failures, tokens and cost")
	}
	return status
}

// reportPlain counts plain text that is not shown. The verdict has quoted the last line if that ended the output.
func (j *judge) reportPlain(p *pipeline.PlainText) {
	text := cli.Count(p.Lines, "line") + " of plain text, which mode quiet does not show"
	switch {
	case p.Ends && p.Lines == 1:
		return
	case !p.Ends:
		text += "; the last: " + p.Last
	}
	j.report(text)
}

// notStarted writes the summary of a command that could not be started.
func (j *judge) notStarted(title, problem string) {
	v := verdict.Verdict{Kind: verdict.KindError, Reason: "could not start"}
	if j.name == nil {
		v.Reason += ": " + problem
	}
	j.summarize(new(summary.Reader), &summary.Page{Title: title, Verdict: v, Name: j.name})
}

// summarize writes the summary, if there is a file for it, and returns the exit code.
func (j *judge) summarize(r *summary.Reader, page *summary.Page) int {
	if j.summary == nil {
		return cli.ExitOK
	}
	_, err := io.WriteString(render.BreakCommands(j.summary, j.escape), r.Markdown(page))
	if err := errors.Join(err, j.summary.Close()); err != nil {
		j.report(fmt.Sprintf("write summary: %v", err))
		return cli.ExitFailure
	}
	return cli.ExitOK
}

// unwatched is the reason if a run was not watched to its end.
const unwatched = "the output was not watched to its end, so the verdict is not known"

// uncertain returns the exit code of a run whose verdict is not certain. If something depends on the verdict, this is a failure.
func (j *judge) uncertain(status int, why string) int {
	if status != 0 || !j.limits.Stops() && len(j.failures) == 0 && j.summary == nil {
		return status
	}
	j.report(why + "; --fail-on, limits and --summary-file count that as a failure")
	return cli.ExitFailure
}
