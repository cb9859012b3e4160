package events

// UsageScope is what a Usage counts, and so how several add up.
type UsageScope uint8

const (
	// UsageScopeCall is one model call. Repeats are taken out by the source: the tokens are what this line adds to
	// what was reported under the same MessageID, so that the events of a call add up to the call.
	UsageScopeCall UsageScope = iota
	// UsageScopeRun is the total of the run that ends here, sub-agents and side calls included. Runs add up.
	UsageScopeRun
	// UsageScopeProcess is a running total since the program started. The last one counts, for each model.
	UsageScopeProcess
	// UsageScopeSession is a running total of the whole session, over all processes that wrote it. The last one counts.
	UsageScopeSession

	usageScopeEnd
)

var usageScopeNames = [usageScopeEnd]string{"call", "run", "process", "session"}

// String gives the wire spelling.
func (s UsageScope) String() string {
	if s < usageScopeEnd {
		return usageScopeNames[s]
	}
	return ""
}

// ParseUsageScope is the inverse of [UsageScope.String]; an unknown word is a call.
func ParseUsageScope(word string) UsageScope {
	for s := range usageScopeEnd {
		if usageScopeNames[s] == word {
			return s
		}
	}
	return UsageScopeCall
}

// Usage is the payload of a Usage event.
type Usage struct {
	Scope UsageScope
	// Tokens is the count in normalised arithmetic: Input includes cached tokens (read and written), Output includes
	// reasoning; cache and reasoning are subsets.
	Tokens Tokens
	// Provider is the same count in the provider's own arithmetic.
	Provider Tokens
	// OutputUnknown marks a line that has a placeholder in place of the output tokens, as Claude's streams have until a
	// message is complete. It is in Provider; the Output of Tokens is 0.
	OutputUnknown bool
	// CostUSD is the cost in US dollars, valid if HasCost. CostEstimated marks one that was computed with a list of
	// prices and not reported by the agent.
	CostUSD       float64
	HasCost       bool
	CostEstimated bool
	// ServiceTier and Speed are the provider's words for how a call was served, where it has some: "standard", "priority"; "fast".
	ServiceTier string
	Speed       string
	// WebSearches and WebFetches count the requests of tools that the provider's servers ran within the call.
	WebSearches int64
	WebFetches  int64
	// SessionCacheHit and SessionCacheMiss are cached and uncached input tokens of the whole session so far, where known.
	SessionCacheHit  int64
	SessionCacheMiss int64
	// Pricing is the price list that a sink may show a cost with; nil if none is known.
	Pricing *Pricing
}

// CostAlone reports whether u has a cost and no tokens, as the total that a session keeps of its cost.
func (u *Usage) CostAlone() bool { return u.HasCost && u.OutputUnknown && u.Tokens == (Tokens{}) }

// Since is what a running total adds to the one before. One that shrank began anew.
func (u *Usage) Since(before *Usage) Usage {
	part := *u
	part.Scope = UsageScopeRun
	added := part
	added.Tokens, added.Provider, added.CostUSD = u.Tokens.Sub(before.Tokens), u.Provider.Sub(before.Provider), u.CostUSD-before.CostUSD
	if !added.Tokens.Plausible() || !added.Provider.Plausible() {
		return part
	}
	if added.CostUSD < 0 {
		added.CostUSD = part.CostUSD
	}
	return added
}

// Pricing is a price list in US dollars per million tokens.
type Pricing struct {
	Input      float64
	Output     float64
	CacheRead  float64
	CacheWrite float64
}

// Cost is what the tokens cost by this list. t is in normalised arithmetic.
func (p *Pricing) Cost(t Tokens) float64 {
	plain := t.Input - t.CacheRead - t.CacheWrite
	return (float64(plain)*p.Input + float64(t.Output)*p.Output +
		float64(t.CacheRead)*p.CacheRead + float64(t.CacheWrite)*p.CacheWrite) / 1e6
}
