package telemetry

import (
	"cmp"
	"strings"

	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/session/pending"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// program is what start lines contain about the program that writes a stream, and about its session.
type program struct {
	resource  *otlp.Resource
	agentName string // the stream's name of its agent
	recorded  bool   // the stream is a transcript
	// session is the last start line of the current session; nil if there was none.
	session *sessionStart
}

// noteStart applies the parts of start lines that hold for the whole stream: the agent's name and its version.
func (p *program) noteStart(waiting pending.Events) {
	for i := range waiting {
		start := waiting[i].Event.Session
		if start == nil {
			continue
		}
		if start.AgentName != "" {
			p.agentName = strings.Clone(start.AgentName)
		}
		p.recorded = p.recorded || start.Recorded
		if start.Version != "" && start.Version != p.resource.Version {
			p.resource = p.resource.WithVersion(strings.Clone(start.Version))
		}
	}
}

// noteSession applies the session attributes of a start line. They hold until another line replaces them.
func (p *program) noteSession(id string, start *events.Session) {
	now := sessionStart{id, start.WorkingDir, start.PermissionMode, start.PreviousID, start.Branch}
	if known := p.session; known != nil && known.id == now.id {
		now.folder, now.mode = cmp.Or(now.folder, known.folder), cmp.Or(now.mode, known.mode)
		now.previous, now.branch = cmp.Or(now.previous, known.previous), cmp.Or(now.branch, known.branch)
	}
	if p.session != nil && *p.session == now {
		return
	}
	memory.Own(&now.id, &now.folder, &now.mode, &now.previous, &now.branch)
	p.session = &now
}

// sessionStart holds the attributes of a session's start lines for the spans of its runs.
type sessionStart struct {
	id, folder, mode, previous, branch string
}

// shown returns the attributes for the span of a run, or nil without a start line.
func (s *sessionStart) shown() *events.Session {
	if s == nil {
		return nil
	}
	return &events.Session{WorkingDir: s.folder, PermissionMode: s.mode, PreviousID: s.previous, Branch: s.branch}
}
