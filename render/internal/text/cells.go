package text

import (
	"github.com/mattn/go-runewidth"
)

// The width of text is counted in the cells of a terminal. The counter takes ambiguous characters as narrow whatever the
// locale is, since terminals do.

// Cells is how many cells a safe line takes.
func Cells(s string) int { return counter().StringWidth(s) }

// Fit cuts a safe line to a width in cells, the last being "…" where something was cut; never inside what is shown as one
// character.
func Fit(s string, width int) string {
	if width <= 0 {
		return ""
	}
	return counter().Truncate(s, width, "…")
}

// FitOr is Fit, but for a width of 0 or less, which sets no limit.
func FitOr(s string, width int) string {
	if width <= 0 {
		return s
	}
	return Fit(s, width)
}

// FitEnd cuts the beginning of a safe line, the first cell being "…" where something was cut.
func FitEnd(s string, width int) string { return counter().TruncatePrefix(s, width, "…") }

func counter() *runewidth.Condition { return &runewidth.Condition{StrictEmojiNeutral: true} }
