package agentstreamreceiver

import (
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configretry"

	"github.com/tailspan/tailspan/config"
)

// Config is the configuration of the receiver.
type Config struct {
	// Stream configures which files are read, and how.
	Stream config.Stream `mapstructure:",squash"`
	// Commands are agents that the receiver runs itself. They require the feature gate receiver.agent_stream.commands.
	Commands []config.Command `mapstructure:"commands"`
	// Pipes are named pipes that agents write to, and standard input.
	Pipes []config.Pipe `mapstructure:"pipes"`
	// Spool configures where the output of commands and the input of pipes is stored until it is acknowledged.
	Spool config.Spool `mapstructure:"spool"`
	// Identity configures which pipeline, step and persona the work belongs to.
	Identity config.Identity `mapstructure:",squash"`
	// Telemetry configures the form and content of spans and records.
	Telemetry config.Telemetry `mapstructure:",squash"`
	// Redaction configures which secrets are removed from events.
	Redaction config.Redaction `mapstructure:"redaction"`
	// Storage is the storage extension that keeps offsets and states across restarts; default: none.
	Storage *component.ID `mapstructure:"storage"`
	// Delivery configures how batches are sent to consumers.
	Delivery config.Delivery `mapstructure:",squash"`
	// Retry configures how a refused batch is retried. By default retries never end, and the source waits.
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
