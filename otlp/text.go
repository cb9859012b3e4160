package otlp

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/events"
)

// ErrTextRunes bounds error texts in attributes and status messages, in runes.
const ErrTextRunes = 1024

func ToolName(name string) string {
	if name == "" {
		return events.UnknownTool
	}
	return name
}

// CutTarget cuts a target to limit runes. It cuts the beginning of a path, whose end is more specific, and the end of anything else.
func CutTarget(s string, limit int) string {
	if limit <= 0 || len(s) <= limit {
		return s
	}
	if !longer(s, limit) {
		return s
	}
	if !looksLikePath(s) {
		return events.CutRunes(s, limit)
	}
	i := len(s)
	for range limit - 1 {
		_, n := utf8.DecodeLastRuneInString(s[:i])
		i -= n
	}
	return "…" + s[i:]
}

// longer reports whether s has more than limit runes. It stops counting at the limit.
func longer(s string, limit int) bool {
	for range s {
		if limit--; limit < 0 {
			return true
		}
	}
	return false
}

// looksLikePath reports whether s is one word with a separator.
func looksLikePath(s string) bool {
	// Order matters: a command has a space near its beginning and may have no separator at all.
	return !strings.ContainsAny(s, " \t\n\"'|;&<>") && strings.ContainsAny(s, `/\`) && !strings.Contains(s, "://")
}

// CutLater keeps limit bytes of a content and one more, so that it is marked as cut later.
func CutLater(content []byte, limit int) string {
	return string(content[:min(len(content), limit+1)])
}

// validUTF8 replaces invalid UTF-8 in s.
func validUTF8(s string) string { return strings.ToValidUTF8(s, string(utf8.RuneError)) }

// cutBytes cuts s to at most limit bytes, never inside a rune. A limit of 0 means none.
func cutBytes(s string, limit int) (string, bool) {
	if limit <= 0 || len(s) <= limit {
		return s, false
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit], true
}

// NameBytes bounds names and IDs. pathBytes bounds an agent's folder, like operating systems do.
const (
	NameBytes = 256
	pathBytes = 4096
)

// domainName is the domain of the hash that replaces the end of a long name.
const domainName = "name"

// MakePlain makes an event acceptable to every back end: it bounds names and IDs and removes NUL bytes. OTLP allows
// those, but a back end that stores text in PostgreSQL rejects them, and with them the whole batch. Texts are not
// changed otherwise.
func MakePlain(ev *events.DisplayEvent) {
	for _, name := range [...]*string{
		&ev.SessionID, &ev.TurnID, &ev.MessageID, &ev.ItemID, &ev.ParentID, &ev.AgentID, &ev.Model, &ev.ModelProvider, &ev.Notice.Code,
	} {
		if *name != "" { // most are not
			Bound(name, NameBytes)
		}
	}
	dropNUL(&ev.Text)
	dropNUL(&ev.Reasoning)
	switch ev.Kind {
	case events.KindToolUse, events.KindToolResult, events.KindToolProgress:
		plainTool(&ev.Tool)
	}
	if ev.Session != nil {
		ev.Session = plainSession(*ev.Session)
	}
	if ev.End != nil {
		ev.End = plainEnd(*ev.End)
	}
	if u := ev.Usage; u != nil && !(isPlain(u.ServiceTier, NameBytes) && isPlain(u.Speed, NameBytes)) {
		ev.Usage = plainUsage(*u)
	}
	if ev.Approval != nil {
		a := *ev.Approval
		Bound(&a.ID, NameBytes)
		Bound(&a.Tool, NameBytes)
		dropNUL(&a.Subject)
		ev.Approval = &a
	}
	if ev.Ask != nil {
		ev.Ask = plainAsk(ev.Ask)
	}
}

// maxTokens is the largest plausible number of tokens of one usage. Calls use up to 10^7 and sessions up to 10^10. A
// larger number would hide the rest of a metric until it is reset.
const maxTokens = 1 << 40

// TooLarge reports whether a usage has more than maxTokens tokens of a type.
func TooLarge(u *events.Usage) bool {
	return u != nil && max(u.Tokens.Input, u.Tokens.Output, u.Tokens.CacheRead, u.Tokens.CacheWrite, u.Tokens.Reasoning) > maxTokens
}

func plainTool(t *events.Tool) {
	for _, name := range [...]*string{&t.ID, &t.Name, &t.AgentType, &t.AgentID, &t.Server} {
		if *name != "" {
			Bound(name, NameBytes)
		}
	}
	dropNUL(&t.Target)
	dropNUL(&t.Summary)
	dropNUL(&t.Err)
}

func plainSession(s events.Session) *events.Session {
	for _, name := range [...]*string{&s.Version, &s.PermissionMode, &s.PreviousID, &s.ParentID, &s.AgentName, &s.Branch} {
		Bound(name, NameBytes)
	}
	Bound(&s.WorkingDir, pathBytes)
	return &s
}

func plainUsage(u events.Usage) *events.Usage {
	Bound(&u.ServiceTier, NameBytes)
	Bound(&u.Speed, NameBytes)
	return &u
}

func plainEnd(e events.End) *events.End {
	Bound(&e.Code, NameBytes)
	for _, text := range [...]*string{&e.Result, &e.Err, &e.Principle} {
		dropNUL(text)
	}
	return &e
}

func plainAsk(of *events.Ask) *events.Ask {
	a := events.Ask{ID: of.ID}
	Bound(&a.ID, NameBytes)
	for _, q := range of.Questions {
		Bound(&q.ID, NameBytes)
		dropNUL(&q.Header)
		dropNUL(&q.Prompt)
		options := make([]events.AskOption, 0, len(q.Options))
		for _, o := range q.Options {
			dropNUL(&o.Label)
			dropNUL(&o.Description)
			options = append(options, o)
		}
		q.Options = options
		a.Questions = append(a.Questions, q)
	}
	for _, an := range of.Answers {
		Bound(&an.QuestionID, NameBytes)
		selected := make([]string, 0, len(an.Selected))
		for _, s := range an.Selected {
			dropNUL(&s)
			selected = append(selected, s)
		}
		an.Selected = selected
		a.Answers = append(a.Answers, an)
	}
	return &a
}

// Bound cuts a name to at most limit bytes. The result ends with a hash of the whole, so that different names stay different.
func Bound(name *string, limit int) {
	dropNUL(name)
	if len(*name) <= limit {
		return
	}
	sum := Hash(domainName, 0, *name)
	tail := "~" + hex.EncodeToString(sum[:8])
	end := limit - len(tail)
	for end > 0 && !utf8.RuneStart((*name)[end]) {
		end--
	}
	*name = (*name)[:end] + tail
}

// isPlain reports whether [Bound] does not change a name.
func isPlain(name string, limit int) bool {
	return len(name) <= limit && strings.IndexByte(name, 0) < 0
}

// dropNUL removes NUL bytes.
func dropNUL(s *string) {
	if strings.IndexByte(*s, 0) >= 0 {
		*s = strings.ReplaceAll(*s, "\x00", "")
	}
}

// Str returns a text attribute, or an empty string.
func Str(m pcommon.Map, key string) string {
	if v, ok := m.Get(key); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}

func PutStr(m pcommon.Map, key, value string) {
	if value != "" {
		m.PutStr(key, value)
	}
}

func PutTrue(m pcommon.Map, key string, value bool) {
	if value {
		m.PutBool(key, true)
	}
}
