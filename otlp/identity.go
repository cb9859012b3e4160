package otlp

import (
	"slices"
)

// Attribute is one resource attribute.
type Attribute struct {
	Key, Value string
}

// Identity identifies the work of a stream: pipeline, run and step as resource attributes (cicd.*), and the user's own
// attributes. The zero value is empty.
type Identity struct {
	attrs []Attribute // sorted by key, keys unique
}

// NewIdentity returns an Identity of attributes. The first of two with the same key wins; empty values are omitted.
func NewIdentity(attrs ...Attribute) Identity {
	var id Identity
	for _, a := range attrs {
		id.add(a)
	}
	return id
}

// With returns id plus the attributes of o with other keys: id has precedence.
func (id Identity) With(o Identity) Identity {
	merged := Identity{attrs: slices.Clone(id.attrs)}
	for _, a := range o.attrs {
		merged.add(a)
	}
	return merged
}

func (id *Identity) add(a Attribute) {
	// Names of files and variables may be any bytes, but a receiver rejects a request that contains invalid UTF-8.
	a.Key, a.Value = validUTF8(a.Key), validUTF8(a.Value)
	dropNUL(&a.Key)
	dropNUL(&a.Value)
	if a.Value == "" || a.Key == "" {
		return
	}
	at, found := slices.BinarySearchFunc(id.attrs, a.Key, func(x Attribute, key string) int {
		switch {
		case x.Key < key:
			return -1
		case x.Key > key:
			return 1
		default:
			return 0
		}
	})
	if !found {
		id.attrs = slices.Insert(id.attrs, at, a)
	}
}

// Value returns the value of key, or an empty string.
func (id Identity) Value(key string) string {
	for _, a := range id.attrs {
		if a.Key == key {
			return a.Value
		}
	}
	return ""
}

// Attributes returns the attributes, sorted by key.
func (id Identity) Attributes() []Attribute { return slices.Clone(id.attrs) }

// pipelineRun returns the pipeline run that the identity names. ok is true only if it has a name and a run ID, because
// without a run ID two runs would have the same span.
func (id Identity) pipelineRun() (name, runID string, ok bool) {
	name, runID = id.Value(AttrPipelineName), id.Value(AttrPipelineRunID)
	return name, runID, name != "" && runID != ""
}

// Step returns the span of the identity's step, or else that of its pipeline run. ok is false without a pipeline run.
func (id Identity) Step() (of SpanRef, ok bool) {
	name, runID, ok := id.pipelineRun()
	if !ok {
		return of, false
	}
	if task := id.Value(AttrTaskName); task != "" {
		return StepRef(name, runID, task, id.Value(AttrTaskRunID)), true
	}
	return PipelineRef(name, runID), true
}
