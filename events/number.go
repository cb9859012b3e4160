package events

import "time"

// Limits of the numbers in a line. A larger or negative number is not a measurement: the line may be torn, forged or
// written by a faulty program, and one such number would dominate every sum. Package parser ignores and counts these
// numbers, so its events never contain one.
const (
	// MaxTokens is the largest number of tokens of one event. Programs without integers write numbers up to 2^53 exactly;
	// larger ones are rounded at best.
	MaxTokens = 1 << 54
	// MaxCostUSD is the largest cost of one event, in US dollars.
	MaxCostUSD = 1e6
	// MaxDuration is the longest duration of a call, turn or run.
	MaxDuration = 30 * 24 * time.Hour
	// MaxCount is the largest number of lines or turns.
	MaxCount = 1 << 31
)

// The times that a line can have. Outside of this range the time does not, or only just, fit into OTLP's nanoseconds since 1970.
var (
	minTime = time.Unix(0, 0)
	maxTime = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// Number is a kind of number, used to count ignored numbers.
type Number uint8

// The kinds of numbers.
const (
	NumberTokens Number = iota
	NumberCost
	NumberDuration
	NumberCount // of lines or turns, or an exit code
	NumberTime

	NumberEnd // the number of kinds
)

var numberNames = [NumberEnd]string{"tokens", "cost", "duration", "count", "time"}

// String returns the wire name.
func (n Number) String() string {
	if n < NumberEnd {
		return numberNames[n]
	}
	return "unknown"
}

// Plausible reports whether no count of t is negative or above [MaxTokens].
func (t Tokens) Plausible() bool { return t.plausibleInput() && t.plausibleOutput() }

func (t Tokens) plausibleInput() bool {
	for _, n := range [...]int64{t.Input, t.CacheRead, t.CacheWrite, t.CacheWrite5m, t.CacheWrite1h} {
		if !plausible(n, MaxTokens) {
			return false
		}
	}
	return true
}

func (t Tokens) plausibleOutput() bool {
	return plausible(t.Output, MaxTokens) && plausible(t.Reasoning, MaxTokens)
}

// PlausibleCost reports whether a cost is a number between 0 and [MaxCostUSD].
func PlausibleCost(usd float64) bool { return usd >= 0 && usd <= MaxCostUSD }

// PlausibleDuration reports whether d is between 0 and [MaxDuration].
func PlausibleDuration(d time.Duration) bool { return d >= 0 && d <= MaxDuration }

func plausible(n, most int64) bool { return n >= 0 && n <= most }

// IgnoredNumbers counts ignored numbers by kind.
type IgnoredNumbers [NumberEnd]int

// Sanitize removes implausible numbers from an event and counts them. It returns false if the whole event must be ignored:
// a cost without tokens, or a running total with an unknown part, because the next total would then count that part twice.
func (n *IgnoredNumbers) Sanitize(e *DisplayEvent) bool {
	if !e.Time.IsZero() && (e.Time.Before(minTime) || e.Time.After(maxTime)) {
		e.Time = time.Time{}
		n[NumberTime]++
	}
	switch e.Kind {
	case KindUsage:
		return e.Usage == nil || n.usage(e.Usage)
	case KindToolResult, KindToolProgress:
		n.tool(&e.Tool)
	case KindTurnDone, KindTurnAborted, KindSessionEnded:
		if e.End != nil {
			n.end(e.End)
		}
	}
	return true
}

// usage removes implausible numbers in groups: input with its parts, output with its parts, and the cost.
func (n *IgnoredNumbers) usage(u *Usage) bool {
	input := u.Tokens.plausibleInput() && u.Provider.plausibleInput()
	output := u.Tokens.plausibleOutput() && u.Provider.plausibleOutput()
	cost := !u.HasCost || PlausibleCost(u.CostUSD)
	nothing := !cost && u.CostAlone() // is left otherwise
	served := plausible(u.WebSearches, MaxCount) && plausible(u.WebFetches, MaxCount)
	cached := plausible(u.SessionCacheHit, MaxTokens) && plausible(u.SessionCacheMiss, MaxTokens)
	if !served {
		u.WebSearches, u.WebFetches = 0, 0
		n[NumberCount]++
	}
	if input && output && cost && cached {
		return true
	}
	for _, t := range [...]*Tokens{&u.Tokens, &u.Provider} {
		if !input {
			t.Input, t.CacheRead, t.CacheWrite, t.CacheWrite5m, t.CacheWrite1h = 0, 0, 0, 0, 0
		}
		if !output {
			t.Output, t.Reasoning = 0, 0
		}
	}
	if !cost {
		u.CostUSD, u.HasCost = 0, false
		n[NumberCost]++
	}
	if !cached {
		u.SessionCacheHit, u.SessionCacheMiss = 0, 0
	}
	for _, whole := range [...]bool{input, output, cached} {
		if !whole {
			n[NumberTokens]++
		}
	}
	return !nothing && u.Scope != UsageScopeProcess && u.Scope != UsageScopeSession
}

func (n *IgnoredNumbers) tool(t *Tool) {
	n.duration(&t.Duration)
	if t.HasLines && !plausible(int64(t.Lines), MaxCount) {
		t.Lines, t.HasLines = 0, false
		n[NumberCount]++
	}
	// Exit codes on Windows are unsigned 32-bit numbers.
	if t.HasExitCode && (t.ExitCode < -1<<31 || int64(t.ExitCode) >= 1<<32) {
		t.ExitCode, t.HasExitCode = 0, false
		n[NumberCount]++
	}
}

func (n *IgnoredNumbers) end(e *End) {
	n.duration(&e.Duration)
	if !plausible(int64(e.Turns), MaxCount) {
		e.Turns = 0
		n[NumberCount]++
	}
}

func (n *IgnoredNumbers) duration(d *time.Duration) {
	if !PlausibleDuration(*d) {
		*d = 0
		n[NumberDuration]++
	}
}
