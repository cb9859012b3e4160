package pipeline

import (
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
)

// IdentityOf is the identity that settings set: pipeline, step, persona and the attributes of the resource.
func IdentityOf(c *config.Identity) otlp.Identity {
	return otlp.NewIdentity(
		otlp.Attribute{Key: otlp.AttrPipelineName, Value: c.Pipeline.Name},
		otlp.Attribute{Key: otlp.AttrPipelineRunID, Value: c.Pipeline.RunID},
		otlp.Attribute{Key: otlp.AttrTaskName, Value: c.Pipeline.Task},
		otlp.Attribute{Key: otlp.AttrTaskRunID, Value: c.Pipeline.TaskRunID},
		otlp.Attribute{Key: otlp.AttrGenAIAgentName, Value: c.Persona},
	).With(AttributesOf(c.Resource))
}

// AttributesOf makes an identity of attributes.
func AttributesOf(m map[string]string) otlp.Identity {
	attrs := make([]otlp.Attribute, 0, len(m))
	for key, value := range m {
		attrs = append(attrs, otlp.Attribute{Key: key, Value: value})
	}
	return otlp.NewIdentity(attrs...)
}
