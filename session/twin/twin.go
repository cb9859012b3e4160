package twin

import (
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/pending"
)

// Signer makes the signs of one stream.
type Signer struct {
	Seen     *exported.Seen // its hashes and the memory of the stream
	Provider string
	// StreamIDs is true if the program's stream has IDs that its transcript lacks: other programs have no twins.
	StreamIDs bool
	// CallIDs is true if calls nevertheless have the same ID in both.
	CallIDs bool
}

// Signs returns the signs of what the model said or did on the main thread, or none. The sign of a text is its
// beginning, which is equal in accounts that split it differently. The sign of a call is its target and the kind of its
// tool, because IDs alone prove nothing and tools have two names. Without a target it is its tool.
func (s *Signer) Signs(session string, ev *events.DisplayEvent) (signs []uint64) {
	if !s.StreamIDs || session == "" || !content.ModelWorks(ev) {
		return nil
	}
	add := func(parts ...string) {
		parts = append(parts, "sign", s.Provider, session)
		signs = append(signs, s.Seen.Mark(parts))
	}
	switch ev.Kind {
	case events.KindToolUse:
		tool, target := toolAlone(ev.Tool.Name), ev.Tool.Target
		if target == "" {
			add("tool", tool)
			break
		}
		if !strings.ContainsAny(target, " \n") {
			target = path.Base(target) // a file, whose path may be relative to the agent's folder
		}
		add("target", otlp.ToolKind(tool, "", false), target)
	case events.KindText, events.KindReasoning:
		if begin := beginningOf(ev.Text); begin != "" {
			add(ev.Kind.String(), begin)
		}
	}
	return signs
}

// toolAlone returns the name of a tool without its server, which only one of the accounts may prepend
// (mcp__server__tool).
func toolAlone(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 {
		return name[i+2:]
	}
	return name
}

// beginningRunes is the length of a text's beginning.
const beginningRunes = 16

// beginningOf returns the beginning of a text's first line, without invisible characters and white space.
func beginningOf(text string) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.TrimLeftFunc(text, func(r rune) bool { return !visible(r) }) {
		if r == '\n' || n == beginningRunes {
			break
		}
		if visible(r) {
			b.WriteRune(r)
			n++
		}
	}
	return b.String()
}

// visible reports whether a character counts in comparisons of texts: the accounts of an agent may differ in all others.
func visible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// Opening returns the signs of the run that begins with p. Signs of reasoning do not suffice, because the other account may have none.
func (s *Signer) Opening(session string, p pending.Events) (signs []uint64) {
	for i := range p {
		ev := &p[i].Event
		own := s.Signs(session, ev)
		if signs = append(signs, own...); len(own) > 0 && ev.Kind != events.KindReasoning {
			break
		}
	}
	return signs
}

// Call counts a call among the similar ones of its run and returns its sign with its number: similar calls have the same sign alike
// and, if both accounts have the IDs of calls, the same ID.
func (s *Signer) Call(similar *memory.Counter, ev *events.DisplayEvent, alike uint64) uint64 {
	call := strconv.FormatUint(alike, 16)
	if s.CallIDs {
		call += ev.Tool.ID
	}
	return s.Seen.Mark([]string{call, strconv.Itoa(s.Seen.Nth(similar, call)), "nth"})
}
