package config

import (
	"errors"
	"fmt"
	"slices"
)

// Identity configures which pipeline, step and persona the streams belong to.
type Identity struct {
	// Pipeline sets cicd.pipeline.name and the related attributes.
	Pipeline OwnPipeline `mapstructure:"pipeline"`
	// Persona is the name of the top-level agent (gen_ai.agent.name).
	Persona string `mapstructure:"persona"`
	// Resource are additional resource attributes of all three signals. They override those of the agent and its stream.
	Resource map[string]string `mapstructure:"resource"`
	// Attributes are attributes added to each span and log record.
	Attributes map[string]string `mapstructure:"attributes"`
	// PathPattern describes the end of file paths, with attribute names in braces whose values become resource attributes.
	PathPattern string `mapstructure:"path_pattern"`
	// InBand is what the first line of a stream may set: nothing ("off"), the identity of its work ("identity"), or any
	// resource attribute ("all").
	InBand string `mapstructure:"in_band"`
	// Environment reads attributes from the collector's environment variables OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES,
	// and from those of the CI system. It is for a collector that runs in the same job as the agents.
	Environment bool `mapstructure:"environment"`
	// TraceParent is the parent span of the work, in W3C Trace Context format. With environment, it defaults to the
	// collector's variable TRACEPARENT.
	TraceParent string `mapstructure:"traceparent"`
}

// Pipeline is the identity of a pipeline run and of a step in it.
type Pipeline struct {
	// Name is the name of the pipeline (cicd.pipeline.name).
	Name string `mapstructure:"name"`
	// RunID is the ID of the pipeline run (cicd.pipeline.run.id).
	RunID string `mapstructure:"run_id"`
	// Task is the name of the step (cicd.pipeline.task.name).
	Task string `mapstructure:"task"`
	// TaskRunID is the ID of the run of the step (cicd.pipeline.task.run.id).
	TaskRunID string `mapstructure:"task_run_id"`
}

// OwnPipeline is the pipeline of the receiver.
type OwnPipeline struct {
	Pipeline `mapstructure:",squash"`
	// ServiceName is service.name of the spans of pipelines and steps, which do not belong to an agent.
	ServiceName string `mapstructure:"service_name"`
}

// DefaultPipelineService is the default service name of pipelines and steps.
const DefaultPipelineService = "tailspan"

// NewDefaultIdentity returns the defaults.
func NewDefaultIdentity() Identity {
	return Identity{InBand: InBandIdentity, Pipeline: OwnPipeline{ServiceName: DefaultPipelineService}}
}

// Check returns what is wrong.
func (i *Identity) Check() error {
	var errs []error
	if _, err := ParsePathPattern(i.PathPattern); err != nil {
		errs = append(errs, fmt.Errorf("path_pattern %q: %w", i.PathPattern, err))
	}
	if i.Pipeline.ServiceName == "" {
		errs = append(errs, errors.New(`pipeline::service_name must not be empty`))
	}
	return errors.Join(append(errs, CheckInBand("in_band", i.InBand))...)
}

// CheckInBand returns an error for an invalid value of in_band; name is the name of the setting.
func CheckInBand(name, value string) error {
	if !slices.Contains([]string{InBandOff, InBandIdentity, InBandAll}, value) {
		return fmt.Errorf("%s must be %q, %q or %q, got %q", name, InBandOff, InBandIdentity, InBandAll, value)
	}
	return nil
}
