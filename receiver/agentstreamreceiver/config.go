package agentstreamreceiver

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configretry"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/tail"
)

// Config is the configuration of the receiver.
type Config struct {
	// Stream says which files are read, and how.
	Stream config.Stream `mapstructure:",squash"`
	// Commands are agents that the receiver runs itself. They need the feature gate receiver.agent_stream.commands.
	Commands []config.Command `mapstructure:"commands"`
	// Pipes are named pipes that agents write to, and standard input.
	Pipes []config.Pipe `mapstructure:"pipes"`
	// Spool says where the output of commands and the input of pipes lies until it has been accepted.
	Spool config.Spool `mapstructure:"spool"`
	// Identity says whose work they are.
	Identity config.Identity `mapstructure:",squash"`
	// Telemetry says what spans and records look like and hold.
	Telemetry config.Telemetry `mapstructure:",squash"`
	// Redaction says which secrets are taken out of events.
	Redaction config.Redaction `mapstructure:"redaction"`
	// Storage is the storage extension that stores offsets and states over a restart; default: none.
	Storage *component.ID `mapstructure:"storage"`
	// Delivery says how batches are handed to consumers.
	Delivery config.Delivery `mapstructure:",squash"`
	// Retry says how a batch that a consumer refuses is retried. By default there is no end to it: the source waits.
	Retry configretry.BackOffConfig `mapstructure:"retry_on_failure"`
}

func createDefaultConfig() component.Config {
	return &Config{
		Stream:    config.NewDefaultStream(),
		Spool:     config.NewDefaultSpool(),
		Identity:  config.NewDefaultIdentity(),
		Telemetry: config.NewDefaultTelemetry(),
		Redaction: config.NewDefaultRedaction(),
		Delivery:  config.NewDefaultDelivery(),
		Retry:     newDefaultRetry(),
	}
}

// newDefaultRetry never gives up: the source waits for the consumers.
func newDefaultRetry() configretry.BackOffConfig {
	retry := configretry.NewDefaultBackOffConfig()
	retry.InitialInterval, retry.MaxInterval, retry.MaxElapsedTime, retry.Multiplier = 100*time.Millisecond, 30*time.Second, 0, 2
	return retry
}

// Validate reports everything that is wrong, each with its key and value.
func (c *Config) Validate() error {
	errs := []error{c.Stream.Check(), c.validateCommands(), c.validatePipes(), c.Spool.Check(), c.Identity.Check(), c.Telemetry.Check(), c.Delivery.Check()}
	if len(c.Stream.Include)+len(c.Stream.Databases)+len(c.Commands)+len(c.Pipes) == 0 {
		errs = append(errs, errors.New("include is required: name at least one glob of files to read, or databases, pipes or commands"))
	}
	if _, err := newRedactor(c); err != nil {
		errs = append(errs, fmt.Errorf("redaction: %w", err))
	}
	for key, globs := range map[string][]string{
		"include": c.Stream.Include, "exclude": c.Stream.Exclude, "databases": c.Stream.Databases,
	} {
		for _, glob := range globs {
			errs = append(errs, tail.ValidateGlob(key, glob))
		}
	}
	if _, err := otlp.ParseTraceParent(c.Identity.TraceParent); err != nil {
		errs = append(errs, fmt.Errorf("traceparent: %w", err))
	}
	errs = append(errs, validProvider(c.Stream.Provider))
	errs = append(errs, validateRetry(&c.Retry))
	return errors.Join(errs...)
}

// validateRetry reports what configretry allows and would retry without a wait: an exporter drops after a while, the receiver
// has no such end.
func validateRetry(r *configretry.BackOffConfig) error {
	if !r.Enabled {
		return nil
	}
	var errs []error
	if r.InitialInterval == 0 { // configretry reports a negative one
		errs = append(errs, fmt.Errorf("retry_on_failure::initial_interval must be positive, got %v", r.InitialInterval))
	}
	if r.MaxInterval < r.InitialInterval {
		errs = append(errs, fmt.Errorf("retry_on_failure::max_interval must not be below retry_on_failure::initial_interval (%v), got %v", r.InitialInterval, r.MaxInterval))
	}
	if r.Multiplier >= 0 && r.Multiplier < 1 {
		errs = append(errs, fmt.Errorf("retry_on_failure::multiplier must be at least 1, got %v", r.Multiplier))
	}
	return errors.Join(errs...)
}

func validProvider(name string) error {
	if names := parser.Names(); !slices.Contains(names, name) {
		return fmt.Errorf("provider must be one of %s, got %q", strings.Join(names, ", "), name)
	}
	return nil
}
