package config

import (
	"errors"
	"fmt"
)

// Values of Delivery.OnPermanentError.
const (
	OnPermanentErrorDrop  = "drop"
	OnPermanentErrorRetry = "retry"
)

// Delivery configures how batches are sent to consumers.
type Delivery struct {
	// MaxBatchSize is the maximum size of a batch in bytes, encoded as OTLP protobuf without compression. A single span or log
	// record may be larger; it is cut if a consumer refuses it.
	MaxBatchSize Size `mapstructure:"max_batch_size"`
	// OnPermanentError is what happens to a batch that a consumer rejects permanently: "drop" counts and drops it, "retry"
	// keeps it and tries again.
	OnPermanentError string `mapstructure:"on_permanent_error"`
}

// NewDefaultDelivery returns the defaults. A gRPC server accepts 4 MiB by default.
func NewDefaultDelivery() Delivery {
	return Delivery{MaxBatchSize: 2 << 20, OnPermanentError: OnPermanentErrorDrop}
}

// Check returns what is wrong.
func (d *Delivery) Check() error {
	errs := []error{positive("max_batch_size", d.MaxBatchSize)}
	if d.OnPermanentError != OnPermanentErrorDrop && d.OnPermanentError != OnPermanentErrorRetry {
		errs = append(errs, fmt.Errorf("on_permanent_error must be %q or %q, got %q", OnPermanentErrorDrop, OnPermanentErrorRetry, d.OnPermanentError))
	}
	return errors.Join(errs...)
}
