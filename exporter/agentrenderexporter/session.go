package agentrenderexporter

import (
	"container/list"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/telemetry"
)

// sessionAttributes are what tells one source of sessions from another on a resource.
var sessionAttributes = [...]string{
	telemetry.AttrServiceName, telemetry.AttrPipelineName, telemetry.AttrPipelineRunID,
	telemetry.AttrTaskName, telemetry.AttrTaskRunID,
}

// keySeparator keeps the parts of a key apart.
const keySeparator = "\x00"

// shortSession is how many bytes of a session id stand for a step that has no name.
const shortSession = 8

// resourceKey is the part of a session's key that comes from its resource.
func resourceKey(resource pcommon.Resource) string {
	var b strings.Builder
	for _, name := range sessionAttributes {
		b.WriteString(textOf(resource.Attributes(), name))
		b.WriteString(keySeparator)
	}
	return b.String()
}

// sessions holds a stream of a log for each session, the most recently used ones.
type sessions struct {
	limit  int
	byKey  map[string]*list.Element // of *session
	recent *list.List               // most recently used first
	// ending is told of an outlet before the stream of a session that goes there is closed.
	ending func(*outlet)
}

func newSessions(limit int, ending func(*outlet)) *sessions {
	return &sessions{limit: limit, byKey: make(map[string]*list.Element), recent: list.New(), ending: ending}
}

// session is the stream of one session.
type session struct {
	key    string
	outlet *outlet
	stream *render.Stream
}

// of gives the stream of a session in the log of an outlet. The least recently used one beyond the limit is closed.
func (a *sessions) of(o *outlet, key string, origin func() render.Origin) *render.Stream {
	key = o.path + keySeparator + key
	if e, ok := a.byKey[key]; ok {
		a.recent.MoveToFront(e)
		return e.Value.(*session).stream
	}
	s := &session{key: key, outlet: o, stream: o.log.Open(origin())}
	o.streams++
	a.byKey[key] = a.recent.PushFront(s)
	if a.recent.Len() > a.limit {
		a.end(a.recent.Back(), (*render.Stream).Close)
	}
	return s.stream
}

// end ends a session's stream, by its Close or Stop, and forgets it. An outlet takes everything, so neither can fail.
func (a *sessions) end(e *list.Element, by func(*render.Stream) error) {
	s := a.recent.Remove(e).(*session)
	delete(a.byKey, s.key)
	a.ending(s.outlet)
	_ = by(s.stream)
	s.outlet.streams--
}

// stopAll ends every session, the least recently used first. What has not ended goes on without us, so nothing is summed
// up.
func (a *sessions) stopAll() {
	for e := a.recent.Back(); e != nil; e = a.recent.Back() {
		a.end(e, (*render.Stream).Stop)
	}
}
