package content

import "github.com/tailspan/tailspan/events"

// fixedBytes is the approximate size of an event without its texts.
const fixedBytes = 1 << 10

// Size returns the approximate size of an event in bytes.
func Size(ev *events.DisplayEvent) int {
	n := fixedBytes + len(ev.Text) + len(ev.Reasoning)
	t := &ev.Tool
	n += len(t.Target) + len(t.Input) + len(t.Output) + len(t.Summary) + len(t.Err)
	if e := ev.End; e != nil {
		n += len(e.Result) + len(e.Err) + len(e.Principle)
	}
	if a := ev.Approval; a != nil {
		n += len(a.Subject)
	}
	if ev.Ask != nil {
		n += sizeOfAsk(ev.Ask)
	}
	return n
}

func sizeOfAsk(a *events.Ask) (n int) {
	for i := range a.Questions {
		q := &a.Questions[i]
		n += len(q.Header) + len(q.Prompt)
		for _, option := range q.Options {
			n += len(option.Label) + len(option.Description)
		}
	}
	for i := range a.Answers {
		for _, selected := range a.Answers[i].Selected {
			n += len(selected)
		}
	}
	return n
}
