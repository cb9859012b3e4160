package outcome

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// Signs are what the last events of a run's main thread show of its end.
type Signs struct {
	last events.Sign
	text string // the words of a failure
}

// Last is the sign that holds; the zero value if the run goes on.
func (s *Signs) Last() events.Sign { return s.last }

// ShowEnd reports whether they show that the run is over, and not by what may be followed by more.
func (s *Signs) ShowEnd() bool { return s.last.Outcome != events.OutcomeUnknown && !s.last.Weak }

// Note keeps what an event shows. Work takes an earlier sign back; results of calls that come after a stop do not.
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
