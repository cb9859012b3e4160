package events

// Tokens counts the tokens of one call or of several calls.
type Tokens struct {
	Input      int64
	Output     int64
	CacheRead  int64
	CacheWrite int64
	Reasoning  int64
	// CacheWrite5m and CacheWrite1h are the parts of CacheWrite with a lifetime of five minutes and one hour, which have
	// different prices. Both are 0 if the format does not distinguish them.
	CacheWrite5m int64
	CacheWrite1h int64
}

// The methods name each field: calling a function for each pair of counts in a loop costs ten times as much, and every
// line of a model message is counted here.

// Add adds o to t.
func (t *Tokens) Add(o Tokens) {
	t.Input += o.Input
	t.Output += o.Output
	t.CacheRead += o.CacheRead
	t.CacheWrite += o.CacheWrite
	t.Reasoning += o.Reasoning
	t.CacheWrite5m += o.CacheWrite5m
	t.CacheWrite1h += o.CacheWrite1h
}

// Sub returns t minus o.
func (t Tokens) Sub(o Tokens) Tokens {
	t.Input -= o.Input
	t.Output -= o.Output
	t.CacheRead -= o.CacheRead
	t.CacheWrite -= o.CacheWrite
	t.Reasoning -= o.Reasoning
	t.CacheWrite5m -= o.CacheWrite5m
	t.CacheWrite1h -= o.CacheWrite1h
	return t
}

// Larger returns the maximum of each count.
func (t Tokens) Larger(o Tokens) Tokens {
	t.Input = max(t.Input, o.Input)
	t.Output = max(t.Output, o.Output)
	t.CacheRead = max(t.CacheRead, o.CacheRead)
	t.CacheWrite = max(t.CacheWrite, o.CacheWrite)
	t.Reasoning = max(t.Reasoning, o.Reasoning)
	t.CacheWrite5m = max(t.CacheWrite5m, o.CacheWrite5m)
	t.CacheWrite1h = max(t.CacheWrite1h, o.CacheWrite1h)
	return t
}

// Smaller returns the minimum of each count.
func (t Tokens) Smaller(o Tokens) Tokens {
	t.Input = min(t.Input, o.Input)
	t.Output = min(t.Output, o.Output)
	t.CacheRead = min(t.CacheRead, o.CacheRead)
	t.CacheWrite = min(t.CacheWrite, o.CacheWrite)
	t.Reasoning = min(t.Reasoning, o.Reasoning)
	t.CacheWrite5m = min(t.CacheWrite5m, o.CacheWrite5m)
	t.CacheWrite1h = min(t.CacheWrite1h, o.CacheWrite1h)
	return t
}

// Beyond returns t minus o, with each count at least 0.
func (t Tokens) Beyond(o Tokens) Tokens { return t.Sub(o).atLeastZero() }

func (t Tokens) atLeastZero() Tokens { return t.Larger(Tokens{}) }

// Max raises each count of t to that of o if that is larger. It returns the increase.
func (t *Tokens) Max(o Tokens) (grown Tokens) {
	grown = o.Beyond(*t)
	t.Add(grown)
	return grown
}
