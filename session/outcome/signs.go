package outcome

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// Signs are what the last events of a run's main thread show about its end.
type Signs struct {
	last events.Sign
	text string // text of a failure
}

// Last returns the current sign; the zero value if the run continues.
func (s *Signs) Last() events.Sign { return s.last }

// ShowEnd reports whether the signs show an end that is not weak, that is, not likely to be followed by more.
func (s *Signs) ShowEnd() bool { return s.last.Outcome != events.OutcomeUnknown && !s.last.Weak }

// Note records the sign of an event. Further work revokes an earlier sign, but results of calls after a stop do not.
func (s *Signs) Note(ev *events.DisplayEvent) {
	if ev.ParentID != "" {
		return
	}
	if ev.Sign.Outcome != events.OutcomeUnknown {
		*s = Signs{last: ev.Sign}
		if ev.Sign.Outcome == events.OutcomeError {
			s.text = strings.Clone(events.CutRunes(ev.Text, otlp.ErrTextRunes))
		}
		return
	}
	switch ev.Kind {
	case events.KindToolResult:
		if ev.Tool.State == events.ToolStateStopped {
			s.last = events.Sign{Outcome: events.OutcomeInterrupted}
		} else if s.last.Outcome == events.OutcomeOK {
			s.last = events.Sign{}
		}
	case events.KindText, events.KindReasoning, events.KindToolUse, events.KindTurnStarted:
		s.last = events.Sign{}
	case events.KindPrompt:
		if !ev.Synthetic {
			s.last = events.Sign{}
		}
	}
}
