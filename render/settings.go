package render

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/account"
	"github.com/tailspan/tailspan/render/internal/label"
	"github.com/tailspan/tailspan/render/internal/memory"
	"github.com/tailspan/tailspan/render/style"
)

// defaultCalls is the default number of open tool calls that a Renderer remembers.
const defaultCalls = 1024

// Settings says how a Renderer renders. The zero value is default mode.
type Settings struct {
	// Mode is how much is shown.
	Mode Mode
	// Style is the format of the lines in verbose mode.
	Style Style
	// EscapeCommands are the CI systems whose commands the log must not contain: see the package's Safety section.
	EscapeCommands CISystems
	// Calls is the number of open tool calls to remember, so that a result that has only an ID can be named; the oldest
	// is evicted. 0 means 1024.
	Calls int

	// Reasoning shows the agent's reasoning in verbose mode, each line after "│ ".
	Reasoning bool
	// Results shows the results of tools in the styles that hide them (marker, activity), and how long calls took in all styles.
	Results bool
	// Summary adds a summary at the end of a run, in verbose mode: tools, failures, tokens, cost, duration.
	Summary bool
	// NewAccount creates what adds up the tokens and the cost of a stream, for its summary and the status line. If it is nil, what the
	// agent reports is added up.
	NewAccount func() Account
	// Color writes lines in terminal colours; see [Color.Wanted].
	Color bool

	// Lines receives all lines that are not text; if nil, they go to the same writer as the text. Text on its own has no margin.
	Lines io.Writer
	// LinesColor is Color for Lines: one of two outputs may be a terminal and the other a file.
	LinesColor bool
	// Width returns the maximum width of a line of the activity style in cells, for a terminal that may be resized;
	// nil or 0 sets no limit.
	Width func() int
	// Location is the time zone of times; nil means local time.
	Location *time.Location
	// Now is the clock for events of a live stream that have no time; it measures durations only if no event has one. If it is
	// nil, or if the times of the stream are more than a minute behind it, these events have the time of the previous event.
	Now func() time.Time
	// Replay says that the stream was or may have been written earlier. Without a clock, lines of the activity style wait
	// for the first time of the stream (at most 64 KiB of lines) and then show that time, or none if no event has one.
	// With a clock, events without a time show its time, but no duration is measured by it.
	Replay bool
}

// Account adds up what the runs of a stream use; see [account.Account].
type Account = account.Account

// complete sets the defaults of missing settings.
func (s Settings) complete() Settings {
	if s.Calls <= 0 {
		s.Calls = defaultCalls
	}
	if !s.Style.Valid() {
		s.Style = StyleMarker
	}
	if s.Location == nil {
		s.Location = time.Local
	}
	if s.NewAccount == nil {
		s.NewAccount = func() Account { return new(account.Reported) }
	}
	return s
}

// memory derives what must be remembered.
func (s *Settings) memory() memory.Settings {
	m := memory.Settings{Calls: s.Calls, Now: s.Now, Replay: s.Replay}
	if s.Mode != ModeVerbose {
		return m
	}
	if m.Agents, m.Summary = true, s.Summary; s.Summary {
		m.Account = s.NewAccount()
	}
	m.Ends = s.Results || s.Summary || s.Style == StyleProgress
	m.NameOf = func(t *events.Tool) string { return style.ToolName(t.Name) }
	if s.activity() {
		m.NameOf = style.ToolTitle
	}
	return m
}

// activity reports whether the lines have the activity style.
func (s *Settings) activity() bool { return s.Mode == ModeVerbose && s.Style == StyleActivity }

// Origin describes the source of the events that a Renderer or [Stream] shows. All fields are optional.
type Origin struct {
	// Pipeline, Run and StepRun distinguish streams with the same Step that are open at the same time.
	Pipeline, Run, StepRun string
	// Step is the pipeline step, or another name that distinguishes the stream.
	Step string
	// Session is the ID of the session. Its beginning names a stream without step and pipeline.
	Session string
	// Agent is the name of the agent, or of the program that runs it.
	Agent string
}

func (o *Origin) identity() label.Identity {
	return label.IdentityOf(o.Pipeline, o.Run, o.Step, o.StepRun, o.Session)
}

// defaultInterval is the minimum time between two tool lines of a step.
const defaultInterval = time.Second

// ThrottleScope is the set of streams that share one limit of tool lines.
type ThrottleScope uint8

// The scopes; the zero value is the step.
const (
	// ThrottleScopeStep limits each step separately: a busy step does not hide the others.
	ThrottleScopeStep ThrottleScope = iota
	// ThrottleScopeOutput limits everything written to one output together.
	ThrottleScopeOutput

	throttleScopeEnd
)

var throttleScopeNames = [throttleScopeEnd]string{"step", "output"}

// String returns the spelling in settings.
func (s ThrottleScope) String() string {
	if s < throttleScopeEnd {
		return throttleScopeNames[s]
	}
	return fmt.Sprintf("throttle_scope(%d)", uint8(s))
}

// ParseThrottleScope is the inverse of [ThrottleScope.String]. The error lists the allowed names.
func ParseThrottleScope(name string) (ThrottleScope, error) {
	for s := range throttleScopeEnd {
		if throttleScopeNames[s] == name {
			return s, nil
		}
	}
	return ThrottleScopeStep, fmt.Errorf("throttle_scope must be one of %s, got %q", strings.Join(throttleScopeNames[:], ", "), name)
}

// ThrottleSettings says how often tool lines of the activity style are written. The zero value means at most one per
// second and step.
type ThrottleSettings struct {
	Scope ThrottleScope
	// Interval is the minimum time between two tool lines; 0 means 1 s, a negative one does not throttle.
	Interval time.Duration
	// ByEventTime measures the interval by the times of events, for a stream that was written earlier. Events without a
	// time are measured by the clock if there is one ([Settings.Now]), and are not held otherwise.
	ByEventTime bool
}
