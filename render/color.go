package render

import (
	"fmt"
	"strings"

	"github.com/tailspan/tailspan/events"
)

// ink is what a part of a line is written in, where colours are wanted. The colours are of the terminal's own palette,
// so that they suit a light and a dark one.
type ink uint8

const (
	inkNone ink = iota
	inkDim
	inkHead
	inkTool
	inkGood
	inkWarning
	inkFailure
)

// inkEnd ends every ink.
const inkEnd = "\x1b[0m"

// begin is the sequence that begins an ink (SGR of ECMA-48).
func (i ink) begin() string {
	switch i {
	case inkDim:
		return "\x1b[2m"
	case inkHead:
		return "\x1b[1m"
	case inkTool:
		return "\x1b[36m"
	case inkGood:
		return "\x1b[32m"
	case inkWarning:
		return "\x1b[33m"
	case inkFailure:
		return "\x1b[31m"
	default:
		return inkEnd
	}
}

// inkOf is what the lines of an event are written in; texts have no ink.
func inkOf(e *events.DisplayEvent) ink {
	switch e.Kind {
	case events.KindToolUse:
		return inkTool
	case events.KindToolResult, events.KindToolProgress:
		if e.Tool.Error || e.Tool.State == events.ToolStateFailed {
			return inkFailure
		}
		return inkDim
	case events.KindNotice:
		if e.Notice.Level == events.LevelError {
			return inkFailure
		}
		return inkWarning
	case events.KindSessionStarted, events.KindPhase:
		return inkHead
	case events.KindTurnAborted, events.KindApprovalRequest, events.KindAskRequest:
		return inkWarning
	case events.KindTurnDone, events.KindSessionEnded:
		switch {
		case failed(e.End):
			return inkFailure
		case interrupted(e.End):
			return inkWarning
		}
		return inkGood
	case events.KindReasoning:
		return inkDim
	default:
		return inkNone
	}
}

// Color tells when colours are used.
type Color uint8

// The choices; the zero value is the automatic one.
const (
	// ColorAuto uses colours on a terminal, unless the environment says otherwise.
	ColorAuto Color = iota
	// ColorAlways uses colours everywhere.
	ColorAlways
	// ColorNever uses none.
	ColorNever

	colorEnd
)

var colorNames = [colorEnd]string{"auto", "always", "never"}

// String gives the spelling in settings.
func (c Color) String() string {
	if c < colorEnd {
		return colorNames[c]
	}
	return fmt.Sprintf("color(%d)", uint8(c))
}

// ParseColor is the inverse of [Color.String]. The error lists what is allowed.
func ParseColor(name string) (Color, error) {
	for c := range colorEnd {
		if colorNames[c] == name {
			return c, nil
		}
	}
	return ColorAuto, fmt.Errorf("color must be one of %s, got %q", strings.Join(colorNames[:], ", "), name)
}

// Wanted decides whether an output gets colours. The choices "always" and "never" count before the environment, which is
// looked up by env: NO_COLOR (if not empty) refuses colours, FORCE_COLOR (if not empty, "0" or "false") asks for them
// anywhere, in this order; TERM=dumb refuses them. Else a terminal gets them.
func (c Color) Wanted(terminal bool, env func(key string) string) bool {
	switch c {
	case ColorAlways:
		return true
	case ColorNever:
		return false
	}
	if env("NO_COLOR") != "" {
		return false
	}
	if force := env("FORCE_COLOR"); force != "" && force != "0" && force != "false" {
		return true
	}
	return terminal && env("TERM") != "dumb"
}
