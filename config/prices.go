package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"go.yaml.in/yaml/v3"
)

// Price is what a model costs, in US dollars per million tokens. Prices that are not set default to that of input; that of
// cache writes for an hour defaults to that for five minutes.
type Price struct {
	// Model is the name of the model; an asterisk matches any part of it.
	Model        string   `yaml:"model"`
	Input        *float64 `yaml:"input"`
	Cached       *float64 `yaml:"cached"`
	CacheWrite5m *float64 `yaml:"cache_write_5m"`
	CacheWrite1h *float64 `yaml:"cache_write_1h"`
	Output       *float64 `yaml:"output"`
}

// Limits of a price file: its size in bytes, its number of entries, and a price in US dollars.
const (
	maxPricesSize = 1 << 20
	maxPrices     = 1000
	maxPrice      = 1e6
)

// ReadPrices reads a price file: a list in YAML or JSON whose first matching entry applies to a model. The error contains
// every invalid entry.
func ReadPrices(path string) ([]Price, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open prices: %w", err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxPricesSize+1))
	if err != nil {
		return nil, fmt.Errorf("read prices %q: %w", path, err)
	}
	if len(content) > maxPricesSize {
		return nil, fmt.Errorf("read prices %q: longer than %d bytes", path, maxPricesSize)
	}
	var list []Price
	d := yaml.NewDecoder(bytes.NewReader(content))
	d.KnownFields(true)
	if err := d.Decode(&list); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read prices %q: %w", path, err)
	}
	if len(list) > maxPrices {
		return nil, fmt.Errorf("read prices %q: at most %d entries, got %d", path, maxPrices, len(list))
	}
	var errs []error
	for i := range list {
		if err := list[i].check(); err != nil {
			errs = append(errs, fmt.Errorf("read prices %q: entry %d: %w", path, i+1, err))
		}
	}
	return list, errors.Join(errs...)
}

func (p *Price) check() error {
	if p.Model == "" {
		return errors.New("model is required")
	}
	if p.Input == nil || p.Output == nil {
		return fmt.Errorf("%q: input and output are required", p.Model)
	}
	p.Cached, p.CacheWrite5m = priceOr(p.Cached, p.Input), priceOr(p.CacheWrite5m, p.Input)
	p.CacheWrite1h = priceOr(p.CacheWrite1h, p.CacheWrite5m)
	for _, usd := range [...]float64{*p.Input, *p.Cached, *p.CacheWrite5m, *p.CacheWrite1h, *p.Output} {
		if !(usd >= 0 && usd <= maxPrice) {
			return fmt.Errorf("%q: a price must be from 0 to %.0f, got %v", p.Model, maxPrice, usd)
		}
	}
	return nil
}

func priceOr(price, other *float64) *float64 {
	if price == nil {
		return other
	}
	return price
}
