package ledger

import (
	"slices"
	"strings"

	"github.com/tailspan/tailspan/events"
)

// Ledger is the token account of an agent. Each token is under gen_ai.usage.* of exactly one span: that of the model
// call that reported it, else that of the agent. So the agent's own span has the rest: the part of totals beyond the
// calls seen, and usage of calls without a span. Its total, sub-agents included, is under tailspan.usage.*.
//
//	total = larger of (totals, calls + elsewhere), for each type
//	rest  = total - placed - elsewhere
//
// A run that was closed because nothing followed for long may continue. The totals at its end then include its first
// part, whose tokens are on the spans of that part, and lack it here.
//
// The ledger of a run's own agent includes the calls of the sub-agents in its stream.
type Ledger struct {
	Prices  *Prices       // shared by all ledgers of a registry
	calls   ByModel       // reported by model calls
	placed  ByModel       // the part of it on spans of model calls and of sub-agents
	totals  ByModel       // reported by the run's end, sub-agents included
	earlier events.Tokens // of the parts of the run before, which no totals have reported
	before  *Ledger       // of the part of the run before, until its usage is taken over
	outside *outside      // nil if empty
	shared  ByModel       // the part of the calls whose spans another stream exported
	Closed  bool          // the agent's own span was made: later usage is on no span
	Linked  ByModel       // used by sub-agents in separate streams
	Added   ByModel       // used by model calls that only other accounts of the run have
	Found   ByModel       // the part of the calls that only another account reports, and that is on no span of a call
	// Incomplete is true if the total lacks usage of such sub-agents.
	Incomplete bool
	// Partial is true if a total was omitted because it includes the tokens of earlier processes.
	Partial bool
	// UnknownOutputs counts the model calls whose output tokens the stream did not report.
	UnknownOutputs int
}

// outside is the part of an agent's usage on spans that other ledgers account for.
type outside struct {
	elsewhere Sum     // calls seen here that another stream exports
	below     Sum     // usage of a sub-agent's sub-agents, whose calls are not in the ledger
	models    ByModel // of below
}

// other returns the part on other spans, to be added to.
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
	} else if u.OutputUnknown { // with a span, this is counted when the call closes
		l.UnknownOutputs++
	}
}

func (l *Ledger) AddTotal(model string, u *events.Usage) {
	l.settle()
	part := *u
	part.Tokens = u.Tokens.Beyond(l.earlier)
	l.earlier = l.earlier.Beyond(u.Tokens)
	l.totals.Of(model).add(&part)
}

// AddMissing adds the tokens of a model call that only another account of the run reports. placed is true if they are on a span
// of that account, and whole if the output of the call was unknown until now.
func (l *Ledger) AddMissing(model string, t events.Tokens, placed, whole bool) {
	sum := Sum{Tokens: t, hasOutput: whole}
	l.calls.Of(model).AddAll(&sum)
	if placed {
		l.placed.Of(model).AddAll(&sum)
	} else {
		l.Found.Of(model).AddAll(&sum)
	}
	if whole && l.UnknownOutputs > 0 {
		l.UnknownOutputs--
	}
}

// IsIncomplete reports whether the total lacks tokens.
func (l *Ledger) IsIncomplete() bool { return l.Incomplete || l.Partial || l.LacksOutput() }

// LacksOutput reports whether the total lacks the output tokens of model calls.
func (l *Ledger) LacksOutput() bool { return l.UnknownOutputs > 0 && !l.HasTotals() }

// AddLateTotal is AddTotal for an agent whose own span was made. It returns what no call has reported.
func (l *Ledger) AddLateTotal(model string, u *events.Usage) Sum {
	before := l.Unseen()
	l.AddTotal(model, u)
	unseen, known := l.Unseen(), before.Total()
	late := unseen.Total()
	return Sum{Tokens: late.Tokens.Beyond(known.Tokens), CostUSD: max(late.CostUSD-known.CostUSD, 0)}
}

// Continue records that the agent continues the work of before, whose span was made.
func (l *Ledger) Continue(before *Ledger) {
	before.settle() // so that only one part is kept
	l.before = before
}

// settle takes over what the part of the run before has used, its sub-agents included, which may have been at work until now.
func (l *Ledger) settle() {
	before := l.before
	if l.before = nil; before == nil || before.HasTotals() {
		return
	}
	sum := before.calls.Total()
	sum.Tokens.Add(before.earlier)
	l.earlier = sum.Tokens
}

// LacksAll reports whether nothing was reported: neither tokens nor, at the run's end, that there are none.
func (l *Ledger) LacksAll() bool {
	sum := l.Total()
	return len(l.totals) == 0 && sum.Tokens == (events.Tokens{})
}

// HasTotals reports whether the run's end reported tokens.
func (l *Ledger) HasTotals() bool {
	sum := l.totals.Total()
	return sum.Tokens != (events.Tokens{})
}

func (l *Ledger) AddElsewhere(u *events.Usage) { l.other().elsewhere.add(u) }

// AddBelow adds the usage of a sub-agent of the agent.
func (l *Ledger) AddBelow(sub *Ledger) {
	total, out := sub.Total(), l.other()
	out.below.AddAll(&total)
	out.models.AddAll(sub.Models())
}

// others returns the part of the usage on spans that other ledgers account for.
func (l *Ledger) others() Sum {
	if l.outside == nil {
		return Sum{}
	}
	sum := l.outside.below
	sum.Tokens = sum.Tokens.Larger(l.outside.elsewhere.Tokens)
	return sum
}

// Total returns the usage of the agent and its known sub-agents. The cost is estimated if the agent reported none.
func (l *Ledger) Total() Sum {
	sum, costs := l.reported(), l.Estimate()
	estimate := costs.Total()
	sum.AddAll(&estimate)
	if len(l.Linked)+len(l.Added) == 0 {
		return sum
	}
	linked, added := l.Linked.Total(), l.Added.Total()
	if l.outside != nil {
		linked.Tokens = linked.Tokens.Beyond(l.outside.elsewhere.Tokens)
	}
	linked.AddAll(&added)
	if totals := l.totals.Total(); totals.HasCost {
		linked.CostUSD, linked.HasCost, linked.Estimated = 0, false, false // the agent reports the cost of all of them
	} else if partly := sum.HasCost != linked.HasCost; partly && (sum.Estimated || linked.Estimated) {
		sum.CostUSD, sum.HasCost, sum.Estimated = 0, false, false // some of the tokens have no price
		linked.CostUSD, linked.HasCost, linked.Estimated = 0, false, false
	}
	sum.AddAll(&linked)
	return sum
}

// Own returns the usage of the agent and of the sub-agents in its stream, by model, with an estimated cost if none is reported.
func (l *Ledger) Own() ByModel {
	all := l.byModel()
	all.AddAll(l.Estimate())
	return all
}

// Models returns the total by model.
func (l *Ledger) Models() ByModel {
	all := l.Own()
	all.AddAll(l.Linked)
	all.AddAll(l.Added)
	if l.outside != nil {
		all.AddAll(l.outside.models)
	}
	return all
}

// AddExportedElsewhere records that the span of a call of the ledger was exported by another stream.
func (l *Ledger) AddExportedElsewhere(model string, t events.Tokens) {
	l.shared.Of(model).Tokens.Add(t)
}

// OwnExported is Own without the calls whose spans another stream exported, which counts them.
func (l *Ledger) OwnExported() ByModel {
	all := l.Own()
	for i := range all {
		if s := l.shared.known(all[i].Model); s != nil {
			all[i].Tokens = all[i].Tokens.Beyond(s.Tokens)
		}
	}
	return all
}

// reported returns the total without an estimate and without Linked.
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

// Unseen returns what totals report beyond the calls seen, by model.
func (l *Ledger) Unseen() (unseen ByModel) {
	if len(l.totals) == 0 {
		return nil
	}
	total, calls, others := l.reported(), l.calls.Total(), l.others()
	left := Sum{
		Tokens:  total.Tokens.Beyond(calls.Tokens).Beyond(others.Tokens),
		CostUSD: max(total.CostUSD-calls.CostUSD-others.CostUSD, 0),
	}
	for i := range l.totals { // calls may use another name of a model, so the parts are limited by the whole
		one := &l.totals[i]
		have := one.Sum
		if c := l.calls.known(one.Model); c != nil {
			have.Tokens, have.CostUSD = have.Tokens.Beyond(c.Tokens), max(have.CostUSD-c.CostUSD, 0)
		}
		unseen.take(one.Model, &left, &have)
	}
	return unseen
}

// byModel returns the total without what other streams export, by model.
func (l *Ledger) byModel() ByModel {
	all := slices.Clone(l.calls)
	all.AddAll(l.Unseen())
	return all
}

// Rest returns the part of the total that belongs on the agent's own span, by model.
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

// Sum is a number of tokens and their cost.
type Sum struct {
	Tokens    events.Tokens `json:"tokens"`
	CostUSD   float64       `json:"cost_usd,omitempty"`
	HasCost   bool          `json:"has_cost,omitempty"`
	Estimated bool          `json:"estimated,omitempty"` // part of the cost is estimated
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

// Usage returns the sum as the usage of a run.
func (s *Sum) Usage() events.Usage {
	return events.Usage{
		Scope: events.UsageScopeRun, Tokens: s.Tokens,
		CostUSD: s.CostUSD, HasCost: s.HasCost, CostEstimated: s.Estimated,
	}
}

// ByModel holds a sum for each of the few models of a run.
type ByModel []ModelSum

type ModelSum struct {
	Model string `json:"model,omitempty"`
	Sum
}

// maxSpending bounds the models that are counted separately. The rest is counted without a model.
const maxSpending = 64

// Of returns the entry of a model and creates a missing one. The pointer is valid until the next call.
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

// known returns the entry of a model, or nil.
func (s *ByModel) known(model string) *Sum {
	for i := range *s {
		if one := &(*s)[i]; one.Model == model {
			return &one.Sum
		}
	}
	return nil
}

// AddAll adds the usage of each model of o.
func (s *ByModel) AddAll(o ByModel) {
	for i := range o {
		s.Of(o[i].Model).AddAll(&o[i].Sum)
	}
}

func (s *ByModel) Total() (sum Sum) {
	for i := range *s {
		sum.AddAll(&(*s)[i].Sum)
	}
	return sum
}

// take moves the smaller of left and have from left to the entry of a model.
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
