package config

import (
	"errors"
	"fmt"
	"slices"
)

// Identity says whose work the streams are.
type Identity struct {
	// Pipeline becomes cicd.pipeline.name and its fellows.
	Pipeline Pipeline `mapstructure:"pipeline"`
	// Persona names the top agent (gen_ai.agent.name).
	Persona string `mapstructure:"persona"`
	// Attributes are further resource attributes.
	Attributes map[string]string `mapstructure:"attributes"`
	// PathPattern takes attributes out of the paths of the files; see [PathPattern].
	PathPattern string `mapstructure:"path_pattern"`
	// InBand says what the first line of a stream may set: nothing ("off"), whose work it is ("identity"), or any resource
	// attribute ("all"). See [InBand].
	InBand string `mapstructure:"in_band"`
	// Environment takes attributes out of the variables of our own process: OTEL_RESOURCE_ATTRIBUTES and those of the
	// CI system. It is for a collector that runs in the same job as the agents.
	Environment bool `mapstructure:"environment"`
	// TraceParent is the span that the work hangs under, as W3C Trace Context spells it; TRACEPARENT of the process if
	// Environment is set and this is not.
	TraceParent string `mapstructure:"traceparent"`
}

// Pipeline is the identity of a pipeline run and of a step in it.
type Pipeline struct {
	Name      string `mapstructure:"name"`
	RunID     string `mapstructure:"run_id"`
	Task      string `mapstructure:"task"`
	TaskRunID string `mapstructure:"task_run_id"`
}

// NewDefaultIdentity are the defaults.
func NewDefaultIdentity() Identity { return Identity{InBand: InBandIdentity} }

// Check reports what is wrong.
func (i *Identity) Check() error {
	var errs []error
	if _, err := ParsePathPattern(i.PathPattern); err != nil {
		errs = append(errs, fmt.Errorf("path_pattern %q: %w", i.PathPattern, err))
	}
	return errors.Join(append(errs, CheckInBand("in_band", i.InBand))...)
}

// CheckInBand reports a value that is none of in_band, under the name of its setting.
func CheckInBand(name, value string) error {
	if !slices.Contains([]string{InBandOff, InBandIdentity, InBandAll}, value) {
		return fmt.Errorf("%s must be %q, %q or %q, got %q", name, InBandOff, InBandIdentity, InBandAll, value)
	}
	return nil
}
