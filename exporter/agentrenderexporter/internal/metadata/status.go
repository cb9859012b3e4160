// Package metadata contains the telemetry and build information for the exporter/agent_render component, as described by
// metadata.yaml.
package metadata

import (
	"go.opentelemetry.io/collector/component"
)

var (
	Type      = component.MustNewType("agent_render")
	ScopeName = "github.com/tailspan/tailspan/exporter/agentrenderexporter"
)

const (
	LogsStability = component.StabilityLevelDevelopment
)
