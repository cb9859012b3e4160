package render

import "github.com/mattn/go-runewidth"

// The width of text is counted in the cells of a terminal. The counter takes ambiguous characters as narrow whatever the
// locale is, since terminals do.

// cells is how many cells a safe line takes.
func cells(s string) int { return counter().StringWidth(s) }

// fit cuts a safe line to a width in cells, the last being "…" where something was cut; never inside what is shown as one
// character.
func fit(s string, width int) string {
	if width <= 0 {
		return ""
	}
	return counter().Truncate(s, width, "…")
}

// fitOr is fit, but for a width of 0 or less, which sets no limit.
func fitOr(s string, width int) string {
	if width <= 0 {
		return s
	}
	return fit(s, width)
}

// fitEnd cuts the beginning of a safe line, the first cell being "…" where something was cut.
func fitEnd(s string, width int) string { return counter().TruncatePrefix(s, width, "…") }

func counter() *runewidth.Condition { return &runewidth.Condition{StrictEmojiNeutral: true} }
