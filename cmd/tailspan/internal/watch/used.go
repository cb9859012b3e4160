package watch

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/ledger"
)

// used is what agents used, as far as it is known.
type used struct {
	tokens    int64
	usd       float64
	priced    bool // usd is known of some tokens
	estimated bool // by a list of prices
	bare      bool // there are tokens of unknown cost
}

// usedOf is what a total of events or of a span reports.
func usedOf(u *events.Usage) used {
	tokens := u.Tokens.Input + u.Tokens.Output
	return used{tokens: tokens, usd: u.CostUSD, priced: u.HasCost, estimated: u.CostEstimated, bare: tokens > 0 && !u.HasCost}
}

// add adds what others used. A cost that an agent reports is that of all that work for it, if those report none.
func (u *used) add(o used) {
	u.tokens += o.tokens
	if u.priced && !u.estimated && o.estimated {
		return
	}
	u.usd += o.usd
	u.priced, u.estimated, u.bare = u.priced || o.priced, u.estimated || o.estimated, u.bare || o.bare
}

// cost is shown as the cost. An estimate of a part of the tokens is none.
func (u *used) cost() string {
	if !u.priced || u.estimated && u.bare {
		return ""
	}
	return render.USD(u.usd, u.estimated)
}

// account is what an agent used for itself.
type account struct {
	events   events.UsageTotal
	estimate float64 // of the model calls; valid unless unpriced
	unpriced bool
	ended    used // by the spans of its tasks, what worked for it included
	evicted  used // of those below it that are not kept
}

// apply applies what an event reports.
func (a *account) apply(model string, u *events.Usage, prices ledger.Prices) {
	a.events.Add(model, u)
	cost, known := prices.Cost(model, u.Tokens)
	if a.estimate += cost; !known || u.OutputUnknown || u.Scope != events.UsageScopeCall {
		a.unpriced = true // as its end has it
	}
}

// sum is what the agent used for itself.
func (a *account) sum() used {
	sum := a.events.Sum()
	if !sum.HasCost && !a.unpriced && a.estimate > 0 {
		sum.CostUSD, sum.HasCost, sum.CostEstimated = a.estimate, true, true
	}
	return usedOf(&sum)
}

// used is what the agent and those below it used. Once its span is there that has all of it.
func (a *agent) used(below used) used {
	if a.spanned {
		return a.usage.ended
	}
	all := a.usage.sum()
	all.add(a.usage.evicted)
	all.add(below)
	return all
}
