package events

import "time"

// What a number of a line can be. A number beyond that, or below zero, was not measured: a line may be torn, forged or
// written by a program with a fault, and one such number would outweigh all others in a sum. Package parser ignores and
// counts these, so no event that it gives has one.
const (
	// MaxTokens is the largest number of tokens of one event. Programs that have no integers write numbers up to 2^53 exactly;
	// what is larger was rounded at best.
	MaxTokens = 1 << 54
	// MaxCostUSD is the largest cost of one event, in US dollars.
	MaxCostUSD = 1e6
	// MaxDuration is the longest duration of a call, turn or run.
	MaxDuration = 30 * 24 * time.Hour
	// MaxCount is the largest number of lines or turns.
	MaxCount = 1 << 31
)

// The times that a line can have. Outside of them no nanoseconds since 1970 fit into what OTLP has for them, or nearly none.
var (
	minTime = time.Unix(0, 0)
	maxTime = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// Number is the kind of a number, for counting those that were ignored.
type Number uint8

// The kinds of numbers.
const (
	NumberTokens Number = iota
	NumberCost
	NumberDuration
	NumberCount // of lines or turns, or an exit code
	NumberTime

	NumberEnd // how many kinds there are
)

var numberNames = [NumberEnd]string{"tokens", "cost", "duration", "count", "time"}

// String gives the wire name.
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

// PlausibleCost reports whether a cost is neither negative nor above [MaxCostUSD], and a number.
func PlausibleCost(usd float64) bool { return usd >= 0 && usd <= MaxCostUSD }

// PlausibleDuration reports whether d is neither negative nor above [MaxDuration].
func PlausibleDuration(d time.Duration) bool { return d >= 0 && d <= MaxDuration }

func plausible(n, most int64) bool { return n >= 0 && n <= most }

// IgnoredNumbers counts the numbers that were ignored, by kind.
type IgnoredNumbers [NumberEnd]int

// Sanitize takes out of an event the numbers that are not plausible, and counts them. It reports false for an event that
// is to be ignored as a whole: a cost alone, or a running total of which a part is not known, which would make what follows
// it count twice.
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

// usage ignores what is not plausible: input and what is part of it, output and what is part of it, and the cost.
func (n *IgnoredNumbers) usage(u *Usage) bool {
	input := u.Tokens.plausibleInput() && u.Provider.plausibleInput()
	output := u.Tokens.plausibleOutput() && u.Provider.plausibleOutput()
	cost := !u.HasCost || PlausibleCost(u.CostUSD)
	nothing := !cost && u.CostAlone() // is left
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
	// Windows has exit codes of 32 bits without a sign.
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
