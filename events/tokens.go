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

// counts lists the fields.
func (t *Tokens) counts() [7]*int64 {
	return [...]*int64{&t.Input, &t.Output, &t.CacheRead, &t.CacheWrite, &t.Reasoning, &t.CacheWrite5m, &t.CacheWrite1h}
}

// each gives the tokens whose fields are f of those of t and o.
func (t Tokens) each(o Tokens, f func(a, b int64) int64) Tokens {
	other := o.counts()
	for i, n := range t.counts() {
		*n = f(*n, *other[i])
	}
	return t
}

// Add adds o to t.
func (t *Tokens) Add(o Tokens) { *t = t.each(o, func(a, b int64) int64 { return a + b }) }

// Sub gives t less o.
func (t Tokens) Sub(o Tokens) Tokens {
	return t.each(o, func(a, b int64) int64 { return a - b })
}

// Larger gives the larger of each count.
func (t Tokens) Larger(o Tokens) Tokens {
	return t.each(o, func(a, b int64) int64 { return max(a, b) })
}

// Smaller gives the smaller of each count.
func (t Tokens) Smaller(o Tokens) Tokens {
	return t.each(o, func(a, b int64) int64 { return min(a, b) })
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
