package pipeline

import (
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
)

// IdentityOf returns the identity in the settings: pipeline, step, persona and resource attributes.
func IdentityOf(c *config.Identity) otlp.Identity {
	return otlp.NewIdentity(
		otlp.Attribute{Key: otlp.AttrPipelineName, Value: c.Pipeline.Name},
		otlp.Attribute{Key: otlp.AttrPipelineRunID, Value: c.Pipeline.RunID},
		otlp.Attribute{Key: otlp.AttrTaskName, Value: c.Pipeline.Task},
		otlp.Attribute{Key: otlp.AttrTaskRunID, Value: c.Pipeline.TaskRunID},
		otlp.Attribute{Key: otlp.AttrGenAIAgentName, Value: c.Persona},
	).With(AttributesOf(c.Resource))
}

// AttributesOf returns an identity with these attributes.
func AttributesOf(m map[string]string) otlp.Identity {
	attrs := make([]otlp.Attribute, 0, len(m))
	for key, value := range m {
		attrs = append(attrs, otlp.Attribute{Key: key, Value: value})
	}
	return otlp.NewIdentity(attrs...)
}
