package pipeline

import (
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/session/ledger"
)

// ReadPrices reads a file of prices. With an empty path it returns none.
func ReadPrices(path string) (ledger.Prices, error) {
	if path == "" {
		return nil, nil
	}
	list, err := config.ReadPrices(path)
	if err != nil {
		return nil, err
	}
	prices := make(ledger.Prices, 0, len(list))
	for _, p := range list {
		prices = append(prices, ledger.Price{
			Model: p.Model, Input: *p.Input, Cached: *p.Cached, CacheWrite5m: *p.CacheWrite5m, CacheWrite1h: *p.CacheWrite1h, Output: *p.Output,
		})
	}
	return prices, nil
}
