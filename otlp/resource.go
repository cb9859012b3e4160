package otlp

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Resource is the resource of a stream's spans and records, with the sequencer of the records and the user's attributes
// for all of them. A new version of the program makes a new Resource with the same sequencer.
type Resource struct {
	identity   Identity
	service    string // of the program, if the identity has none
	provider   string // tailspan's name of the format
	System     string // gen_ai.provider.name
	Version    string
	numbers    *sequencer
	attributes []Attribute // on each span and record, not on the resource
}

// notOfPipelines are attributes of an agent's stream that pipelines and steps do not have.
var notOfPipelines = []string{AttrServiceName, AttrServiceVersion, AttrLogFileName, AttrLogFilePath}

// Of returns the resource of a pipeline or a step, which has its own service name and no agent.
func (r *Resource) Of(service string, without ...string) *Resource {
	id := Identity{attrs: slices.DeleteFunc(slices.Clone(r.identity.attrs), func(a Attribute) bool {
		return slices.Contains(notOfPipelines, a.Key) || slices.Contains(without, a.Key)
	})}
	return &Resource{identity: id, service: service, numbers: r.numbers, attributes: r.attributes}
}

// finish moves the attributes of a span or record to it, with the user's. Of two with the same key, tailspan's wins.
func (r *Resource) finish(m *attributes, to pcommon.Map) {
	m.into(to)
	for _, a := range r.attributes {
		if _, found := to.Get(a.Key); !found {
			to.PutStr(a.Key, a.Value)
		}
	}
}

func (r *Resource) fill(to pcommon.Map) {
	var m attributes
	m.reserve(len(r.identity.attrs) + 3)
	for _, a := range [...]Attribute{{AttrServiceName, r.service}, {AttrServiceVersion, r.Version}, {AttrProvider, r.provider}} {
		if r.identity.Value(a.Key) == "" {
			m.text(a.Key, a.Value)
		}
	}
	for _, a := range r.identity.attrs {
		// The persona is an attribute of the agent's work, not of the place where it runs.
		if a.Key != AttrGenAIAgentName {
			m.str(a.Key, a.Value)
		}
	}
	m.into(to)
}

// ServiceName returns service.name: the user's, or else the program's.
func (r *Resource) ServiceName() string {
	return cmp.Or(r.identity.Value(AttrServiceName), r.service)
}

// AgentName returns the name of the top agent: the persona, or else the program.
func (r *Resource) AgentName() string {
	if persona := r.identity.Value(AttrGenAIAgentName); persona != "" {
		return persona
	}
	return r.service
}

// NewResource returns the resource of an agent's stream.
func NewResource(id Identity, service, provider, system string, numbers *sequencer, attributes []Attribute) *Resource {
	return &Resource{identity: id, service: service, provider: provider, System: system, numbers: numbers, attributes: attributes}
}

// WithVersion returns the resource with a version of the program and the same sequencer.
func (r *Resource) WithVersion(version string) *Resource {
	changed := *r
	changed.Version = version
	return &changed
}

// Value returns an attribute of the identity, or an empty string.
func (r *Resource) Value(key string) string { return r.identity.Value(key) }

// PipelineRun returns the pipeline run that the identity names.
func (r *Resource) PipelineRun() (name, runID string, ok bool) { return r.identity.pipelineRun() }

// NextNumber returns the number of the next record.
func (r *Resource) NextNumber() int64 { return r.numbers.next() }

// IdentityAttributes returns the attributes of the identity, sorted by key.
func (r *Resource) IdentityAttributes() []Attribute { return r.identity.Attributes() }
