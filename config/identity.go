package config

import (
	"errors"
	"fmt"
	"slices"
)

// Identity says whose work the streams are.
type Identity struct {
	// Pipeline becomes cicd.pipeline.name and the attributes beside it.
	Pipeline OwnPipeline `mapstructure:"pipeline"`
	// Persona names the top agent (gen_ai.agent.name).
	Persona string `mapstructure:"persona"`
	// Resource are further resource attributes, of all three signals. They win over what the agent and its stream have.
	Resource map[string]string `mapstructure:"resource"`
	// Attributes are attributes of each span and log record.
	Attributes map[string]string `mapstructure:"attributes"`
	// PathPattern describes the ends of paths, with attributes in braces, which the resource gets.
	PathPattern string `mapstructure:"path_pattern"`
	// InBand says what the first line of a stream may set: nothing ("off"), whose work it is ("identity"), or any resource
	// attribute ("all").
	InBand string `mapstructure:"in_band"`
	// Environment reads attributes from the variables of the collector: OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES and
	// those of the CI system. It is for a collector that runs in the same job as the agents.
	Environment bool `mapstructure:"environment"`
	// TraceParent is the span that the work hangs under, in the form of W3C Trace Context. With environment, the default is the
	// variable TRACEPARENT of the collector.
	TraceParent string `mapstructure:"traceparent"`
}

// Pipeline is the identity of a pipeline run and of a step in it.
type Pipeline struct {
	// Name is the name of the pipeline (cicd.pipeline.name).
	Name string `mapstructure:"name"`
	// RunID is the id of the pipeline's run (cicd.pipeline.run.id).
	RunID string `mapstructure:"run_id"`
	// Task is the name of the step (cicd.pipeline.task.name).
	Task string `mapstructure:"task"`
	// TaskRunID is the id of the step's run (cicd.pipeline.task.run.id).
	TaskRunID string `mapstructure:"task_run_id"`
}

// OwnPipeline is that of the receiver.
type OwnPipeline struct {
	Pipeline `mapstructure:",squash"`
	// ServiceName is service.name of the spans of pipelines and steps, which are the work of no agent.
	ServiceName string `mapstructure:"service_name"`
}

// DefaultPipelineService is the service of pipelines and steps unless another one is set.
const DefaultPipelineService = "tailspan"

// NewDefaultIdentity are the defaults.
func NewDefaultIdentity() Identity {
	return Identity{InBand: InBandIdentity, Pipeline: OwnPipeline{ServiceName: DefaultPipelineService}}
}

// Check reports what is wrong.
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

// CheckInBand reports a value that is none of in_band, under the name of its setting.
func CheckInBand(name, value string) error {
	if !slices.Contains([]string{InBandOff, InBandIdentity, InBandAll}, value) {
		return fmt.Errorf("%s must be %q, %q or %q, got %q", name, InBandOff, InBandIdentity, InBandAll, value)
	}
	return nil
}
