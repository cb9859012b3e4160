package events

import "strings"

// UsageTotal adds up the Usage events of one stream. The calls of a run and its end report the same tokens, so the
// larger of the two counts, for each type of token: the end includes calls that the stream does not show but may omit
// those of sub-agents. In the provider's own arithmetic the end takes precedence. A running total counts by its
// increase over the previous one. The zero value is ready to use. Copies share later additions.
type UsageTotal struct {
	over    *Usage // finished runs; this and the others are nil until needed: most streams have at most one kind
	calls   *Usage // of the current run
	runs    *Usage // what the end of the current run reported
	running map[counterKey]Usage
}

// maxCounters is the maximum number of running totals; those of further models are ignored.
const maxCounters = 1024

// counterKey identifies a running total.
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

// Add adds the usage of one event of model.
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
		if t.runs != nil { // the previous run is over
			sum := t.run()
			addUsage(&t.over, &sum)
			t.calls, t.runs = nil, nil
		}
		addUsage(&t.calls, u)
	}
}

// run returns the total of the current run.
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

// Sum returns the total of everything added. Its Scope is [UsageScopeRun].
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
