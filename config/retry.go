package config

import (
	"errors"
	"fmt"
	"time"
)

// Retry says how a consumer that refuses is tried again. There is no end to it: the source waits.
type Retry struct {
	// InitialInterval is the first wait; each further one is twice as long.
	InitialInterval time.Duration `mapstructure:"initial_interval"`
	// MaxInterval is the longest wait.
	MaxInterval time.Duration `mapstructure:"max_interval"`
}

// NewDefaultRetry are the defaults.
func NewDefaultRetry() Retry {
	return Retry{InitialInterval: 100 * time.Millisecond, MaxInterval: 30 * time.Second}
}

// Check reports what is wrong.
func (r *Retry) Check() error {
	errs := []error{
		positiveDuration("retry::initial_interval", r.InitialInterval),
		positiveDuration("retry::max_interval", r.MaxInterval),
	}
	if r.MaxInterval < r.InitialInterval {
		errs = append(errs, fmt.Errorf("retry::max_interval must not be below retry::initial_interval (%v), got %v", r.InitialInterval, r.MaxInterval))
	}
	return errors.Join(errs...)
}
