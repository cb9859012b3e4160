// Package metadata holds what metadata.yaml says, in the form that mdatagen would give it. It is written by hand; a test
// keeps the two in step.
package metadata

import "go.opentelemetry.io/collector/component"

var (
	// Type is the component's type.
	Type = component.MustNewType("agent_stream")
	// ScopeName is the instrumentation scope of the component's own telemetry.
	ScopeName = "github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// Stability levels by signal.
const (
	TracesStability = component.StabilityLevelDevelopment
	LogsStability   = component.StabilityLevelDevelopment
)
