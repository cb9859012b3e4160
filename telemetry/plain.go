package telemetry

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
)

// nameBytes bounds names and ids, in bytes; pathBytes bounds the folder that an agent works in, as systems do.
const (
	nameBytes = 256
	pathBytes = 4096
)

// domainName is the domain of the hash that stands for the rest of a long name.
const domainName = "name"

// makePlain makes of an event what every backend takes: names and ids of a bounded length, and no NUL bytes. OTLP allows
// those, but a backend that stores text in PostgreSQL refuses them, and with them the whole batch. Nothing else of a text is
// touched.
func makePlain(ev *events.DisplayEvent) {
	for _, name := range [...]*string{
		&ev.SessionID, &ev.TurnID, &ev.MessageID, &ev.ItemID, &ev.ParentID, &ev.AgentID, &ev.Model, &ev.ModelProvider, &ev.Notice.Code,
	} {
		if *name != "" { // most are
			bound(name, nameBytes)
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
	if u := ev.Usage; u != nil && !(isPlain(u.ServiceTier, nameBytes) && isPlain(u.Speed, nameBytes)) {
		ev.Usage = plainUsage(*u)
	}
	if ev.Approval != nil {
		a := *ev.Approval
		bound(&a.ID, nameBytes)
		bound(&a.Tool, nameBytes)
		dropNUL(&a.Subject)
		ev.Approval = &a
	}
	if ev.Ask != nil {
		ev.Ask = plainAsk(ev.Ask)
	}
}

// maxTokens is the largest number of tokens of one usage. Calls use up to 10^7, sessions up to 10^10; a line that reports
// more would be all that is seen of a metric until it begins anew.
const maxTokens = 1 << 40

// tooLarge reports whether a usage has more tokens than that.
func tooLarge(u *events.Usage) bool {
	return u != nil && max(u.Tokens.Input, u.Tokens.Output, u.Tokens.CacheRead, u.Tokens.CacheWrite, u.Tokens.Reasoning) > maxTokens
}

func plainTool(t *events.Tool) {
	for _, name := range [...]*string{&t.ID, &t.Name, &t.AgentType, &t.AgentID, &t.Server} {
		if *name != "" {
			bound(name, nameBytes)
		}
	}
	dropNUL(&t.Target)
	dropNUL(&t.Summary)
	dropNUL(&t.Err)
}

func plainSession(s events.Session) *events.Session {
	for _, name := range [...]*string{&s.Version, &s.PermissionMode, &s.PreviousID, &s.ParentID, &s.AgentName, &s.Branch} {
		bound(name, nameBytes)
	}
	bound(&s.WorkingDir, pathBytes)
	return &s
}

func plainUsage(u events.Usage) *events.Usage {
	bound(&u.ServiceTier, nameBytes)
	bound(&u.Speed, nameBytes)
	return &u
}

func plainEnd(e events.End) *events.End {
	bound(&e.Code, nameBytes)
	for _, text := range [...]*string{&e.Result, &e.Err, &e.Principle} {
		dropNUL(text)
	}
	return &e
}

func plainAsk(of *events.Ask) *events.Ask {
	a := events.Ask{ID: of.ID}
	bound(&a.ID, nameBytes)
	for _, q := range of.Questions {
		bound(&q.ID, nameBytes)
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
		bound(&an.QuestionID, nameBytes)
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

// bound cuts a name that is longer than limit bytes. A hash of the whole ends it, so that two that differ still do.
func bound(name *string, limit int) {
	dropNUL(name)
	if len(*name) <= limit {
		return
	}
	sum := hash(domainName, 0, *name)
	tail := "~" + hex.EncodeToString(sum[:8])
	end := limit - len(tail)
	for end > 0 && !utf8.RuneStart((*name)[end]) {
		end--
	}
	*name = (*name)[:end] + tail
}

// isPlain reports whether [bound] leaves a name as it is.
func isPlain(name string, limit int) bool {
	return len(name) <= limit && strings.IndexByte(name, 0) < 0
}

// dropNUL takes NUL bytes out.
func dropNUL(s *string) {
	if strings.IndexByte(*s, 0) >= 0 {
		*s = strings.ReplaceAll(*s, "\x00", "")
	}
}
