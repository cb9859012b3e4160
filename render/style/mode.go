package style

import (
	"fmt"
	"slices"
	"strings"
)

// Mode is how much is shown.
type Mode uint8

// The modes; the zero value is the default mode.
const (
	// ModeDefault shows what the agent said and nothing else.
	ModeDefault Mode = iota
	// ModeVerbose shows text, tools and notices in source order.
	ModeVerbose
	// ModeQuiet shows the end or failure of a run.
	ModeQuiet
	// ModeJSON renders nothing; input lines pass unchanged.
	ModeJSON

	modeEnd
)

var modeNames = [modeEnd]string{"default", "verbose", "quiet", "json"}

// String returns the spelling in settings.
func (m Mode) String() string {
	if m < modeEnd {
		return modeNames[m]
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}

// ParseMode is the inverse of [Mode.String]. The error lists the allowed names.
func ParseMode(name string) (Mode, error) {
	for m := range modeEnd {
		if modeNames[m] == name {
			return m, nil
		}
	}
	return ModeDefault, fmt.Errorf("mode must be one of %s, got %q", strings.Join(modeNames[:], ", "), name)
}

// ModeNames returns the names of the modes in settings.
func ModeNames() []string { return slices.Clone(modeNames[:]) }

// Style is the format of the lines in verbose mode.
type Style uint8

// The styles; the zero value is the default style.
const (
	// StyleMarker shows tool calls as "[tool: Read(calc.go)]" and no results.
	StyleMarker Style = iota
	// StyleTranscript shows sessions, calls and results as short lines: "[Read] calc.go", "→ 12 lines".
	StyleTranscript
	// StyleProgress says what the agent is doing: "Reading src/auth.ts", "Finished reading src/auth.ts".
	StyleProgress
	// StyleActivity shows each call with its time and step: "15:04:05 [build] Read calc.go". A log writes at most one
	// such line per second and step.
	StyleActivity

	styleEnd
)

var styleNames = [styleEnd]string{"marker", "transcript", "progress", "activity"}

// String returns the spelling in settings.
func (s Style) String() string {
	if s < styleEnd {
		return styleNames[s]
	}
	return fmt.Sprintf("style(%d)", uint8(s))
}

// Valid reports whether the style exists.
func (s Style) Valid() bool { return s < styleEnd }

// ParseStyle is the inverse of [Style.String]. The error lists the allowed names.
func ParseStyle(name string) (Style, error) {
	for s := range styleEnd {
		if styleNames[s] == name {
			return s, nil
		}
	}
	return StyleMarker, fmt.Errorf("style must be one of %s, got %q", strings.Join(styleNames[:], ", "), name)
}

// StyleNames returns the names of the styles in settings.
func StyleNames() []string { return slices.Clone(styleNames[:]) }
