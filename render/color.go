package render

import (
	"fmt"
	"strings"

	"github.com/tailspan/tailspan/events"
)

// sgr is the graphic rendition of a part of a line, where colours are wanted. The colours are those of the fixed part of the
// table of 256, of middle brightness: each can be read on a light and on a dark background, whatever the terminal's own
// palette is like, in which cyan and yellow are often no darker than white paper and faint may be no more than a shade.
type sgr uint8

const (
	sgrNone sgr = iota
	sgrDim
	sgrHead
	sgrTool
	sgrGood
	sgrWarning
	sgrFailure

	sgrCount
)

// sgrReset ends every rendition.
const sgrReset = "\x1b[0m"

// renditions are the sequences that begin a rendition (SGR of ECMA-48; 38;5;n of ISO 8613-6).
var renditions = [sgrCount]string{
	sgrDim:     "\x1b[38;5;243m", // grey
	sgrHead:    "\x1b[1m",        // bold
	sgrTool:    "\x1b[38;5;30m",  // teal
	sgrGood:    "\x1b[38;5;28m",  // green
	sgrWarning: "\x1b[38;5;130m", // brown
	sgrFailure: "\x1b[38;5;160m", // red
}

// begin is the sequence that begins a rendition.
func (s sgr) begin() string { return renditions[s] }

// sgrOf is the rendition of an event's lines; texts have none.
func sgrOf(e *events.DisplayEvent) sgr {
	switch e.Kind {
	case events.KindToolUse:
		return sgrTool
	case events.KindToolResult, events.KindToolProgress:
		if e.Tool.Error || e.Tool.State == events.ToolStateFailed {
			return sgrFailure
		}
		return sgrDim
	case events.KindNotice:
		if e.Notice.Level == events.LevelError {
			return sgrFailure
		}
		return sgrWarning
	case events.KindSessionStarted, events.KindPhase:
		return sgrHead
	case events.KindTurnAborted, events.KindApprovalRequest, events.KindAskRequest:
		return sgrWarning
	case events.KindTurnDone, events.KindSessionEnded:
		switch {
		case failed(e.End):
			return sgrFailure
		case interrupted(e.End):
			return sgrWarning
		}
		return sgrGood
	case events.KindReasoning:
		return sgrDim
	default:
		return sgrNone
	}
}

// Color says when colours are used.
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
