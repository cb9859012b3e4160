package events

import "strings"

// UsageTotal adds up the Usage events of one stream. What the calls of a run report and what its end reports are two
// accounts of the same tokens, of which the larger counts, for each type: an end knows calls that the stream does not
// show, and may leave out those of sub-agents. In the provider's own arithmetic the end counts where there is one.
// Running totals count by what they add to the one before. The zero value is ready. A copy shares what is added later.
type UsageTotal struct {
	over    *Usage // the runs before; nil while there is none, as are the others: most streams have one kind, if any
	calls   *Usage // of the run at work
	runs    *Usage // what its end reported
	running map[counterKey]Usage
}

// maxCounters is how many running totals are kept; those of further models are left out.
const maxCounters = 1024

// counterKey is one running total.
type counterKey struct {
	scope UsageScope
	model string
}

func addUsage(to **Usage, u *Usage) {
	if *to == nil {
		*to = &Usage{Scope: UsageScopeRun}
	}
	sum := *to
	sum.Tokens.Add(u.Tokens)
	sum.Provider.Add(u.Provider)
	sum.CostUSD += u.CostUSD
	sum.HasCost = sum.HasCost || u.HasCost
	sum.CostEstimated = sum.CostEstimated || u.CostEstimated
}

// Add adds the usage of one event that concerns model.
func (t *UsageTotal) Add(model string, u *Usage) {
	switch u.Scope {
	case UsageScopeRun:
		addUsage(&t.runs, u)
	case UsageScopeProcess, UsageScopeSession:
		before, known := t.running[counterKey{u.Scope, model}]
		if !known && len(t.running) >= maxCounters {
			return
		}
		if t.running == nil {
			t.running = map[counterKey]Usage{}
		}
		part := u.Since(&before)
		t.running[counterKey{u.Scope, strings.Clone(model)}] = *u
		addUsage(&t.runs, &part)
	default:
		if t.runs != nil { // the run before is over
			sum := t.run()
			addUsage(&t.over, &sum)
			t.calls, t.runs = nil, nil
		}
		addUsage(&t.calls, u)
	}
}

// run is the total of the run at work.
func (t *UsageTotal) run() Usage {
	switch {
	case t.calls == nil && t.runs == nil:
		return Usage{Scope: UsageScopeRun}
	case t.calls == nil:
		return *t.runs
	case t.runs == nil:
		return *t.calls
	}
	sum := *t.runs
	sum.Tokens = sum.Tokens.Larger(t.calls.Tokens)
	if sum.Provider == (Tokens{}) {
		sum.Provider = t.calls.Provider
	}
	if !sum.HasCost {
		sum.CostUSD, sum.HasCost, sum.CostEstimated = t.calls.CostUSD, t.calls.HasCost, t.calls.CostEstimated
	}
	return sum
}

// Sum is the total of all that was added. Its Scope is [UsageScopeRun].
func (t *UsageTotal) Sum() Usage {
	sum := t.run()
	if t.over != nil {
		all := *t.over
		to := &all
		addUsage(&to, &sum)
		return all
	}
	return sum
}
