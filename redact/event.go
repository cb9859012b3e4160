package redact

import (
	"slices"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/redact/internal/find"
	"github.com/tailspan/tailspan/redact/internal/text"
)

// Event removes secrets from every text of e, including names and IDs, and counts them. Different IDs stay different.
// It modifies e but not what e points to: a changed payload is a copy.
func (r *Redactor) Event(e *events.DisplayEvent) (count int) {
	return r.event(e, &seen{})
}

// event does the same for the next event of a stream.
func (r *Redactor) event(e *events.DisplayEvent, seen *seen) (count int) {
	if !r.skips(e.Kind) {
		count += r.field(&e.Text)
	}
	if !r.skipReasoning {
		count += r.field(&e.Reasoning)
	}
	count += r.nameFields(e, seen) + r.idFields(e, seen)
	count += r.tool(&e.Tool)
	count += r.usage(&e.Usage) + r.session(&e.Session) + r.end(&e.End) + r.approval(&e.Approval) + r.ask(&e.Ask)
	return count
}

// skips reports whether the text of a kind of event is not exported.
func (r *Redactor) skips(k events.Kind) bool {
	return k == events.KindReasoning && r.skipReasoning || k == events.KindPrompt && r.skipPrompts
}

// field removes the secrets from one text.
func (r *Redactor) field(s *string) int {
	out, n := r.redact(*s, 0, false)
	*s = out
	return n
}

func (r *Redactor) usage(p **events.Usage) int {
	if *p == nil {
		return 0
	}
	tier, speed := (*p).ServiceTier, (*p).Speed
	n := r.field(&tier) + r.field(&speed)
	if n > 0 {
		c := **p
		c.ServiceTier, c.Speed = tier, speed
		*p = &c
	}
	return n
}

func (r *Redactor) session(p **events.Session) int {
	if *p == nil {
		return 0
	}
	c := **p
	n := r.id(&c.PreviousID) + r.id(&c.ParentID)
	for _, s := range []*string{&c.WorkingDir, &c.Branch, &c.Version, &c.PermissionMode, &c.AgentName} {
		n += r.field(s)
	}
	if n > 0 {
		changed := c
		*p = &changed
	}
	return n
}

func (r *Redactor) end(p **events.End) int {
	if *p == nil {
		return 0
	}
	changed := **p
	n := 0
	for _, s := range [...]*string{&changed.Result, &changed.Err, &changed.Principle, &changed.Code, (*string)(&changed.Cause)} {
		n += r.field(s)
	}
	if changed.Totals != nil {
		usage := &changed.Totals.Usage
		if found := r.usage(&usage); found > 0 {
			totals := *changed.Totals
			totals.Usage, changed.Totals = *usage, &totals
			n += found
		}
	}
	if n > 0 {
		end := changed
		*p = &end
	}
	return n
}

func (r *Redactor) approval(p **events.Approval) int {
	if *p == nil {
		return 0
	}
	id, tool, subject := (*p).ID, (*p).Tool, (*p).Subject
	n := r.id(&id) + r.field(&tool) + r.field(&subject)
	if n > 0 {
		c := **p
		c.ID, c.Tool, c.Subject = id, tool, subject
		*p = &c
	}
	return n
}

func (r *Redactor) ask(p **events.Ask) (count int) {
	if *p == nil {
		return 0
	}
	c := events.Ask{ID: (*p).ID, Questions: slices.Clone((*p).Questions), Answers: slices.Clone((*p).Answers)}
	count += r.id(&c.ID)
	for i := range c.Questions {
		q := &c.Questions[i]
		count += r.id(&q.ID)
		count += r.field(&q.Header) + r.field(&q.Prompt)
		q.Options = slices.Clone(q.Options)
		for j := range q.Options {
			count += r.field(&q.Options[j].Label) + r.field(&q.Options[j].Description)
		}
	}
	for i := range c.Answers {
		count += r.id(&c.Answers[i].QuestionID)
		c.Answers[i].Selected = slices.Clone(c.Answers[i].Selected)
		for j := range c.Answers[i].Selected {
			count += r.field(&c.Answers[i].Selected[j])
		}
	}
	if count > 0 {
		*p = &c
	}
	return count
}

func (r *Redactor) tool(t *events.Tool) (count int) {
	count += r.field(&t.Target) + r.field(&t.Err)
	count += r.summary(t)
	if r.dropInput {
		t.Input = nil
	}
	if r.dropOutput {
		t.Output = nil
	}
	count += r.borrowed(&t.Input) + r.borrowed(&t.Output)
	return count
}

func (r *Redactor) borrowed(b *[]byte) int {
	if !dirty(r, *b) {
		return 0
	}
	out, n := r.redact(string(*b), 0, false)
	if n > 0 {
		*b = []byte(out)
	}
	return n
}

// maxSummaryHead is how much of an output is read to compute its summary again, in bytes. Sources provide that much of
// each output with a cut summary.
const maxSummaryHead = events.OutputHead

// summaryReach is how far beyond the summary's end the output is searched first, in bytes. A secret that begins in the
// summary either ends there or reaches the end of the searched text.
const summaryReach = 512

// dirtyHead reports whether an output may hold a secret that begins in its first line; head is the beginning of that
// line. Outputs are frequent and long, and for most of them the text near that line is enough.
func dirtyHead(r *Redactor, output []byte, head string) bool {
	at := text.Skip(output, 0, len(output), text.Space)
	near := min(len(output), at+len(head)+summaryReach)
	if near == len(output) || len(r.rules) > 0 || string(output[at:at+len(head)]) != head {
		return dirty(r, output)
	}
	var f find.Finder[[]byte]
	f.Init(r.search, output[:near], true)
	if isDocument(output) {
		return f.Anchored() || escapesControl(f.S)
	}
	_, found := f.Next(0)
	return found || f.Again()
}

// summary redacts a summary. A cut summary may end in half a secret, which is recognizable only with the other half. So it
// is computed again from the output, if that yields the same summary. A secret that reaches the end of the summary is
// redacted in any case.
func (r *Redactor) summary(t *events.Tool) (count int) {
	const ellipsis = "…"
	head, whole := strings.CutSuffix(t.Summary, ellipsis)
	if !whole {
		return r.field(&t.Summary)
	}
	if n := min(len(t.Output), maxSummaryHead); n > 0 && dirtyHead(r, t.Output[:n], head) {
		output := strings.ToValidUTF8(string(t.Output[:n]), "")
		if events.Summary(output) == t.Summary {
			output, count = r.redact(output, 0, false)
			t.Summary = events.Summary(output)
			if head, whole = strings.CutSuffix(t.Summary, ellipsis); !whole {
				return count
			}
		}
	}
	out, n := r.redact(head, 0, true)
	if n > 0 {
		t.Summary = out + ellipsis
	}
	return count + n
}
