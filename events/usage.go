package events

// UsageScope tells what a Usage counts, and so how several add up.
type UsageScope uint8

const (
	// UsageScopeCall is one model call. Repeats are taken out by the source: the tokens are what this line adds to
	// what was told under the same MessageID, so that the events of a call add up to the call.
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

// Tokens counts tokens of one call or of a sum of calls.
type Tokens struct {
	Input      int64
	Output     int64
	CacheRead  int64
	CacheWrite int64
	Reasoning  int64
}

// Add adds o to t.
func (t *Tokens) Add(o Tokens) {
	t.Input += o.Input
	t.Output += o.Output
	t.CacheRead += o.CacheRead
	t.CacheWrite += o.CacheWrite
	t.Reasoning += o.Reasoning
}

// Sub gives t less o.
func (t Tokens) Sub(o Tokens) Tokens {
	return Tokens{
		Input: t.Input - o.Input, Output: t.Output - o.Output, CacheRead: t.CacheRead - o.CacheRead,
		CacheWrite: t.CacheWrite - o.CacheWrite, Reasoning: t.Reasoning - o.Reasoning,
	}
}

// Max raises every field of t to that of o and returns what was added.
func (t *Tokens) Max(o Tokens) (grown Tokens) {
	grow := func(have *int64, told int64) int64 {
		if told <= *have {
			return 0
		}
		d := told - *have
		*have = told
		return d
	}
	return Tokens{
		Input: grow(&t.Input, o.Input), Output: grow(&t.Output, o.Output), CacheRead: grow(&t.CacheRead, o.CacheRead),
		CacheWrite: grow(&t.CacheWrite, o.CacheWrite), Reasoning: grow(&t.Reasoning, o.Reasoning),
	}
}

// Usage is the payload of a Usage event.
type Usage struct {
	Scope UsageScope
	// Tokens is the count in normalised arithmetic: Input includes cached tokens (read and written), Output includes
	// reasoning; cache and reasoning are subsets.
	Tokens Tokens
	// Provider is the same count in the provider's own arithmetic.
	Provider Tokens
	// CostUSD is the cost in US dollars, valid if HasCost.
	CostUSD float64
	HasCost bool
	// SessionCacheHit and SessionCacheMiss are cached and uncached input tokens of the whole session so far, where told.
	SessionCacheHit  int64
	SessionCacheMiss int64
	// Pricing is the price list that a sink may show a cost with; nil if none is known.
	Pricing *Pricing
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

// UsageTotal adds up the Usage events of one stream by their scopes: totals of runs if the stream tells any, else the
// last running total, else the sum of the calls. The zero value is ready. A copy shares what is added later.
type UsageTotal struct {
	calls, runs      *Usage // sums; nil while there is none of the kind: most streams tell one kind, if any
	process, session map[string]Usage
}

func addUsage(to **Usage, u *Usage) {
	if *to == nil {
		*to = &Usage{}
	}
	sum := *to
	sum.Tokens.Add(u.Tokens)
	sum.Provider.Add(u.Provider)
	sum.CostUSD += u.CostUSD
	sum.HasCost = sum.HasCost || u.HasCost
}

// Add takes in the usage of one event that concerns model.
func (t *UsageTotal) Add(model string, u *Usage) {
	switch u.Scope {
	case UsageScopeRun:
		addUsage(&t.runs, u)
	case UsageScopeProcess:
		if t.process == nil {
			t.process = map[string]Usage{}
		}
		t.process[model] = *u
	case UsageScopeSession:
		if t.session == nil {
			t.session = map[string]Usage{}
		}
		t.session[model] = *u
	default:
		addUsage(&t.calls, u)
	}
}

// Sum is the total of all that was added. Its Scope is [UsageScopeRun].
func (t *UsageTotal) Sum() Usage {
	sum := t.calls
	switch {
	case t.runs != nil:
		sum = t.runs
	case len(t.process) > 0:
		sum = sumOf(t.process)
	case len(t.session) > 0:
		sum = sumOf(t.session)
	case sum == nil:
		sum = &Usage{}
	}
	total := *sum
	total.Scope = UsageScopeRun
	return total
}

func sumOf(models map[string]Usage) (sum *Usage) {
	for _, u := range models {
		addUsage(&sum, &u)
	}
	return sum
}
