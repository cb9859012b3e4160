package events

// UsageScope says what a Usage counts, and thus how several of them add up.
type UsageScope uint8

const (
	// UsageScopeCall is one model call. The source removes repetitions: the tokens are those that this line adds
	// to what was reported for the same MessageID, so that the sum of the events of a call is its usage.
	UsageScopeCall UsageScope = iota
	// UsageScopeRun is the total of the run that ends here, including sub-agents and side calls. Runs add up.
	UsageScopeRun
	// UsageScopeProcess is a running total since the program started. The last one counts, for each model.
	UsageScopeProcess
	// UsageScopeSession is a running total of the whole session, across all processes that wrote it. The last one counts.
	UsageScopeSession

	usageScopeEnd
)

var usageScopeNames = [usageScopeEnd]string{"call", "run", "process", "session"}

// String returns the wire spelling.
func (s UsageScope) String() string {
	if s < usageScopeEnd {
		return usageScopeNames[s]
	}
	return ""
}

// ParseUsageScope is the inverse of [UsageScope.String]. It returns [UsageScopeCall] for an unknown word.
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
	// OutputUnknown marks a line with a placeholder instead of the output tokens, as in Claude's streams until a
	// message is complete. Provider contains the placeholder; the Output of Tokens is 0.
	OutputUnknown bool
	// CostUSD is the cost in US dollars, valid if HasCost. CostEstimated marks a cost that was computed from a
	// price list and not reported by the agent.
	CostUSD       float64
	HasCost       bool
	CostEstimated bool
	// ServiceTier and Speed are the provider's words for how a call was served, if it has any: "standard", "priority"; "fast".
	ServiceTier string
	Speed       string
	// WebSearches and WebFetches count the requests of tools that ran on the provider's servers during the call.
	WebSearches int64
	WebFetches  int64
	// SessionCacheHit and SessionCacheMiss are cached and uncached input tokens of the whole session so far, if known.
	SessionCacheHit  int64
	SessionCacheMiss int64
	// Pricing is a price list from which a sink may compute a cost; nil if none is known.
	Pricing *Pricing
}

// CostAlone reports whether u has a cost but no tokens, as in a session's running total of its cost.
func (u *Usage) CostAlone() bool { return u.HasCost && u.OutputUnknown && u.Tokens == (Tokens{}) }

// Since returns what running total u adds to the one before. A total that shrank has restarted.
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

// Cost returns the price of t, which is in normalised arithmetic.
func (p *Pricing) Cost(t Tokens) float64 {
	plain := t.Input - t.CacheRead - t.CacheWrite
	return (float64(plain)*p.Input + float64(t.Output)*p.Output +
		float64(t.CacheRead)*p.CacheRead + float64(t.CacheWrite)*p.CacheWrite) / 1e6
}
