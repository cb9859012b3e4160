package agentrenderexporter

import (
	"bytes"
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

// resourceKey is the part of a session's key that comes from its resource.
func resourceKey(resource pcommon.Resource) string {
	var b strings.Builder
	for _, name := range sessionAttributes {
		if v, ok := resource.Attributes().Get(name); ok {
			b.WriteString(v.AsString())
		}
		b.WriteString(keySeparator)
	}
	return b.String()
}

// sessions holds a renderer for each session, the most recently used ones, all of which write into one buffer.
type sessions struct {
	settings render.Settings
	limit    int
	byKey    map[string]*list.Element // of *session
	recent   *list.List               // most recently used first
	writer   *session                 // whoever wrote last
	pending  bytes.Buffer             // what was rendered and is not written yet
}

func newSessions(settings render.Settings, limit int) *sessions {
	return &sessions{settings: settings, limit: limit, byKey: make(map[string]*list.Element), recent: list.New()}
}

// session is the renderer of one session and the writer below it.
type session struct {
	key      string
	all      *sessions
	renderer *render.Renderer
}

// Write takes what the session's renderer made. Where another session wrote last, its unfinished line is ended first.
func (s *session) Write(p []byte) (int, error) {
	if last := s.all.writer; last != s {
		if last != nil {
			last.renderer.Break()
		}
		s.all.writer = s
	}
	return s.all.pending.Write(p)
}

// of gives the renderer of a session. The least recently used one beyond the limit is closed.
func (a *sessions) of(key string) *render.Renderer {
	if e, ok := a.byKey[key]; ok {
		a.recent.MoveToFront(e)
		return e.Value.(*session).renderer
	}
	s := &session{key: key, all: a}
	s.renderer = render.New(s, a.settings)
	a.byKey[key] = a.recent.PushFront(s)
	if a.recent.Len() > a.limit {
		a.close(a.recent.Back())
	}
	return s.renderer
}

// close ends a session's unfinished text and forgets it. A buffer takes everything, so closing can't fail.
func (a *sessions) close(e *list.Element) {
	s := a.recent.Remove(e).(*session)
	delete(a.byKey, s.key)
	_ = s.renderer.Close()
	if a.writer == s {
		a.writer = nil
	}
}

// closeAll closes every session, the least recently used first.
func (a *sessions) closeAll() {
	for e := a.recent.Back(); e != nil; e = a.recent.Back() {
		a.close(e)
	}
}
