package codex

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// userItem emits a message in the user's name: one prompt a text. R4 names for each text who made it.
func (p *Parser) userItem(m scan.Members) {
	if content := m.Get("content"); content.Kind == scan.KindString {
		p.countedPrompt(m.Get("id"), p.Strings.Text(content), false)
		return
	}
	p.Nested = p.Scanner.MembersOf(m.Get("internal_chat_message_metadata_passthrough"), p.Nested[:0])
	makers := p.makers(p.Nested.Get("content_item_kinds"))
	p.eachText(m.Get("content"), func(n int, kind, text scan.Value) {
		if !kind.Is("input_text") {
			return
		}
		program := n < len(makers) && !strings.HasPrefix(makers[n], "user.")
		p.countedPrompt(m.Get("id"), p.Strings.Text(text), program)
	})
}

// makers lists who made each block of a message, such as "user.text" or "environments.environment_context".
func (p *Parser) makers(kinds scan.Value) []string {
	if kinds.Kind != scan.KindArray {
		return nil
	}
	var makers []string
	s := &p.Scanner
	s.Reset(kinds.Raw)
	for s.Array(); s.Element() && len(makers) < scan.MaxMembers; {
		makers = append(makers, p.Strings.Intern(s.Value()))
	}
	return makers
}

// countedPrompt emits a prompt of a response item, unless a user_message had it.
func (p *Parser) countedPrompt(id scan.Value, text string, program bool) {
	if p.paired(text, 1) {
		p.prompt(id, text, program)
	}
}

// userMessage emits a prompt of a user_message, unless a response item had it. Some versions write only one of the two,
// and their order varies.
func (p *Parser) userMessage(text string) {
	if p.paired(text, -1) {
		p.prompt(scan.Value{}, text, false)
	}
}

// paired counts a prompt under one of its two record types, 1 or -1, and reports whether it has no unpaired twin under
// the other.
func (p *Parser) paired(text string, of int) bool {
	key := p.Keys.String(domainPrompt, text)
	ahead, _ := p.prompts.Get(key)
	p.prompts.Set(key, ahead+of)
	return ahead*of >= 0
}

// prompt gives what went to the model in the user's name.
func (p *Parser) prompt(id scan.Value, text string, program bool) {
	if lines.Blank(text) || isImageTag(text) {
		return
	}
	e := p.Emit(events.KindPrompt)
	e.ItemID, e.Text = p.Strings.Text(id), text
	e.Synthetic = program || isEnvelope(text)
}

// envelopes are the beginnings of what the program puts in the user's name. Before R4 nothing else marks it.
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

// isImageTag recognises the texts before and behind a picture of a prompt.
func isImageTag(text string) bool {
	return text == "</image>" || strings.HasPrefix(text, "<image ") && strings.HasSuffix(text, ">") || text == "<image>"
}
