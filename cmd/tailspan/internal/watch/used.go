package watch

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/ledger"
)

// used is the known usage of agents.
type used struct {
	tokens    int64
	usd       float64
	priced    bool // the cost of some tokens is known
	estimated bool // by a list of prices
	bare      bool // the cost of some tokens is unknown
}

// usedOf returns what a total of events or a span reports.
func usedOf(u *events.Usage) used {
	tokens := u.Tokens.Input + u.Tokens.Output
	return used{tokens: tokens, usd: u.CostUSD, priced: u.HasCost, estimated: u.CostEstimated, bare: tokens > 0 && !u.HasCost}
}

// add adds the usage of others. A cost that an agent reports includes its sub-agents if those report none.
func (u *used) add(o used) {
	u.tokens += o.tokens
	if u.priced && !u.estimated && o.estimated {
		return
	}
	u.usd += o.usd
	u.priced, u.estimated, u.bare = u.priced || o.priced, u.estimated || o.estimated, u.bare || o.bare
}

// cost formats the cost. An estimate that lacks some tokens is not shown.
func (u *used) cost() string {
	if !u.priced || u.estimated && u.bare {
		return ""
	}
	return render.USD(u.usd, u.estimated)
}

// account is the usage of one agent without its sub-agents.
type account struct {
	events   events.UsageTotal
	estimate float64 // of the model calls; valid unless unpriced
	unpriced bool
	ended    used // from the spans of its tasks, including its sub-agents
	evicted  used // of sub-agents that were evicted
}

// apply applies the usage in an event.
func (a *account) apply(model string, u *events.Usage, prices ledger.Prices) {
	a.events.Add(model, u)
	cost, known := prices.Cost(model, u.Tokens)
	if a.estimate += cost; !known || u.OutputUnknown || u.Scope != events.UsageScopeCall {
		a.unpriced = true // as its end has it
	}
}

// sum returns the usage of the agent without its sub-agents.
func (a *account) sum() used {
	sum := a.events.Sum()
	if !sum.HasCost && !a.unpriced && a.estimate > 0 {
		sum.CostUSD, sum.HasCost, sum.CostEstimated = a.estimate, true, true
	}
	return usedOf(&sum)
}

// used returns the usage of the agent with its sub-agents. Once its span has arrived, that contains everything.
func (a *agent) used(below used) used {
	if a.spanned {
		return a.usage.ended
	}
	all := a.usage.sum()
	all.add(a.usage.evicted)
	all.add(below)
	return all
}
