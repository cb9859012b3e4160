package ledger

import (
	"strings"

	"github.com/tailspan/tailspan/events"
)

// Price is the price of a model in US dollars per million tokens.
type Price struct {
	// Model is the name of the model; an asterisk matches any part.
	Model string

	Input, Cached, CacheWrite5m, CacheWrite1h, Output float64
}

// Prices is a list of prices. The first match counts.
type Prices []Price

// of returns the price of a model, or nil.
func (p Prices) of(model string) *Price {
	for i := range p {
		if fits(p[i].Model, model) {
			return &p[i]
		}
	}
	return nil
}

// Cost returns the cost of tokens of a model, and false if the model has no price.
func (p Prices) Cost(model string, t events.Tokens) (usd float64, known bool) {
	price := p.of(model)
	if price == nil {
		return 0, false
	}
	return price.cost(t), true
}

// fits reports whether name matches pattern, in which an asterisk matches any part.
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

// cost returns the cost of tokens. Cache writes without a lifetime count as kept for five minutes, the default of the
// servers.
func (p *Price) cost(t events.Tokens) float64 {
	plain := max(t.Input-t.CacheRead-t.CacheWrite, 0)
	short := max(t.CacheWrite-t.CacheWrite1h, 0)
	return (float64(plain)*p.Input + float64(t.CacheRead)*p.Cached + float64(short)*p.CacheWrite5m +
		float64(t.CacheWrite1h)*p.CacheWrite1h + float64(t.Output)*p.Output) / 1e6
}

// Estimate returns the cost of each model by the prices. It returns nil if the agent reported a cost, if some tokens
// are unknown, or if a model with usage has no price.
func (l *Ledger) Estimate() (costs ByModel) {
	calls, totals := l.calls.Total(), l.totals.Total()
	unknown := l.Partial || l.LacksOutput() || l.outside != nil && l.outside.below.Tokens != (events.Tokens{}) && !l.outside.below.HasCost
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
