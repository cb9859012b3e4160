package report

import (
	"cmp"
	"slices"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/events"
)

// finish orders the items of a run and collects the data of its header.
func (r *Run) finish() {
	if r.Failed && r.Problem != "" {
		r.Problems = append(r.Problems, Problem{At: r.End, What: cmp.Or(r.ErrorType, "error"), Detail: r.Problem})
	}
	r.walk(&r.Agent, "")
	r.Verdict = r.facts.Verdict()
	r.Verdict.Reason = oneLine(r.Verdict.Reason)
	slices.SortStableFunc(r.Problems, func(a, b Problem) int { return a.At.Compare(b.At) })
	for _, item := range r.Items {
		switch {
		case item.Kind == events.KindPrompt && r.Prompt == "" && !item.Synthetic:
			r.Prompt = oneLine(events.Summary(item.Text.Text))
		case item.Kind == events.KindText:
			r.LastWords = &item.Text
		}
	}
	if r.Result != nil {
		r.LastWords = r.Result
	}
}

// walk orders the items of an agent and of all its sub-agents, and collects their problems.
func (r *Run) walk(a *Agent, name string) {
	a.Items = inOrder(a.Items)
	r.facts.Words += a.said.words
	r.facts.Compactions += a.said.compactions
	slices.SortStableFunc(a.Chats, func(x, y *Chat) int { return x.Start.Compare(y.Start) })
	r.ModelCalls += len(a.Chats)
	for _, chat := range a.Chats {
		if chat.Failed {
			r.Problems = append(r.Problems, Problem{
				ItemID: chat.ID, At: chat.End, Agent: name, What: "model call " + chat.Model, Detail: cmp.Or(chat.Problem, chat.ErrorType),
			})
		}
	}
	for _, item := range a.Items {
		switch {
		case item.Call != nil:
			r.walkCall(item.Call, name)
		case item.Agent != nil:
			r.walkAgent(item.Agent)
		case item.Kind == events.KindNotice && item.Level == events.LevelError:
			r.Problems = append(r.Problems, Problem{ItemID: item.ID, At: item.At, Agent: name, What: "notice", Detail: oneLine(item.Text.Text)})
		}
	}
}

func (r *Run) walkCall(call *Call, name string) {
	r.facts.Ended(verdict.EndedCall{Tool: call.Tool, Target: call.Target, Start: call.Start, Reason: call.Closed, ErrorType: call.ErrorType})
	r.Calls++
	switch {
	case call.Denied:
		r.CallsDenied++
	case call.Failed:
		r.CallsFailed++
	}
	if call.Failed || call.Denied {
		r.Problems = append(r.Problems, Problem{
			ItemID: call.ID, At: call.End, Agent: name, What: call.Tool, Target: call.Target,
			Detail: cmp.Or(call.Problem, call.Result()), Denied: call.Denied,
		})
	}
	slices.SortStableFunc(call.Agents, func(x, y *Agent) int { return x.Start.Compare(y.Start) })
	for _, sub := range call.Agents {
		r.walkAgent(sub)
	}
}

func (r *Run) walkAgent(a *Agent) {
	r.Agents++
	if a.Failed {
		r.Problems = append(r.Problems, Problem{
			ItemID: a.ID, At: a.End, Agent: a.Name, What: "sub-agent " + a.Name, Detail: cmp.Or(a.Problem, a.ErrorType),
		})
	}
	r.walk(a, a.Name)
}
