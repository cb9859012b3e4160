package redact

import (
	"slices"
	"strings"

	"github.com/tailspan/tailspan/events"
)

// Event takes secrets out of every free text of e and counts them. Ids, names of tools and models, codes and numbers stay.
// e is changed in place; what it points to is not: a changed payload is a copy.
func (r *Redactor) Event(e *events.DisplayEvent) (count int) {
	count += r.field(&e.Text) + r.field(&e.Reasoning)
	count += r.tool(&e.Tool)
	if e.Session != nil {
		count += changed(&e.Session, r.session)
	}
	if e.End != nil {
		count += changed(&e.End, r.end)
	}
	if e.Approval != nil {
		count += changed(&e.Approval, r.approval)
	}
	if e.Ask != nil {
		count += changed(&e.Ask, r.ask)
	}
	return count
}

// field takes the secrets out of one text.
func (r *Redactor) field(s *string) int {
	out, n := r.redact(*s, 0, false)
	*s = out
	return n
}

// changed puts a copy in the place of a payload if f changes something in it.
func changed[P any](p **P, f func(*P) int) int {
	c := **p
	n := f(&c)
	if n > 0 {
		kept := c
		*p = &kept
	}
	return n
}

func (r *Redactor) session(s *events.Session) int { return r.field(&s.WorkingDir) + r.field(&s.Branch) }

func (r *Redactor) end(e *events.End) int {
	return r.field(&e.Result) + r.field(&e.Err) + r.field(&e.Principle)
}

func (r *Redactor) approval(a *events.Approval) int { return r.field(&a.Subject) }

func (r *Redactor) ask(a *events.Ask) (count int) {
	a.Questions, a.Answers = slices.Clone(a.Questions), slices.Clone(a.Answers)
	for i := range a.Questions {
		q := &a.Questions[i]
		count += r.field(&q.Header) + r.field(&q.Prompt)
		q.Options = slices.Clone(q.Options)
		for j := range q.Options {
			count += r.field(&q.Options[j].Label) + r.field(&q.Options[j].Description)
		}
	}
	for i := range a.Answers {
		a.Answers[i].Selected = slices.Clone(a.Answers[i].Selected)
		for j := range a.Answers[i].Selected {
			count += r.field(&a.Answers[i].Selected[j])
		}
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

// maxSummaryHead is how much of an output is looked at to make its summary again, in bytes.
const maxSummaryHead = 8 << 10

// summary takes the secrets out of a summary. One that was cut may end in half a secret, which shows what it is only by
// the half that is gone: it is made again from the output, where that gives the same summary, and whatever secret
// begins in it and reaches its end goes in any case.
func (r *Redactor) summary(t *events.Tool) (count int) {
	const ellipsis = "…"
	head, whole := strings.CutSuffix(t.Summary, ellipsis)
	if !whole {
		return r.field(&t.Summary)
	}
	if n := min(len(t.Output), maxSummaryHead); n > 0 && dirty(r, t.Output[:n]) {
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
