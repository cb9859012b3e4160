package otlp

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Resource is the resource of a stream's spans and records, what numbers the records, and what the user has on all of them. A
// change of version makes a new one, with the same sequencer.
type Resource struct {
	identity   Identity
	service    string // of the program, where the identity has none
	provider   string // tailspan's name of the format
	System     string // gen_ai.provider.name
	Version    string
	numbers    *sequencer
	attributes []Attribute // not of the resource, but of each span and record
}

// notOfPipelines are attributes of an agent's stream that a pipeline or step does not have.
var notOfPipelines = []string{AttrServiceName, AttrServiceVersion, AttrLogFileName, AttrLogFilePath}

// Of is the resource of a pipeline or a step, which have a service of their own, and are the work of no agent.
func (r *Resource) Of(service string, without ...string) *Resource {
	id := Identity{attrs: slices.DeleteFunc(slices.Clone(r.identity.attrs), func(a Attribute) bool {
		return slices.Contains(notOfPipelines, a.Key) || slices.Contains(without, a.Key)
	})}
	return &Resource{identity: id, service: service, numbers: r.numbers, attributes: r.attributes}
}

// putOwn writes the user's attributes of spans and records. They come first: what tailspan itself has under a key wins.
func (r *Resource) putOwn(m pcommon.Map) {
	for _, a := range r.attributes {
		m.PutStr(a.Key, a.Value)
	}
}

func (r *Resource) fill(m pcommon.Map) {
	m.EnsureCapacity(len(r.identity.attrs) + 3)
	PutStr(m, AttrServiceName, r.service)
	PutStr(m, AttrServiceVersion, r.Version)
	PutStr(m, AttrProvider, r.provider)
	for _, a := range r.identity.attrs {
		// The persona is an attribute of what the agent does, not of where it runs.
		if a.Key != AttrGenAIAgentName {
			m.PutStr(a.Key, a.Value)
		}
	}
}

// ServiceName is service.name: the user's, else the program's.
func (r *Resource) ServiceName() string {
	return cmp.Or(r.identity.Value(AttrServiceName), r.service)
}

// AgentName is the name of the top agent: the persona, else the program.
func (r *Resource) AgentName() string {
	if persona := r.identity.Value(AttrGenAIAgentName); persona != "" {
		return persona
	}
	return r.service
}

// NewResource is the resource of an agent's stream.
func NewResource(id Identity, service, provider, system string, numbers *sequencer, attributes []Attribute) *Resource {
	return &Resource{identity: id, service: service, provider: provider, System: system, numbers: numbers, attributes: attributes}
}

// WithVersion is the resource with a version of the program, and the same sequencer.
func (r *Resource) WithVersion(version string) *Resource {
	changed := *r
	changed.Version = version
	return &changed
}

// Value is the value of an attribute of the identity, empty if there is none.
func (r *Resource) Value(key string) string { return r.identity.Value(key) }

// PipelineRun is the run of a pipeline that the identity names.
func (r *Resource) PipelineRun() (name, runID string, ok bool) { return r.identity.pipelineRun() }

// NextNumber is the number of the next record.
func (r *Resource) NextNumber() int64 { return r.numbers.next() }

// IdentityAttributes are the attributes of the identity, sorted by key.
func (r *Resource) IdentityAttributes() []Attribute { return r.identity.Attributes() }
