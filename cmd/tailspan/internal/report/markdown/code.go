package markdown

import (
	"fmt"
	"strings"
)

// cell formats a line of text as a code span in a table.
func cell(s string) string { return strings.ReplaceAll(code(s), "|", `\|`) } // a table removes the backslash

// code formats a line of text as a code span.
func code(s string) string {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\n", " "))
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// block formats a text as a code block.
func block(s string) string {
	fence := strings.Repeat("`", max(longestRun(s)+1, 3))
	return fmt.Sprintf("%stext\n%s\n%s\n", fence, strings.TrimRight(s, "\n"), fence)
}

// longestRun returns the length of the longest sequence of backticks.
func longestRun(s string) (longest int) {
	run := 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
