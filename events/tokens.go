package events

// Tokens counts tokens of one call or of a sum of calls.
type Tokens struct {
	Input      int64
	Output     int64
	CacheRead  int64
	CacheWrite int64
	Reasoning  int64
	// CacheWrite5m and CacheWrite1h are the parts of CacheWrite that are kept for five minutes and for an hour, which have
	// different prices; both 0 where the format does not keep them apart.
	CacheWrite5m int64
	CacheWrite1h int64
}

// Each field is named below: a function for each pair of counts, called in a loop, costs ten times as much, and every line
// of a model message comes by here.

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

// Sub gives t less o.
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

// Larger gives the larger of each count.
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

// Smaller gives the smaller of each count.
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

// Beyond is what t has over o, of each count at least 0.
func (t Tokens) Beyond(o Tokens) Tokens { return t.Sub(o).atLeastZero() }

func (t Tokens) atLeastZero() Tokens { return t.Larger(Tokens{}) }

// Max raises every field of t to that of o and returns what was added.
func (t *Tokens) Max(o Tokens) (grown Tokens) {
	grown = o.Beyond(*t)
	t.Add(grown)
	return grown
}
