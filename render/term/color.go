package term

import (
	"fmt"
	"strings"
)

// Color says when colours are used.
type Color uint8

// The choices; the zero value is automatic.
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

// String returns the spelling in settings.
func (c Color) String() string {
	if c < colorEnd {
		return colorNames[c]
	}
	return fmt.Sprintf("color(%d)", uint8(c))
}

// ParseColor is the inverse of [Color.String]. The error lists the allowed names.
func ParseColor(name string) (Color, error) {
	for c := range colorEnd {
		if colorNames[c] == name {
			return c, nil
		}
	}
	return ColorAuto, fmt.Errorf("color must be one of %s, got %q", strings.Join(colorNames[:], ", "), name)
}

// Wanted reports whether an output gets colours. "always" and "never" override the environment, which env looks up:
// NO_COLOR (unless empty) turns colours off; then FORCE_COLOR (unless empty, "0" or "false") turns them on everywhere;
// then TERM=dumb turns them off. Otherwise a terminal gets them.
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
