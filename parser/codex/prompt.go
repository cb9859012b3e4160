package codex

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// prompts handles the messages in the user's name, so that each is emitted once.
type prompts struct {
	*line
	byText memory.Table[int] // by text, the number of response items minus the number of events
}

// userItem emits a message in the user's name, one prompt per text. R4 names the author of each text.
func (pr *prompts) userItem(m scan.Members) {
	if content := m.Get("content"); content.Kind == scan.KindString {
		pr.countedPrompt(m.Get("id"), pr.Strings.Text(content), false)
		return
	}
	pr.Nested = pr.Scanner.MembersOf(m.Get("internal_chat_message_metadata_passthrough"), pr.Nested[:0])
	makers := pr.makers(pr.Nested.Get("content_item_kinds"))
	pr.eachText(m.Get("content"), func(n int, kind, text scan.Value) {
		if !kind.Is("input_text") {
			return
		}
		program := n < len(makers) && !strings.HasPrefix(makers[n], "user.")
		pr.countedPrompt(m.Get("id"), pr.Strings.Text(text), program)
	})
}

// makers returns the author of each block of a message, such as "user.text" or "environments.environment_context".
func (pr *prompts) makers(kinds scan.Value) []string {
	if kinds.Kind != scan.KindArray {
		return nil
	}
	var makers []string
	s := &pr.Scanner
	s.Reset(kinds.Raw)
	for s.Array(); s.Element() && len(makers) < scan.MaxMembers; {
		makers = append(makers, pr.Strings.Intern(s.Value()))
	}
	return makers
}

// countedPrompt emits a prompt of a response item, unless a user_message had it.
func (pr *prompts) countedPrompt(id scan.Value, text string, program bool) {
	if pr.paired(text, 1) {
		pr.prompt(id, text, program)
	}
}

// userMessage emits a prompt of a user_message, unless a response item had it. Some versions write only one of the two,
// and their order varies.
func (pr *prompts) userMessage(text string) {
	if pr.paired(text, -1) {
		pr.prompt(scan.Value{}, text, false)
	}
}

// paired counts a prompt under one of its two record types, 1 or -1. It returns true if no earlier record of the other
// type is left to pair it with.
func (pr *prompts) paired(text string, of int) bool {
	key := pr.Keys.String(domainPrompt, text)
	ahead, _ := pr.byText.Get(key)
	pr.byText.Set(key, ahead+of)
	return ahead*of >= 0
}

// prompt emits what was sent to the model in the user's name.
func (pr *prompts) prompt(id scan.Value, text string, program bool) {
	if lines.Blank(text) || isImageTag(text) {
		return
	}
	e := pr.Emit(events.KindPrompt)
	e.ItemID, e.Text = pr.Strings.Text(id), text
	e.Synthetic = program || isEnvelope(text)
}

// envelopes are the beginnings of what the program inserts in the user's name. Before R4 nothing else marks it.
var envelopes = [...]string{
	"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<INSTRUCTIONS>", "<turn_aborted>",
	"<subagent_notification>", "<user_shell_command>", "<skill>", "<permissions instructions>",
}

func isEnvelope(text string) bool {
	for _, e := range envelopes {
		if strings.HasPrefix(text, e) {
			return true
		}
	}
	return false
}

// isImageTag reports whether a text is one of those around an image in a prompt.
func isImageTag(text string) bool {
	return text == "</image>" || strings.HasPrefix(text, "<image ") && strings.HasSuffix(text, ">") || text == "<image>"
}
