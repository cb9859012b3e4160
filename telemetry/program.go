package telemetry

import (
	"cmp"
	"github.com/tailspan/tailspan/internal/memory"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// program is what start lines say of the program that writes a stream, and of its session.
type program struct {
	resource  *otlp.Resource
	agentName string // what the stream calls its agent
	recorded  bool   // it is a transcript
	// session is the last start line of the session at work; nil if there were none.
	session *sessionStart
}

// noteStart takes from the start lines in waiting what holds for all that follows: the agent's name, and its version.
func (p *program) noteStart(waiting []pendingEvent) {
	for i := range waiting {
		start := waiting[i].event.Session
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

// noteSession takes what a start line says of its session. It holds until another line says otherwise.
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

// sessionStart is what the start lines of a session say that its runs have on their spans.
type sessionStart struct {
	id, folder, mode, previous, branch string
}

// shown is what the span of a run shows of it; nil without a start line.
func (s *sessionStart) shown() *events.Session {
	if s == nil {
		return nil
	}
	return &events.Session{WorkingDir: s.folder, PermissionMode: s.mode, PreviousID: s.previous, Branch: s.branch}
}
