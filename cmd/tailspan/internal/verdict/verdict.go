package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/outcome"
)

// Kind is what a verdict comes to.
type Kind uint8

// The kinds.
const (
	KindOK Kind = iota
	KindError
	KindIncomplete
	KindDenied
	KindEmpty
)

var kindNames = [...]string{"ok", "error", "incomplete", "denied", "empty"}

// String gives the wire name.
func (k Kind) String() string { return kindNames[k] }

// ParseKinds reads a list of kinds, separated by commas, of what is not ok. An empty list is none.
func ParseKinds(list string) ([]Kind, error) {
	var kinds []Kind
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		i := slices.Index(kindNames[:], name)
		if i <= 0 {
			return nil, fmt.Errorf("verdict %q is not known, want some of %s", name, strings.Join(kindNames[1:], ", "))
		}
		kinds = append(kinds, Kind(i))
	}
	return kinds, nil
}

// Verdict is what became of a run.
type Verdict struct {
	Kind Kind
	// Reason is a line that says why; empty if all is well.
	Reason string
	// Outcome is how the worst run ended; unknown without one.
	Outcome events.Outcome
}

// String is the verdict in one line: "error: killed by SIGKILL in Bash: go test".
func (v Verdict) String() string {
	if v.Reason == "" {
		return v.Kind.String()
	}
	return v.Kind.String() + ": " + v.Reason
}

// ReasonRunes bounds a reason.
const ReasonRunes = 240

// Facts are what decides.
type Facts struct {
	// Worst is how the worst of the runs ended; the zero value without a run.
	Worst outcome.Verdict
	// Exit is how the process ended; nil if that is not known.
	Exit *outcome.Exit
	// AtWork is the call that had no result when the worst run ended; the zero value if there was none.
	AtWork Call
	// Refused are the calls that were refused, by tool.
	Refused Refusals
	// Words counts texts and results, and lines of no known agent; Calls the calls of tools.
	Words, Calls int
	// Compactions counts how often the conversation was compacted, which is work that a prompt may have asked for.
	Compactions int

	atWorkSince time.Time // when the call at work began
}

// EndedCall is a call of a tool whose span has ended.
type EndedCall struct {
	Tool, Target string
	Start        time.Time
	Reason       otlp.CloseReason
	ErrorType    string
}

// Ended counts a call. One that ended without a result was at work when the run ended.
func (f *Facts) Ended(c EndedCall) {
	f.Calls++
	if c.ErrorType == otlp.ErrorTypeDenied {
		f.Refused.Add(c.Tool)
	}
	switch c.Reason {
	case otlp.CloseReasonResult, otlp.CloseReasonSuperseded, otlp.CloseReasonEvicted:
		return
	}
	if !c.Start.Before(f.atWorkSince) { // the innermost began last
		tool := events.Tool{Target: c.Target}
		f.atWorkSince, f.AtWork = c.Start, Call{Tool: strings.Clone(c.Tool), Arg: tool.Arg()}
	}
}

// Say counts what the agent says in an event ([Words]), if its program did not make that up. A compaction is counted too.
func (f *Facts) Say(ev *events.DisplayEvent) {
	if ev.Kind == events.KindNotice && ev.Notice.Code == events.NoticeCompaction {
		f.Compactions++
	}
	if !ev.Synthetic && Words(ev) != "" {
		f.Words++
	}
}

// Words are the text or the result that an event shows; empty if there is none.
func Words(ev *events.DisplayEvent) (words string) {
	switch ev.Kind {
	case events.KindText, events.KindMessage:
		words = ev.Text
	case events.KindSessionEnded, events.KindTurnDone:
		words = ev.End.Result
	}
	if strings.TrimSpace(words) == "" {
		return ""
	}
	return words
}

// WithoutContents are the facts without the text of errors and the targets of calls; name makes what may be shown of the name of a
// tool.
func (f Facts) WithoutContents(name func(string) string) Facts {
	f.Worst.Message = ""
	f.AtWork = Call{Tool: name(f.AtWork.Tool)}
	f.Refused.Tools = slices.Clone(f.Refused.Tools)
	for i, tool := range f.Refused.Tools {
		f.Refused.Tools[i] = name(tool)
	}
	return f
}

// Call is a call of a tool, with the beginning of its target.
type Call struct{ Tool, Arg string }

// String is the call in a line: "Bash: go test".
func (c Call) String() string {
	if c.Arg == "" {
		return c.Tool
	}
	return c.Tool + ": " + c.Arg
}

// Verdict decides.
func (f *Facts) Verdict() Verdict {
	v := Verdict{Outcome: f.Worst.Outcome}
	switch f.Worst.Outcome {
	case events.OutcomeError, events.OutcomeKilled:
		v.Kind, v.Reason = KindError, f.failure()
	case events.OutcomeIncomplete, events.OutcomeInterrupted:
		v.Kind, v.Reason = KindIncomplete, f.endless()
	default:
		switch {
		case f.Exit != nil && f.Exit.Failed():
			v.Kind, v.Reason = KindError, cmp.Or(f.stop(), f.killed(), f.Exit.String())
		case f.Refused.Total > 0:
			v.Kind, v.Reason = KindDenied, f.Refused.String()
		case f.Words == 0 && f.Calls == 0 && f.Compactions == 0:
			v.Kind, v.Reason = KindEmpty, "did nothing"
		}
	}
	if stop := f.stop(); stop != "" && v.Kind != KindError { // the program ended well before it could be stopped
		v.Kind, v.Reason = KindError, stop
	}
	v.Reason = events.CutRunes(v.Reason, ReasonRunes)
	return v
}

// failure is the reason of a run that failed.
func (f *Facts) failure() string {
	reason := firstLine(f.Worst.Message)
	switch stop := f.stop(); {
	case f.Worst.Outcome == events.OutcomeKilled && stop != "":
		reason = stop
	case f.Worst.Outcome == events.OutcomeKilled && f.killed() != "":
		reason = f.killed()
	case f.Worst.Outcome == events.OutcomeKilled && reason == "":
		reason = "killed"
	case reason == "" && f.Worst.Cause == events.CauseProcessExit && f.Exit != nil:
		reason = f.Exit.String()
	case reason == "":
		reason = f.Worst.ErrorType()
	}
	return reason + f.inCall()
}

// stops are what a run did that tailspan stopped for a limit.
var stops = map[otlp.StopReason]string{
	otlp.StopStall: "no output for too long", otlp.StopMaxCost: "it cost too much", otlp.StopMaxTokens: "it used too many tokens",
	otlp.StopMaxTime: "it took too long",
}

// stop is why tailspan stopped the run; empty if it did not do so for a limit.
func (f *Facts) stop() string {
	if f.Exit == nil || f.Exit.StopReason == "" {
		return ""
	}
	return "stopped: " + stops[f.Exit.StopReason]
}

// killed is what signal ended the process; empty if none did.
func (f *Facts) killed() string {
	if f.Exit == nil || f.Exit.Signal == "" {
		return ""
	}
	return "killed by " + f.Exit.Signal
}

// endless is the reason of a run that shows no end.
func (f *Facts) endless() string {
	reason := "ended without a result"
	switch f.Worst.Reason {
	case otlp.CloseReasonInterrupted:
		reason = "interrupted"
	case otlp.CloseReasonTruncated:
		reason = "its output was cut"
	case otlp.CloseReasonTimeout:
		reason = "no line for too long"
	}
	return reason + f.inCall()
}

// inCall is what the agent was doing when it ended, if it did not get to the end.
func (f *Facts) inCall() string {
	if f.AtWork.Tool == "" || f.Worst.Reason == otlp.CloseReasonResult {
		return ""
	}
	return " in " + f.AtWork.String()
}

// firstLine is the first line of a text that has one.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// Refusals are calls that were refused.
type Refusals struct {
	Total int
	// Tools are the names of the tools, each once, in order; at most [maxRefusedTools].
	Tools []string
}

// maxRefusedTools bounds the tools that a reason names.
const maxRefusedTools = 5

// Add counts a call that was refused.
func (r *Refusals) Add(tool string) {
	r.Total++
	if len(r.Tools) < maxRefusedTools && !slices.Contains(r.Tools, tool) {
		r.Tools = append(r.Tools, strings.Clone(tool))
	}
}

// String counts them: "3 refused calls (Bash, WebFetch)".
func (r *Refusals) String() string {
	calls := "calls"
	if r.Total == 1 {
		calls = "call"
	}
	return fmt.Sprintf("%d refused %s (%s)", r.Total, calls, strings.Join(r.Tools, ", "))
}
