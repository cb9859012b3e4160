package pipeline

import (
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/telemetry"
)

// ReadPrices reads a file of prices; with an empty path there are none.
func ReadPrices(path string) (telemetry.Prices, error) {
	if path == "" {
		return nil, nil
	}
	list, err := config.ReadPrices(path)
	if err != nil {
		return nil, err
	}
	prices := make(telemetry.Prices, 0, len(list))
	for _, p := range list {
		prices = append(prices, telemetry.Price{
			Model: p.Model, Input: *p.Input, Cached: *p.Cached, CacheWrite5m: *p.CacheWrite5m, CacheWrite1h: *p.CacheWrite1h, Output: *p.Output,
		})
	}
	return prices, nil
}
