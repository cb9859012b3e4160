package ledger

import (
	"slices"
	"strings"

	"github.com/tailspan/tailspan/events"
)

// Ledger is the account of an agent's tokens. Each token is under gen_ai.usage.* of one span: the model call that reported
// it, where one did, else the agent. So the agent's own span has the rest: what totals report beyond the calls that were
// seen, and what was reported of no call that has a span. Its total, sub-agents included, is under tailspan.usage.*.
//
//	total = larger of (totals, calls + elsewhere), for each type
//	rest  = total - placed - elsewhere
//
// The ledger of a run's own agent has the calls of the sub-agents in its stream too.
type Ledger struct {
	Prices  *Prices  // the registry's
	calls   ByModel  // what model calls reported
	placed  ByModel  // the part of it that spans of model calls and of sub-agents have
	totals  ByModel  // what the run's end reported, sub-agents included
	outside *outside // nil: nothing
	Closed  bool     // the agent's own span is made: what comes now is in no span
	Linked  ByModel  // what sub-agents in streams of their own used
	// Incomplete is true if the total lacks what some of those used.
	Incomplete bool
	// Partial is true if a total was left out, since it holds the tokens of earlier processes too.
	Partial bool
	// UnknownOutputs counts the model calls whose output the stream did not report.
	UnknownOutputs int
}

// outside is what other spans have of an agent's tokens.
type outside struct {
	elsewhere Sum // calls that were seen here and that another stream exports
	below     Sum // what sub-agents of a sub-agent used, whose calls are not in those of the ledger
}

// other is what other spans have, to add to.
func (l *Ledger) other() *outside {
	if l.outside == nil {
		l.outside = new(outside)
	}
	return l.outside
}

func (l *Ledger) AddCall(model string, u *events.Usage, placed bool) {
	l.calls.Of(model).add(u)
	if placed {
		l.placed.Of(model).add(u)
	} else if u.OutputUnknown { // what a model call has is known when that closes
		l.UnknownOutputs++
	}
}

func (l *Ledger) AddTotal(model string, u *events.Usage) { l.totals.Of(model).add(u) }

// HasTotals reports whether the run's end reported tokens.
func (l *Ledger) HasTotals() bool {
	sum := l.totals.Total()
	return sum.Tokens != (events.Tokens{})
}

func (l *Ledger) AddElsewhere(u *events.Usage) { l.other().elsewhere.add(u) }

func (l *Ledger) AddBelow(total *Sum) { l.other().below.AddAll(total) }

// others is what other spans than those of this stream have of the run's tokens.
func (l *Ledger) others() Sum {
	if l.outside == nil {
		return Sum{}
	}
	sum := l.outside.below
	sum.Tokens = sum.Tokens.Larger(l.outside.elsewhere.Tokens)
	return sum
}

// Total is what the agent used, its sub-agents included as far as they are known, with an estimate of the cost where it
// reported none.
func (l *Ledger) Total() Sum {
	sum, costs := l.reported(), l.Estimate()
	estimate := costs.Total()
	sum.AddAll(&estimate)
	if len(l.Linked) == 0 {
		return sum
	}
	linked := l.Linked.Total()
	if l.outside != nil {
		linked.Tokens = linked.Tokens.Beyond(l.outside.elsewhere.Tokens)
	}
	if totals := l.totals.Total(); totals.HasCost {
		linked.CostUSD, linked.HasCost, linked.Estimated = 0, false, false // the agent reports the cost of all of them
	} else if partly := sum.HasCost != linked.HasCost; partly && (sum.Estimated || linked.Estimated) {
		sum.CostUSD, sum.HasCost, sum.Estimated = 0, false, false // some of the tokens have no price
		linked.CostUSD, linked.HasCost, linked.Estimated = 0, false, false
	}
	sum.AddAll(&linked)
	return sum
}

// Own is what the agent and those in its stream used, by model, with an estimate of the cost.
func (l *Ledger) Own() ByModel {
	all := l.byModel()
	for _, one := range l.Estimate() {
		all.Of(one.Model).AddAll(&one.Sum)
	}
	return all
}

// reported is the same without an estimate.
func (l *Ledger) reported() Sum {
	sum := l.others()
	calls := l.calls.Total()
	sum.AddAll(&calls)
	if totals := l.totals.Total(); len(l.totals) > 0 {
		sum.Tokens = sum.Tokens.Larger(totals.Tokens)
		sum.hasOutput = sum.hasOutput || totals.hasOutput
		if totals.HasCost {
			sum.CostUSD, sum.HasCost, sum.Estimated = totals.CostUSD, true, totals.Estimated
		}
	}
	return sum
}

// Unseen is what totals report beyond the calls that were seen, by model.
func (l *Ledger) Unseen() (unseen ByModel) {
	if len(l.totals) == 0 {
		return nil
	}
	total, calls, others := l.reported(), l.calls.Total(), l.others()
	left := Sum{
		Tokens:  total.Tokens.Beyond(calls.Tokens).Beyond(others.Tokens),
		CostUSD: max(total.CostUSD-calls.CostUSD-others.CostUSD, 0),
	}
	for i := range l.totals { // a model may have another name in its calls: no more than the whole is left
		one := &l.totals[i]
		have := one.Sum
		if c := l.calls.known(one.Model); c != nil {
			have.Tokens, have.CostUSD = have.Tokens.Beyond(c.Tokens), max(have.CostUSD-c.CostUSD, 0)
		}
		unseen.take(one.Model, &left, &have)
	}
	return unseen
}

// byModel is the total without what other streams export, by model.
func (l *Ledger) byModel() ByModel {
	all := slices.Clone(l.calls)
	for _, one := range l.Unseen() {
		all.Of(one.Model).AddAll(&one.Sum)
	}
	return all
}

// Rest is what the agent's own span has of the total, by model.
func (l *Ledger) Rest() ByModel {
	rest := l.byModel()
	for i := range rest {
		if p := l.placed.known(rest[i].Model); p != nil {
			one := &rest[i].Sum
			one.Tokens, one.CostUSD = one.Tokens.Beyond(p.Tokens), max(one.CostUSD-p.CostUSD, 0)
		}
	}
	return rest
}

// Sum is a sum of tokens and what they cost.
type Sum struct {
	Tokens    events.Tokens `json:"tokens"`
	CostUSD   float64       `json:"cost_usd,omitempty"`
	HasCost   bool          `json:"has_cost,omitempty"`
	Estimated bool          `json:"estimated,omitempty"` // of the cost, some is estimated
	hasOutput bool          // some output is known
}

func (s *Sum) add(u *events.Usage) {
	s.AddAll(&Sum{u.Tokens, u.CostUSD, u.HasCost, u.CostEstimated, !u.OutputUnknown && u.Tokens != (events.Tokens{})})
}

func (s *Sum) AddAll(o *Sum) {
	s.Tokens.Add(o.Tokens)
	s.CostUSD += o.CostUSD
	s.HasCost, s.Estimated, s.hasOutput = s.HasCost || o.HasCost, s.Estimated || o.Estimated, s.hasOutput || o.hasOutput
}

// Usage is the sum as the usage of a run.
func (s *Sum) Usage() events.Usage {
	return events.Usage{
		Scope: events.UsageScopeRun, Tokens: s.Tokens,
		CostUSD: s.CostUSD, HasCost: s.HasCost, CostEstimated: s.Estimated,
	}
}

// ByModel is what was spent on models, of which a run has one or some.
type ByModel []ModelSum

type ModelSum struct {
	Model string `json:"model,omitempty"`
	Sum
}

// maxSpending bounds the models that are kept apart; the rest counts under none.
const maxSpending = 64

// Of is the entry of a model, which is made where there is none. It is good until the next call.
func (s *ByModel) Of(model string) *Sum {
	if known := s.known(model); known != nil {
		return known
	}
	if len(*s) >= maxSpending && model != "" {
		return s.Of("")
	}
	*s = append(*s, ModelSum{Model: strings.Clone(model)})
	return &(*s)[len(*s)-1].Sum
}

// known is the entry of a model, nil if there is none.
func (s *ByModel) known(model string) *Sum {
	for i := range *s {
		if one := &(*s)[i]; one.Model == model {
			return &one.Sum
		}
	}
	return nil
}

func (s *ByModel) Total() (sum Sum) {
	for i := range *s {
		sum.AddAll(&(*s)[i].Sum)
	}
	return sum
}

// take moves from left what have has of it to the entry of a model.
func (s *ByModel) take(model string, left, have *Sum) {
	part := Sum{
		Tokens: have.Tokens.Smaller(left.Tokens), CostUSD: min(have.CostUSD, left.CostUSD),
		HasCost: have.HasCost, Estimated: have.Estimated, hasOutput: have.hasOutput,
	}
	if part.Tokens == (events.Tokens{}) && part.CostUSD == 0 {
		return
	}
	left.Tokens, left.CostUSD = left.Tokens.Sub(part.Tokens), left.CostUSD-part.CostUSD
	s.Of(model).AddAll(&part)
}
