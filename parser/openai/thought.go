package openai

import "strings"

// thoughtTags are the tags around thinking that a server left in the content.
var thoughtTags = [...]string{"think", "thinking", "thought"}

// splitThought takes the block of thinking off the head of a text, and the blanks behind it. A block that is never
// closed, since a limit cut the answer, is all there is.
func splitThought(text string) (thought, rest string) {
	head := strings.TrimLeft(text, " \t\r\n")
	if !strings.HasPrefix(head, "<") {
		return "", text
	}
	for _, tag := range thoughtTags {
		if !strings.HasPrefix(head[1:], tag) || !strings.HasPrefix(head[1+len(tag):], ">") {
			continue
		}
		inside := head[len(tag)+2:]
		thought, rest, _ = strings.Cut(inside, "</"+tag+">")
		return thought, strings.TrimLeft(rest, " \t\r\n")
	}
	return "", text
}
