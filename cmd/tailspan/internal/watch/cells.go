package watch

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Styles: default colours and the first eight, which terminals make readable on a light and on a dark background.
func bold(s string) string    { return sgr("1", s) }
func faint(s string) string   { return sgr("2", s) }
func reverse(s string) string { return sgr("7", s) }
func red(s string) string     { return sgr("31", s) }
func green(s string) string   { return sgr("32", s) }
func yellow(s string) string  { return sgr("33", s) }

func sgr(code, s string) string {
	if s == "" {
		return ""
	}
	return "\x1b[" + code + "m" + s + "\x1b[m"
}

// plain removes the styles from s.
func plain(s string) string { return ansi.Strip(s) }

// cells returns the width of s.
func cells(s string) int { return ansi.StringWidth(s) }

// fit cuts s to a width.
func fit(s string, width int) string { return ansi.Truncate(s, max(0, width), "…") }

// fitEnd cuts s to the end that fits a width.
func fitEnd(s string, width int) string {
	if cells(s) <= width {
		return s
	}
	return ansi.TruncateLeft(s, max(0, cells(s)-max(1, width)+1), "…")
}

// pad appends blanks to s up to a width; padLeft prepends them.
func pad(s string, width int) string     { return s + strings.Repeat(" ", max(0, width-cells(s))) }
func padLeft(s string, width int) string { return strings.Repeat(" ", max(0, width-cells(s))) + s }

// join joins the non-empty parts.
func join(by string, parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, by)
}
