package agentrenderexporter

import (
	"container/list"
	"hash/maphash"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/render"
)

// sessionAttributes distinguish the sources of sessions on a resource.
var sessionAttributes = [...]string{
	otlp.AttrServiceName, otlp.AttrPipelineName, otlp.AttrPipelineRunID,
	otlp.AttrTaskName, otlp.AttrTaskRunID,
}

// keySeparator separates the parts of a key.
const keySeparator = "\x00"

// owner is the owner of the records of a resource.
type owner struct {
	key    string // the part of a session's key that comes from its resource
	origin render.Origin
}

// ownerOf returns the owner in a resource. An identity attribute in the output path is the same for all records of that
// output, so no label repeats it.
func ownerOf(resource pcommon.Resource, inPath []string) owner {
	attrs := resource.Attributes()
	var b strings.Builder
	for _, name := range sessionAttributes {
		b.WriteString(textOf(attrs, name))
		b.WriteString(keySeparator)
	}
	o := render.Origin{
		Pipeline: textOf(attrs, otlp.AttrPipelineName), Run: textOf(attrs, otlp.AttrPipelineRunID),
		Step: textOf(attrs, otlp.AttrTaskName), StepRun: textOf(attrs, otlp.AttrTaskRunID),
		Agent: textOf(attrs, otlp.AttrServiceName),
	}
	if slices.Contains(inPath, otlp.AttrPipelineName) {
		o.Pipeline = ""
	}
	return owner{b.String(), o}
}

// sessions holds a log stream for each of the most recently used sessions.
type sessions struct {
	limit  int
	seed   maphash.Seed
	byKey  map[uint64]*list.Element // of *session; by hash, because an identity may be long
	recent *list.List               // most recently used first
	// ending is called before the stream of a session in that outlet is closed.
	ending func(*outlet)
}

func newSessions(limit int, ending func(*outlet)) *sessions {
	return &sessions{limit: limit, seed: maphash.MakeSeed(), byKey: make(map[uint64]*list.Element), recent: list.New(), ending: ending}
}

// session is the stream of one session.
type session struct {
	key    uint64
	outlet *outlet
	stream *render.Stream
}

// of returns the stream of a session in the log of an outlet. It closes the least recently used one beyond the limit.
func (a *sessions) of(o *outlet, identity string, origin render.Origin) *render.Stream {
	key := a.keyOf(o.path, identity)
	if e, ok := a.byKey[key]; ok {
		a.recent.MoveToFront(e)
		return e.Value.(*session).stream
	}
	s := &session{key: key, outlet: o, stream: o.log.Open(origin)}
	o.streams++
	a.byKey[key] = a.recent.PushFront(s)
	if a.recent.Len() > a.limit {
		a.end(a.recent.Back(), (*render.Stream).Close)
	}
	return s.stream
}

func (a *sessions) keyOf(path, identity string) uint64 {
	var h maphash.Hash
	h.SetSeed(a.seed)
	_, _ = h.WriteString(path) // writing to a hash can't fail
	_, _ = h.WriteString(keySeparator)
	_, _ = h.WriteString(identity)
	return h.Sum64()
}

// end ends a session's stream with its Close or Stop, and evicts it. Writing to an outlet can't fail, so neither can they.
func (a *sessions) end(e *list.Element, by func(*render.Stream) error) {
	s := a.recent.Remove(e).(*session)
	delete(a.byKey, s.key)
	a.ending(s.outlet)
	_ = by(s.stream)
	s.outlet.streams--
}

// stopAll ends every session, least recently used first. Runs that have not ended continue without us, so they are not
// summarized.
func (a *sessions) stopAll() {
	for e := a.recent.Back(); e != nil; e = a.recent.Back() {
		a.end(e, (*render.Stream).Stop)
	}
}
