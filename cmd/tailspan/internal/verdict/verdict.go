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

// Kind classifies a verdict.
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

// String returns the wire name.
func (k Kind) String() string { return kindNames[k] }

// KindNames returns the names of all kinds but ok.
func KindNames() []string { return kindNames[1:] }

// ParseKinds parses a comma-separated list of kinds other than ok. An empty list has none.
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

// Verdict is the judgement on a run.
type Verdict struct {
	Kind Kind
	// Also is another kind that the run counts as: a run that did nothing and has no result is both incomplete and empty.
	Also Kind
	// Reason says why in one line; empty if all is well.
	Reason string
	// Outcome is how the worst run ended; unknown without a run.
	Outcome events.Outcome
}

// String returns the verdict in one line: "error: killed by SIGKILL in Bash: go test".
func (v Verdict) String() string {
	if v.Reason == "" {
		return v.Kind.String()
	}
	return v.Kind.String() + ": " + v.Reason
}

// Is reports whether the verdict counts as k.
func (v Verdict) Is(k Kind) bool { return v.Kind == k || v.Also == k && k != KindOK }

// ReasonRunes bounds a reason, in runes.
const ReasonRunes = 240

// Facts hold what decides the verdict.
type Facts struct {
	// Worst is how the worst run ended; the zero value without a run.
	Worst outcome.Verdict
	// Exit is how the process ended; nil if unknown.
	Exit *outcome.Exit
	// AtWork is the call that had no result when the worst run ended; zero if there was none.
	AtWork Call
	// Refused holds the refused calls, by tool.
	Refused Refusals
	// LastLine is the plain text that the program wrote after the last event, in one line; empty if there is none.
	LastLine string
	// Words counts texts, results and lines of an unknown agent; Calls counts tool calls.
	Words, Calls int
	// Compactions counts compactions of the conversation: a prompt may have asked for one.
	Compactions int

	atWorkSince time.Time // when the call AtWork began
}

// EndedCall is a tool call whose span has ended.
type EndedCall struct {
	Tool, Target string
	Start        time.Time
	Reason       otlp.CloseReason
	ErrorType    string
}

// Ended counts a call. A call that ended without a result was running when the run ended.
func (f *Facts) Ended(c EndedCall) {
	f.Calls++
	if c.ErrorType == otlp.ErrorTypeDenied {
		f.Refused.Add(c.Tool)
	}
	switch c.Reason {
	case otlp.CloseReasonResult, otlp.CloseReasonSuperseded, otlp.CloseReasonEvicted:
		return
	}
	if !c.Start.Before(f.atWorkSince) { // the innermost call began last
		tool := events.Tool{Target: c.Target}
		f.atWorkSince, f.AtWork = c.Start, Call{Tool: strings.Clone(c.Tool), Arg: tool.Arg()}
	}
}

// Say counts the [Words] of an event, unless the agent program made them up, and compactions.
func (f *Facts) Say(ev *events.DisplayEvent) {
	if ev.Kind == events.KindNotice && ev.Notice.Code == events.NoticeCompaction {
		f.Compactions++
	}
	if !ev.Synthetic && Words(ev) != "" {
		f.Words++
	}
}

// Words returns the text or result that an event shows, or "".
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

// WithoutContents returns the facts without error texts and call targets; name returns the part of a tool's name that may be
// shown.
func (f Facts) WithoutContents(name func(string) string) Facts {
	f.Worst.Message, f.LastLine = "", ""
	f.AtWork = Call{Tool: name(f.AtWork.Tool)}
	f.Refused.Tools = slices.Clone(f.Refused.Tools)
	for i, tool := range f.Refused.Tools {
		f.Refused.Tools[i] = name(tool)
	}
	return f
}

// Call is a tool call and the beginning of its target.
type Call struct{ Tool, Arg string }

// String returns the call in one line: "Bash: go test".
func (c Call) String() string {
	if c.Arg == "" {
		return c.Tool
	}
	return c.Tool + ": " + c.Arg
}

// Verdict decides from the facts.
func (f *Facts) Verdict() Verdict {
	v := Verdict{Outcome: f.Worst.Outcome}
	switch f.Worst.Outcome {
	case events.OutcomeError, events.OutcomeKilled:
		v.Kind, v.Reason = KindError, f.failure()
	case events.OutcomeIncomplete, events.OutcomeInterrupted:
		v.Kind, v.Reason = KindIncomplete, f.endless()
		if f.nothing() {
			v.Also = KindEmpty
		}
	default:
		switch {
		case f.Exit != nil && f.Exit.Failed():
			v.Kind, v.Reason = KindError, cmp.Or(f.stop(), cmp.Or(f.killed(), f.Exit.String())+f.quote())
		case f.Refused.Total > 0:
			v.Kind, v.Reason = KindDenied, f.Refused.String()
		case f.Exit != nil && f.Exit.Dropped > 0: // what is missing may say anything
			v.Kind, v.Reason = KindIncomplete, outputCut
		case f.nothing():
			v.Kind, v.Reason = KindEmpty, "did nothing"+f.quote()
			if f.Worst.Outcome == events.OutcomeUnknown { // it has no result
				v.Also = KindIncomplete
			}
		}
	}
	if stop := f.stop(); stop != "" && v.Kind != KindError { // the program ended normally before it was stopped
		v.Kind, v.Also, v.Reason = KindError, KindOK, stop
	}
	v.Reason = events.CutRunes(v.Reason, ReasonRunes)
	return v
}

// nothing reports whether the run did nothing.
func (f *Facts) nothing() bool { return f.Words == 0 && f.Calls == 0 && f.Compactions == 0 }

// failure returns the reason of a failed run.
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

// stops describes why tailspan stopped a run.
var stops = map[otlp.StopReason]string{
	otlp.StopStall: "no output for too long", otlp.StopMaxCost: "it cost too much", otlp.StopMaxTokens: "it used too many tokens",
	otlp.StopMaxTime: "it took too long",
}

// stop returns the limit that the run exceeded, or "". Tokens and cost may become known with the result, when there is nothing left
// to stop.
func (f *Facts) stop() string {
	if f.Exit == nil || f.Exit.StopReason == "" {
		return ""
	}
	switch reason := f.Exit.StopReason; reason {
	case otlp.StopMaxCost, otlp.StopMaxTokens:
		if f.Worst.Reason == otlp.CloseReasonResult {
			return "exceeded --" + strings.ReplaceAll(string(reason), "_", "-") + ": " + stops[reason]
		}
	}
	return "stopped: " + stops[f.Exit.StopReason]
}

// killed returns the signal that ended the process, or "".
func (f *Facts) killed() string {
	if f.Exit == nil || f.Exit.Signal == "" {
		return ""
	}
	return "killed by " + f.Exit.Signal
}

// outputCut is the reason of a run of whose output a part is missing.
const outputCut = "its output was cut"

// endless returns the reason of a run without an end.
func (f *Facts) endless() string {
	reason := "ended without a result"
	switch f.Worst.Reason {
	case otlp.CloseReasonInterrupted:
		reason = "interrupted"
	case otlp.CloseReasonTruncated:
		reason = outputCut
	case otlp.CloseReasonTimeout:
		reason = "no line for too long"
	}
	return reason + f.inCall()
}

// inCall returns what the agent was doing when it ended early.
func (f *Facts) inCall() string {
	switch {
	case f.Worst.Reason == otlp.CloseReasonResult:
		return ""
	case f.LastLine != "" && f.stop() == "":
		return f.quote()
	case f.AtWork.Tool == "":
		return ""
	}
	return " in " + f.AtWork.String()
}

// quote quotes the last line of the program, if there is one.
func (f *Facts) quote() string {
	if f.LastLine == "" {
		return ""
	}
	return `: "` + f.LastLine + `"`
}

// firstLine returns the first non-empty line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// Refusals counts refused calls.
type Refusals struct {
	Total int
	// Tools holds the names of the tools, each once, in order; at most [maxRefusedTools].
	Tools []string
}

// maxRefusedTools bounds the tools that a reason names.
const maxRefusedTools = 5

// Add counts a refused call.
func (r *Refusals) Add(tool string) {
	r.Total++
	if len(r.Tools) < maxRefusedTools && !slices.Contains(r.Tools, tool) {
		r.Tools = append(r.Tools, strings.Clone(tool))
	}
}

// String formats the refused calls: "3 refused calls (Bash, WebFetch)".
func (r *Refusals) String() string {
	calls := "calls"
	if r.Total == 1 {
		calls = "call"
	}
	return fmt.Sprintf("%d refused %s (%s)", r.Total, calls, strings.Join(r.Tools, ", "))
}
