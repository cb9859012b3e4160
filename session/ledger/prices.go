package ledger

import (
	"strings"

	"github.com/tailspan/tailspan/events"
)

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	// Model is its name; an asterisk stands for any part of it.
	Model string

	Input, Cached, CacheWrite5m, CacheWrite1h, Output float64
}

// Prices is a list of prices. The first one that matches a model counts.
type Prices []Price

// of is the price of a model, nil if none is known.
func (p Prices) of(model string) *Price {
	for i := range p {
		if fits(p[i].Model, model) {
			return &p[i]
		}
	}
	return nil
}

// fits reports whether a name matches a pattern, in which an asterisk stands for any part.
func fits(pattern, name string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	parts := strings.Split(rest, "*")
	last := parts[len(parts)-1]
	for _, part := range parts[:len(parts)-1] {
		_, after, found := strings.Cut(name, part)
		if !found {
			return false
		}
		name = after
	}
	return strings.HasSuffix(name, last)
}

// cost is what tokens cost. What is written to the cache without a lifetime counts as kept for five minutes, the servers'
// default.
func (p *Price) cost(t events.Tokens) float64 {
	plain := max(t.Input-t.CacheRead-t.CacheWrite, 0)
	short := max(t.CacheWrite-t.CacheWrite1h, 0)
	return (float64(plain)*p.Input + float64(t.CacheRead)*p.Cached + float64(short)*p.CacheWrite5m +
		float64(t.CacheWrite1h)*p.CacheWrite1h + float64(t.Output)*p.Output) / 1e6
}

// Estimate gives what each model of a ledger cost by the prices. It is nil where the agent reported a cost, where not all
// tokens are known, and where a model that used some has no price.
func (l *Ledger) Estimate() (costs ByModel) {
	calls, totals := l.calls.Total(), l.totals.Total()
	unknown := l.Partial || l.UnknownOutputs > 0 && !l.HasTotals() || l.outside != nil && l.outside.below.Tokens != (events.Tokens{}) && !l.outside.below.HasCost
	if l.Prices == nil || len(*l.Prices) == 0 || calls.HasCost || totals.HasCost || unknown {
		return nil
	}
	for _, one := range l.byModel() {
		if one.Tokens == (events.Tokens{}) {
			continue
		}
		price := l.Prices.of(one.Model)
		if price == nil {
			return nil
		}
		costs.Of(one.Model).AddAll(&Sum{CostUSD: price.cost(one.Tokens), HasCost: true, Estimated: true})
	}
	return costs
}
