package config

import (
	"errors"
	"fmt"
	"time"
)

// Values of Metrics.Temporality.
const (
	TemporalityCumulative = "cumulative"
	TemporalityDelta      = "delta"
)

// Metrics configures how metrics are exported.
type Metrics struct {
	// Interval is the time between two exports.
	Interval time.Duration `mapstructure:"interval"`
	// Temporality is what a data point covers: everything since the start ("cumulative") or since the last export ("delta").
	Temporality string `mapstructure:"temporality"`
	// PromoteResourceAttributes adds pipeline, step and the configured resource attributes to the data points too.
	PromoteResourceAttributes bool `mapstructure:"promote_resource_attributes"`
}

// NewDefaultMetrics returns the defaults.
func NewDefaultMetrics() Metrics {
	return Metrics{Interval: 30 * time.Second, Temporality: TemporalityCumulative, PromoteResourceAttributes: true}
}

func (m *Metrics) check() error {
	err := positiveDuration("metrics::interval", m.Interval)
	if m.Temporality != TemporalityCumulative && m.Temporality != TemporalityDelta {
		err = errors.Join(err, fmt.Errorf("metrics::temporality must be %q or %q, got %q", TemporalityCumulative, TemporalityDelta, m.Temporality))
	}
	return err
}
