package otlpjson

// maxPlaceholder is the largest output of a model call that is taken for the API's first count, which comes before the
// model has said anything.
const maxPlaceholder = 8

// agentUsage is what one agent's span and its own model calls have of tokens.
type agentUsage struct {
	own   Tokens  // on its span
	calls Tokens  // on its model calls
	chats []int64 // the output of each model call that has some
}

// checkUsage holds that each token is on one span: what an agent's span has beside its model calls is no more than what the
// agent says it used, sub-agents included. Exports without such totals are not judged.
func (t *trace) checkUsage(report func(ProblemKind, *span)) {
	agents := map[*span]*agentUsage{}
	of := func(s *span) *agentUsage {
		u := agents[s]
		if u == nil {
			u = &agentUsage{}
			agents[s] = u
		}
		return u
	}
	for _, s := range t.spans {
		switch s.operation() {
		case operationAgent:
			of(s).own = s.tokens()
		case operationChat:
			if a := s.agent(); a != nil {
				u := of(a)
				u.calls.add(s.tokens())
				if n := s.tokens().Output; n > 0 {
					u.chats = append(u.chats, n)
				}
			}
		}
	}
	for _, s := range t.spans {
		u := agents[s]
		if u == nil {
			continue
		}
		total := Tokens{Input: number(s.Attributes(), attrTotalInput), Output: number(s.Attributes(), attrTotalOutput)}
		if total != (Tokens{}) && (twice(u.own.Input, u.calls.Input, total.Input) || twice(u.own.Output, u.calls.Output, total.Output)) {
			report(ProblemUsageTwice, s)
		}
		if u.placeholders() {
			report(ProblemPlaceholder, s)
		}
	}
}

// twice reports whether tokens on an agent's span are on its calls too. Calls alone may have more than the total: a second
// account of a run exports calls that the first one lacks, and changes nothing of the first.
func twice(own, calls, total int64) bool { return own > 0 && own+calls > total }

// placeholders reports whether the model calls look like having the API's first counts: all the same, of a few tokens, while
// the agent's span has the rest.
func (u *agentUsage) placeholders() bool {
	if len(u.chats) < 2 || u.own.Output == 0 {
		return false
	}
	for _, n := range u.chats {
		if n != u.chats[0] || n > maxPlaceholder {
			return false
		}
	}
	return true
}

// agent is the agent that a span belongs to, nil if there is none above it.
func (s *span) agent() *span {
	for p := range s.above {
		if p.operation() == operationAgent {
			return p
		}
	}
	return nil
}
