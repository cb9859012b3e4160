package otlp

import (
	"slices"
)

// Attribute is one resource attribute.
type Attribute struct {
	Key, Value string
}

// Identity says whose work a stream is: pipeline, run and step as resource attributes (cicd.*), and whatever else the
// user adds. The zero value is no identity.
type Identity struct {
	attrs []Attribute // sorted by key, keys unique
}

// NewIdentity makes an Identity of attributes. Of two with one key the first counts; an empty value is left out.
func NewIdentity(attrs ...Attribute) Identity {
	var id Identity
	for _, a := range attrs {
		id.add(a)
	}
	return id
}

// With returns id and, for keys that it lacks, the attributes of o: id has precedence.
func (id Identity) With(o Identity) Identity {
	merged := Identity{attrs: slices.Clone(id.attrs)}
	for _, a := range o.attrs {
		merged.add(a)
	}
	return merged
}

func (id *Identity) add(a Attribute) {
	// Names of files and variables are any bytes; whoever gets a string that is no UTF-8 refuses the whole request.
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

// Value is the value of key, empty if there is none.
func (id Identity) Value(key string) string {
	for _, a := range id.attrs {
		if a.Key == key {
			return a.Value
		}
	}
	return ""
}

// Attributes lists the attributes, sorted by key.
func (id Identity) Attributes() []Attribute { return slices.Clone(id.attrs) }

// pipelineRun is the run of a pipeline that the identity names; ok only if it has both name and run id, since without
// a run id two runs would be one.
func (id Identity) pipelineRun() (name, runID string, ok bool) {
	name, runID = id.Value(AttrPipelineName), id.Value(AttrPipelineRunID)
	return name, runID, name != "" && runID != ""
}

// Step is the span of the step that the identity names, else that of its pipeline run; ok is false without a pipeline run.
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
