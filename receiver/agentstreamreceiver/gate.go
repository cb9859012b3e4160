package agentstreamreceiver

import (
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/featuregate"
)

// commandsGateID is the feature gate of commands: with it, the configuration runs programs as the user of the collector.
const commandsGateID = "receiver.agent_stream.commands"

// commandsGate is registered with the process, as all gates of collector components are.
var commandsGate = featuregate.GlobalRegistry().MustRegister(
	commandsGateID, featuregate.StageAlpha,
	featuregate.WithRegisterDescription("Lets the receiver agent_stream run the agents that its setting commands names."),
)

// errCommandsOff: commands are set and the gate is not open.
var errCommandsOff = errors.New("commands are disabled")

// validateCommands reports what is wrong with the commands.
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
		if _, err := c.words(command); err != nil {
			errs = append(errs, fmt.Errorf("commands[%d]: %w", i, err))
		}
	}
	return errors.Join(errs...)
}
