package config

import "fmt"

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

// Check reports a path pattern that can't be read.
func (i *Identity) Check() error {
	if _, err := ParsePathPattern(i.PathPattern); err != nil {
		return fmt.Errorf("path_pattern %q: %w", i.PathPattern, err)
	}
	return nil
}
