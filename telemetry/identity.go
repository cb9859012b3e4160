package telemetry

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Agent describes the agent program whose stream is read.
type Agent struct {
	// Provider is tailspan's name of the format, such as "claude". It is part of every id.
	Provider string
	// ServiceName is the program's name as a service, such as "claude-code".
	ServiceName string
	// System is the value of gen_ai.provider.name, such as "anthropic"; empty if the format has none.
	System string
	// Folders is set if the files of its sub-agents may be linked to their session by their folder alone.
	Folders bool
	// OwnMessageIDs is true if the program itself makes the ids of messages, so that no two have one.
	OwnMessageIDs bool
	// UsageAfterCalls is true if the usage of a message is reported when the calls in it are over.
	UsageAfterCalls bool
	// StreamIDs is true if its stream on standard output has ids of messages, turns or calls that the transcript has not.
	StreamIDs bool
	// CallIDs is true if calls nevertheless have one id in both.
	CallIDs bool
	// TotalsOfAgents is true if the totals of its stream on standard output hold the tokens of sub-agents.
	TotalsOfAgents bool
	// Bodies is true if the stream holds answers of a server, which are never history of another session.
	Bodies bool
}

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

// resource is the resource of a stream's spans and records, what numbers the records, and what the user has on all of them. A
// change of version makes a new one, with the same sequencer.
type resource struct {
	identity   Identity
	agent      *Agent
	version    string
	numbers    *sequencer
	attributes []Attribute // not of the resource, but of each span and record
}

// of is the resource of a pipeline or a step, which have a service of their own, and are the work of no agent.
func (r *resource) of(service string, without ...string) *resource {
	id := Identity{attrs: slices.DeleteFunc(slices.Clone(r.identity.attrs), func(a Attribute) bool {
		return a.Key == AttrServiceName || a.Key == AttrServiceVersion || slices.Contains(without, a.Key)
	})}
	return &resource{identity: id, agent: &Agent{ServiceName: service}, numbers: r.numbers, attributes: r.attributes}
}

// putOwn writes the user's attributes of spans and records. They come first: what tailspan itself has under a key wins.
func (r *resource) putOwn(m pcommon.Map) {
	for _, a := range r.attributes {
		m.PutStr(a.Key, a.Value)
	}
}

func (r *resource) fill(m pcommon.Map) {
	m.EnsureCapacity(len(r.identity.attrs) + 3)
	if r.agent.ServiceName != "" {
		m.PutStr(AttrServiceName, r.agent.ServiceName)
	}
	if r.version != "" {
		m.PutStr(AttrServiceVersion, r.version)
	}
	putStr(m, AttrProvider, r.agent.Provider)
	for _, a := range r.identity.attrs {
		// The persona is an attribute of what the agent does, not of where it runs.
		if a.Key != AttrGenAIAgentName {
			m.PutStr(a.Key, a.Value)
		}
	}
}

// serviceName is service.name: the user's, else the program's.
func (r *resource) serviceName() string {
	return cmp.Or(r.identity.Value(AttrServiceName), r.agent.ServiceName)
}

// agentName is the name of the top agent: the persona, else the program.
func (r *resource) agentName() string {
	if persona := r.identity.Value(AttrGenAIAgentName); persona != "" {
		return persona
	}
	return r.agent.ServiceName
}
