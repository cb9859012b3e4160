package program

import (
	"cmp"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/pending"
)

// Program is what start lines contain about the program that writes a stream, and about its session.
type Program struct {
	Agent       *Agent
	Fingerprint string // a hash of the beginning of the stream; it is part of IDs if the format has none
	Resource    *otlp.Resource
	AgentName   string // the stream's name of its agent
	Recorded    bool   // the stream is a transcript
	// session is the last start line of the current session; nil if there was none.
	session *sessionStart
}

// IDSession returns a session's part of IDs.
func (p *Program) IDSession(session string) string {
	if session == "" {
		return p.Fingerprint
	}
	return session
}

// NoteStart applies the parts of start lines that hold for the whole stream: the agent's name and its version.
func (p *Program) NoteStart(waiting pending.Events) {
	for i := range waiting {
		start := waiting[i].Event.Session
		if start == nil {
			continue
		}
		if start.AgentName != "" {
			p.AgentName = strings.Clone(start.AgentName)
		}
		p.Recorded = p.Recorded || start.Recorded
		if start.Version != "" && start.Version != p.Resource.Version {
			p.Resource = p.Resource.WithVersion(strings.Clone(start.Version))
		}
	}
}

// NoteSession applies the session attributes of a start line. They hold until another line replaces them.
func (p *Program) NoteSession(id string, start *events.Session) {
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

// Shown returns the attributes of the current session for the span of a run, or nil without a start line.
func (p *Program) Shown() *events.Session {
	s := p.session
	if s == nil {
		return nil
	}
	return &events.Session{WorkingDir: s.folder, PermissionMode: s.mode, PreviousID: s.previous, Branch: s.branch}
}

// Folder returns the working directory of a session if its start line was the last one.
func (p *Program) Folder(session string) string {
	if p.session == nil || p.session.id != session {
		return ""
	}
	return p.session.folder
}
