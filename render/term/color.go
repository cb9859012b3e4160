package term

import (
	"fmt"
	"strings"
)

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
