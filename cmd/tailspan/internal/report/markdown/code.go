package markdown

import (
	"fmt"
	"strings"
)

// cell is a text of one line as a code span in a table.
func cell(s string) string { return strings.ReplaceAll(code(s), "|", `\|`) } // a table takes the backslash away

// code is a text of one line as a code span.
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

// block is a text of any lines as a code block.
func block(s string) string {
	fence := strings.Repeat("`", max(longestRun(s)+1, 3))
	return fmt.Sprintf("%stext\n%s\n%s\n", fence, strings.TrimRight(s, "\n"), fence)
}

// longestRun is the length of the longest run of backticks.
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
