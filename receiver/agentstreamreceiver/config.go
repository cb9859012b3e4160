package agentstreamreceiver

import (
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configretry"

	"github.com/tailspan/tailspan/config"
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
