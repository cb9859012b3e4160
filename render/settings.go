package render

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/label"
	"github.com/tailspan/tailspan/render/internal/memory"
	"github.com/tailspan/tailspan/render/style"
)

// defaultCalls is how many open tool calls a Renderer remembers by default.
const defaultCalls = 1024

// Settings says how a Renderer renders. The zero value is default mode.
type Settings struct {
	// Mode is how much is shown.
	Mode Mode
	// Style is what verbose mode looks like.
	Style Style
	// EscapeCommands are the CI systems for which the log must hold no command: see the package's Safety section.
	EscapeCommands CISystems
	// Calls is how many open tool calls are remembered, so that a result that carries only an id can be named; the oldest
	// is evicted. 0 means 1024.
	Calls int

	// Reasoning shows what the agent thinks, in verbose mode, each line behind "│ ".
	Reasoning bool
	// Results shows the results of tools in the styles that hide them (marker, activity), and how long calls took in all.
	Results bool
	// Summary adds, in verbose mode, what a run did when it ends: tools, failures, tokens, cost, duration.
	Summary bool
	// Color writes lines in the colours of a terminal; see [Color.Wanted].
	Color bool

	// Lines is where all lines go that are not text; nil: where the text goes. Text that is alone has no margin.
	Lines io.Writer
	// LinesColor is Color for what goes to Lines: one of two outputs may be a terminal and the other a file.
	LinesColor bool
	// Width returns how many cells a line of the activity style may have, for a terminal that may be resized; nil or 0
	// sets no limit.
	Width func() int
	// Location is the time zone of times; nil is the local one.
	Location *time.Location
	// Now is the clock for events of a live stream that carry no time. With nil, and in a stream whose times are more than
	// a minute behind the clock, they have the time of the event before.
	Now func() time.Time
	// Replay says that the stream was written earlier, or may have been. Without a clock, lines of the activity style wait
	// for the first time of the stream (at most 64 KiB of lines) and then carry it, or none if no event has one. With a
	// clock, events without a time show its time, but nothing is measured by it.
	Replay bool
}

// complete fills in what is left out.
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
	return s
}

// memory derives what has to be remembered.
func (s *Settings) memory() memory.Settings {
	m := memory.Settings{Calls: s.Calls, Now: s.Now, Replay: s.Replay}
	if s.Mode != ModeVerbose {
		return m
	}
	m.Agents, m.Summary = true, s.Summary
	m.Ends = s.Results || s.Summary || s.Style == StyleProgress
	m.NameOf = func(t *events.Tool) string { return style.ToolName(t.Name) }
	if s.activity() {
		m.NameOf = style.ToolTitle
	}
	return m
}

// activity reports whether the lines are those of the activity style.
func (s *Settings) activity() bool { return s.Mode == ModeVerbose && s.Style == StyleActivity }

// Origin says whose events a Renderer or [Stream] shows. All fields are optional.
type Origin struct {
	// Pipeline, Run and StepRun distinguish streams whose Step is the same, where they are open at the same time.
	Pipeline, Run, StepRun string
	// Step is the pipeline step, or another name that distinguishes the stream.
	Step string
	// Session is the id of the session; its beginning is the name of a stream without step and pipeline.
	Session string
	// Agent is the name of the agent, or of the program that runs it.
	Agent string
}

func (o *Origin) identity() label.Identity {
	return label.IdentityOf(o.Pipeline, o.Run, o.Step, o.StepRun, o.Session)
}

// defaultInterval is the least time between two tool lines of a step.
const defaultInterval = time.Second

// ThrottleScope is what shares one allowance of tool lines.
type ThrottleScope uint8

// The scopes; the zero value is the step.
const (
	// ThrottleScopeStep gives every step its own: one busy step does not hide the others.
	ThrottleScopeStep ThrottleScope = iota
	// ThrottleScopeOutput gives all that is written to one output a common one.
	ThrottleScopeOutput

	throttleScopeEnd
)

var throttleScopeNames = [throttleScopeEnd]string{"step", "output"}

// String gives the spelling in settings.
func (s ThrottleScope) String() string {
	if s < throttleScopeEnd {
		return throttleScopeNames[s]
	}
	return fmt.Sprintf("throttle_scope(%d)", uint8(s))
}

// ParseThrottleScope is the inverse of [ThrottleScope.String]. The error lists what is allowed.
func ParseThrottleScope(name string) (ThrottleScope, error) {
	for s := range throttleScopeEnd {
		if throttleScopeNames[s] == name {
			return s, nil
		}
	}
	return ThrottleScopeStep, fmt.Errorf("throttle_scope must be one of %s, got %q", strings.Join(throttleScopeNames[:], ", "), name)
}

// ThrottleSettings says how often tool lines of the activity style are written. The zero value is at most one a second
// and step.
type ThrottleSettings struct {
	Scope ThrottleScope
	// Interval is the least time between two tool lines; 0 means 1 s, a negative one does not throttle.
	Interval time.Duration
	// ByEventTime measures the interval by the times of events, for a stream that was written earlier. Events without a
	// time are measured by the clock if there is one ([Settings.Now]), and are not held otherwise.
	ByEventTime bool
}
