package agentstreamreceiver

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/featuregate"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/spooled"
	"github.com/tailspan/tailspan/tail"
)

// Validate returns everything that is wrong, each error with its key and value.
func (c *Config) Validate() error {
	errs := []error{
		c.Stream.Check(), c.validateCommands(), c.validatePipes(), c.Spool.Check(), c.Identity.Check(), c.Telemetry.Check(), c.Delivery.Check(),
	}
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

// validateRetry returns errors for values that configretry allows but that would retry without a wait: an exporter eventually
// drops a batch, whereas the receiver retries forever.
func validateRetry(r *configretry.BackOffConfig) error {
	if !r.Enabled {
		return nil
	}
	var errs []error
	if r.InitialInterval == 0 { // configretry reports negative ones
		errs = append(errs, fmt.Errorf("retry_on_failure::initial_interval must be positive, got %v", r.InitialInterval))
	}
	if r.MaxInterval < r.InitialInterval {
		const below = "retry_on_failure::max_interval must not be below retry_on_failure::initial_interval (%v), got %v"
		errs = append(errs, fmt.Errorf(below, r.InitialInterval, r.MaxInterval))
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

// providerOr returns name, or the provider of the receiver if name is empty.
func (c *Config) providerOr(name string) string { return cmp.Or(name, c.Stream.Provider) }

// commandsGateID is the feature gate of commands: with it, the configuration runs programs as the user of the collector.
const commandsGateID = "receiver.agent_stream.commands"

// commandsGate is registered globally, like all gates of collector components.
var commandsGate = featuregate.GlobalRegistry().MustRegister(
	commandsGateID, featuregate.StageAlpha,
	featuregate.WithRegisterDescription("Lets the receiver agent_stream run the agents that its setting commands names."),
)

// errCommandsOff means that commands are set and the gate is not enabled.
var errCommandsOff = errors.New("commands are disabled")

// validateCommands returns what is wrong with the commands.
func (c *Config) validateCommands() error {
	if len(c.Commands) == 0 {
		return nil
	}
	var errs []error
	if !commandsGate.IsEnabled() {
		errs = append(errs, fmt.Errorf("%w: start the collector with --feature-gates=%s to enable them", errCommandsOff, commandsGateID))
	}
	for i := range c.Commands {
		command := &c.Commands[i]
		if err := errors.Join(command.Check(), validProvider(c.providerOr(command.Provider))); err != nil {
			errs = append(errs, fmt.Errorf("commands[%d]: %w", i, err))
			continue
		}
		if _, err := spooled.Words(command, c.providerOr(command.Provider)); err != nil {
			errs = append(errs, fmt.Errorf("commands[%d]: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

// validatePipes returns what is wrong with the pipes.
func (c *Config) validatePipes() error {
	var errs []error
	seen := map[string]bool{}
	for i := range c.Pipes {
		p := &c.Pipes[i]
		err := errors.Join(p.Check(), validProvider(c.providerOr(p.Provider)))
		switch {
		case p.Path == "":
		case seen[p.Path]:
			err = errors.Join(err, fmt.Errorf("path %q is listed twice", p.Path))
		case p.Path != config.StdinPath && runtime.GOOS == "windows":
			err = errors.Join(err, fmt.Errorf("path %q: this system has no FIFOs, only %q", p.Path, config.StdinPath))
		}
		seen[p.Path] = true
		if err != nil {
			errs = append(errs, fmt.Errorf("pipes[%d]: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

// Unmarshal reads the configuration. An identity that is a number or boolean in YAML is an error with advice, because
// converting it would change it: 007 is already 7, and 1.10 is 1.1.
func (c *Config) Unmarshal(conf *confmap.Conf) error {
	if err := conf.Unmarshal(c); err != nil {
		return errors.Join(err, unquoted(conf.ToStringMap()))
	}
	return nil
}

// unquoted returns errors for identities that are not strings.
func unquoted(settings map[string]any) error {
	errs := unquotedOf("", settings)
	for _, list := range []string{"commands", "pipes"} {
		items, _ := settings[list].([]any)
		for i, item := range items {
			if m, ok := item.(map[string]any); ok {
				errs = append(errs, unquotedOf(fmt.Sprintf("%s[%d]::", list, i), m)...)
			}
		}
	}
	return errors.Join(errs...)
}

func unquotedOf(under string, settings map[string]any) (errs []error) {
	for _, name := range []string{"pipeline", "attributes"} {
		values, _ := settings[name].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(values)) {
			switch values[key].(type) {
			case int, int64, uint64, float64, bool:
				errs = append(errs, fmt.Errorf("%s%s::%s must be a string: quote its value", under, name, key))
			}
		}
	}
	return errs
}
