package telemetry

import (
	"slices"
	"strings"

	"github.com/tailspan/tailspan/events"
)

// ledger is the account of an agent's tokens. Each token is under gen_ai.usage.* of one span: the model call that reported
// it, where one did, else the agent. So the agent's own span has the rest: what totals report beyond the calls that were
// seen, and what was reported of no call that has a span. Its total, sub-agents included, is under tailspan.usage.*.
//
//	total = larger of (totals, calls + elsewhere), for each type
//	rest  = total - placed - elsewhere
//
// The ledger of a run's own agent has the calls of the sub-agents in its stream too.
type ledger struct {
	prices  *Prices  // the registry's
	calls   spending // what model calls reported
	placed  spending // the part of it that spans of model calls and of sub-agents have
	totals  spending // what the run's end reported, sub-agents included
	outside *outside // nil: nothing
	closed  bool     // the agent's own span is made: what comes now is in no span
	linked  spending // what sub-agents in streams of their own used; see linked.go
	// incomplete is true if the total lacks what some of those used.
	incomplete bool
	// partial is true if a total was left out, since it holds the tokens of earlier processes too.
	partial bool
	// unknownOutputs counts the model calls whose output the stream did not report.
	unknownOutputs int
}

// outside is what other spans have of an agent's tokens.
type outside struct {
	elsewhere spent // calls that were seen here and that another stream exports
	below     spent // what sub-agents of a sub-agent used, whose calls are not in those of the ledger
}

// other is what other spans have, to add to.
func (l *ledger) other() *outside {
	if l.outside == nil {
		l.outside = new(outside)
	}
	return l.outside
}

func (l *ledger) addCall(model string, u *events.Usage, placed bool) {
	l.calls.of(model).add(u)
	if placed {
		l.placed.of(model).add(u)
	} else if u.OutputUnknown { // what a model call has is known when that closes
		l.unknownOutputs++
	}
}

func (l *ledger) addTotal(model string, u *events.Usage) { l.totals.of(model).add(u) }

// hasTotals reports whether the run's end reported tokens.
func (l *ledger) hasTotals() bool {
	sum := l.totals.sum()
	return sum.tokens != (events.Tokens{})
}

func (l *ledger) addElsewhere(u *events.Usage) { l.other().elsewhere.add(u) }

func (l *ledger) addBelow(total *spent) { l.other().below.addAll(total) }

// others is what other spans than those of this stream have of the run's tokens.
func (l *ledger) others() spent {
	if l.outside == nil {
		return spent{}
	}
	sum := l.outside.below
	sum.tokens = sum.tokens.Larger(l.outside.elsewhere.tokens)
	return sum
}

// total is what the agent used, its sub-agents included as far as they are known, with an estimate of the cost where it
// reported none.
func (l *ledger) total() spent {
	sum, costs := l.reported(), l.estimate()
	estimate := costs.sum()
	sum.addAll(&estimate)
	if len(l.linked) == 0 {
		return sum
	}
	linked := l.linked.sum()
	if l.outside != nil {
		linked.tokens = linked.tokens.Beyond(l.outside.elsewhere.tokens)
	}
	if totals := l.totals.sum(); totals.hasCost {
		linked.costUSD, linked.hasCost, linked.estimated = 0, false, false // the agent reports the cost of all of them
	} else if partly := sum.hasCost != linked.hasCost; partly && (sum.estimated || linked.estimated) {
		sum.costUSD, sum.hasCost, sum.estimated = 0, false, false // some of the tokens have no price
		linked.costUSD, linked.hasCost, linked.estimated = 0, false, false
	}
	sum.addAll(&linked)
	return sum
}

// own is what the agent and those in its stream used, by model, with an estimate of the cost.
func (l *ledger) own() spending {
	all := l.byModel()
	for _, one := range l.estimate() {
		all.of(one.model).addAll(&one.spent)
	}
	return all
}

// reported is the same without an estimate.
func (l *ledger) reported() spent {
	sum := l.others()
	calls := l.calls.sum()
	sum.addAll(&calls)
	if totals := l.totals.sum(); len(l.totals) > 0 {
		sum.tokens = sum.tokens.Larger(totals.tokens)
		sum.hasOutput = sum.hasOutput || totals.hasOutput
		if totals.hasCost {
			sum.costUSD, sum.hasCost, sum.estimated = totals.costUSD, true, totals.estimated
		}
	}
	return sum
}

// unseen is what totals report beyond the calls that were seen, by model.
func (l *ledger) unseen() (unseen spending) {
	if len(l.totals) == 0 {
		return nil
	}
	total, calls, others := l.reported(), l.calls.sum(), l.others()
	left := spent{
		tokens:  total.tokens.Beyond(calls.tokens).Beyond(others.tokens),
		costUSD: max(total.costUSD-calls.costUSD-others.costUSD, 0),
	}
	for i := range l.totals { // a model may have another name in its calls: no more than the whole is left
		one := &l.totals[i]
		have := one.spent
		if c := l.calls.known(one.model); c != nil {
			have.tokens, have.costUSD = have.tokens.Beyond(c.tokens), max(have.costUSD-c.costUSD, 0)
		}
		unseen.take(one.model, &left, &have)
	}
	return unseen
}

// byModel is the total without what other streams export, by model.
func (l *ledger) byModel() spending {
	all := slices.Clone(l.calls)
	for _, one := range l.unseen() {
		all.of(one.model).addAll(&one.spent)
	}
	return all
}

// rest is what the agent's own span has of the total, by model.
func (l *ledger) rest() spending {
	rest := l.byModel()
	for i := range rest {
		if p := l.placed.known(rest[i].model); p != nil {
			one := &rest[i].spent
			one.tokens, one.costUSD = one.tokens.Beyond(p.tokens), max(one.costUSD-p.costUSD, 0)
		}
	}
	return rest
}

// spent is a sum of tokens and what they cost.
type spent struct {
	tokens    events.Tokens
	costUSD   float64
	hasCost   bool
	estimated bool // of the cost, some is estimated
	hasOutput bool // some output is known
}

func (s *spent) add(u *events.Usage) {
	s.addAll(&spent{u.Tokens, u.CostUSD, u.HasCost, u.CostEstimated, !u.OutputUnknown && u.Tokens != (events.Tokens{})})
}

func (s *spent) addAll(o *spent) {
	s.tokens.Add(o.tokens)
	s.costUSD += o.costUSD
	s.hasCost, s.estimated, s.hasOutput = s.hasCost || o.hasCost, s.estimated || o.estimated, s.hasOutput || o.hasOutput
}

// usage is the sum as the usage of a run.
func (s *spent) usage() events.Usage {
	return events.Usage{
		Scope: events.UsageScopeRun, Tokens: s.tokens,
		CostUSD: s.costUSD, HasCost: s.hasCost, CostEstimated: s.estimated,
	}
}

// spending is what was spent on models, of which a run has one or some.
type spending []modelSpent

type modelSpent struct {
	model string
	spent
}

// maxSpending bounds the models that are kept apart; the rest counts under none.
const maxSpending = 64

// of is the entry of a model, which is made where there is none. It is good until the next call.
func (s *spending) of(model string) *spent {
	if known := s.known(model); known != nil {
		return known
	}
	if len(*s) >= maxSpending && model != "" {
		return s.of("")
	}
	*s = append(*s, modelSpent{model: strings.Clone(model)})
	return &(*s)[len(*s)-1].spent
}

// known is the entry of a model, nil if there is none.
func (s *spending) known(model string) *spent {
	for i := range *s {
		if one := &(*s)[i]; one.model == model {
			return &one.spent
		}
	}
	return nil
}

func (s *spending) sum() (sum spent) {
	for i := range *s {
		sum.addAll(&(*s)[i].spent)
	}
	return sum
}

// take moves from left what have has of it to the entry of a model.
func (s *spending) take(model string, left, have *spent) {
	part := spent{
		tokens: have.tokens.Smaller(left.tokens), costUSD: min(have.costUSD, left.costUSD),
		hasCost: have.hasCost, estimated: have.estimated, hasOutput: have.hasOutput,
	}
	if part.tokens == (events.Tokens{}) && part.costUSD == 0 {
		return
	}
	left.tokens, left.costUSD = left.tokens.Sub(part.tokens), left.costUSD-part.costUSD
	s.of(model).addAll(&part)
}
