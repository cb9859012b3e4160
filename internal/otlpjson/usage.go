package otlpjson

// maxPlaceholder is the largest output of a model call that counts as the API's first count, from before the model has said
// anything.
const maxPlaceholder = 8

// agentUsage is the tokens of one agent's span and its own model calls.
type agentUsage struct {
	own   Tokens  // on its span
	calls Tokens  // on its model calls
	chats []int64 // the output of each model call that has some
}

// checkUsage checks that each token is on one span: an agent's span and its model calls together carry no more than the agent
// reports as used, including sub-agents. Exports without such totals are not checked. The spans are in the order of export.
func (t *trace) checkUsage(report func(ProblemKind, *span)) {
	agents, late := map[*span]*agentUsage{}, t.lateCalls()
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
			if a := s.agent(); a != nil && !late[s] {
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
		total := s.total() // if it is marked, later calls are not in it
		counted := twice(u.own.Input, u.calls.Input, total.Input) || twice(u.own.Output, u.calls.Output, total.Output)
		if counted && total != (Tokens{}) && !s.has(attrIncomplete) {
			report(ProblemUsageTwice, s)
		}
		if u.placeholders() {
			report(ProblemPlaceholder, s)
		}
	}
	t.checkTotals(late, report)
}

// lateCalls returns the model calls that were exported after their agent, whose total they are not in.
func (t *trace) lateCalls() map[*span]bool {
	agents, late := map[*span]bool{}, map[*span]bool{}
	for _, s := range t.spans {
		switch s.operation() {
		case operationAgent:
			agents[s] = true
		case operationChat:
			late[s] = agents[s.agent()]
		}
	}
	return late
}

// checkTotals checks that the total of each run is the sum of its spans, unless it is marked as incomplete. A second account
// of a run adds calls that are in no total, so a run whose own calls exceed its total is not checked. Nor are sub-agents whose
// call was not seen, because they may have been found after the run.
func (t *trace) checkTotals(late map[*span]bool, report func(ProblemKind, *span)) {
	type sums struct{ all, known, calls Tokens }
	runs := map[*span]*sums{}
	for _, s := range t.spans {
		top, unlinked, depth := s, s.unlinked(), 0
		for p := range s.above {
			if p.operation() == operationAgent {
				top = p
				depth++
			}
			unlinked = unlinked || p.unlinked()
		}
		if runs[top] == nil {
			runs[top] = &sums{}
		}
		sum, tokens := runs[top], s.tokens()
		if sum.all.add(tokens); !unlinked && !late[s] {
			sum.known.add(tokens)
		}
		if s.operation() == operationChat && depth == 1 {
			sum.calls.add(tokens)
		}
	}
	for _, s := range t.spans {
		total, sum := s.total(), runs[s]
		switch {
		case sum == nil || !s.isRun() || total == (Tokens{}):
		case !sum.all.covers(total):
			report(ProblemTotal, s)
		case total.covers(sum.calls) && !total.covers(sum.known) && !s.has(attrIncomplete):
			report(ProblemTotal, s)
		}
	}
}

// covers reports whether t has at least as many tokens as o.
func (t Tokens) covers(o Tokens) bool { return t.Input >= o.Input && t.Output >= o.Output }

// twice reports whether tokens on an agent's span are on its calls too. Calls alone may exceed the total, because a second
// account of a run exports calls that the first one lacks, and does not change the first.
func twice(own, calls, total int64) bool { return own > 0 && own+calls > total }

// placeholders reports whether the model calls seem to carry the API's first counts: all have the same few tokens, while the
// agent's span has the rest. A rest that is as small may be the output of a call without one.
func (u *agentUsage) placeholders() bool {
	if len(u.chats) < 2 || u.own.Output <= maxPlaceholder {
		return false
	}
	for _, n := range u.chats {
		if n != u.chats[0] || n > maxPlaceholder {
			return false
		}
	}
	return true
}
