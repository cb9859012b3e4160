package program_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/program"
)

func newProgram() *program.Program {
	return &program.Program{
		Agent: &program.Agent{Provider: "claude"}, Fingerprint: "f",
		Resource: otlp.NewResource(otlp.Identity{}, "claude-code", "claude", "anthropic", otlp.NewSequencer("s"), nil),
	}
}

func TestNoteStart(t *testing.T) {
	p := newProgram()
	before := p.Resource
	p.NoteStart(pending.Events{{}, {Event: events.DisplayEvent{Session: &events.Session{AgentName: "reviewer", Version: "2.1"}}}})
	assert.Equal(t, "reviewer", p.AgentName)
	assert.Equal(t, "2.1", p.Resource.Version)
	assert.Empty(t, before.Version, "runs before the line keep their resource")
	assert.False(t, p.Recorded)
	p.NoteStart(pending.Events{{Event: events.DisplayEvent{Session: &events.Session{Recorded: true}}}})
	assert.True(t, p.Recorded)
	assert.Equal(t, "reviewer", p.AgentName, "it holds until another line replaces it")
}

func TestNoteSession(t *testing.T) {
	p := newProgram()
	assert.Nil(t, p.Shown())
	p.NoteSession("s1", &events.Session{WorkingDir: "/shop", Branch: "main"})
	p.NoteSession("s1", &events.Session{PermissionMode: "plan"})
	assert.Equal(t, &events.Session{WorkingDir: "/shop", Branch: "main", PermissionMode: "plan"}, p.Shown())
	assert.Equal(t, "/shop", p.Folder("s1"))
	assert.Empty(t, p.Folder("s2"), "of another session")
	p.NoteSession("s2", &events.Session{})
	assert.Equal(t, &events.Session{}, p.Shown(), "nothing is inherited")
}

func TestIDSession(t *testing.T) {
	assert.Equal(t, "s1", newProgram().IDSession("s1"))
	assert.Equal(t, "f", newProgram().IDSession(""), "a stream without sessions is identified by its beginning")
}
