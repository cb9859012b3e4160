package text

import (
	"github.com/mattn/go-runewidth"
)

// The width of text is measured in terminal cells. Ambiguous characters count as narrow in every locale, since terminals
// display them so.

// Cells returns the number of cells that a safe line takes.
func Cells(s string) int { return counter().StringWidth(s) }

// Fit cuts a safe line to a width in cells; the last cell is "…" if it cut. It never cuts inside what is displayed as one
// character.
func Fit(s string, width int) string {
	if width <= 0 {
		return ""
	}
	return counter().Truncate(s, width, "…")
}

// FitOr is Fit, except that a width of 0 or less sets no limit.
func FitOr(s string, width int) string {
	if width <= 0 {
		return s
	}
	return Fit(s, width)
}

// FitEnd cuts the beginning of a safe line; the first cell is "…" if it cut.
func FitEnd(s string, width int) string { return counter().TruncatePrefix(s, width, "…") }

func counter() *runewidth.Condition { return &runewidth.Condition{StrictEmojiNeutral: true} }
