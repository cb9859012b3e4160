package link

import "github.com/tailspan/tailspan/session/team"

// Key names a task of a sub-agent. Formats whose agents have sessions of their own name it by that session alone. The
// agent that is asked again has a further task: Task counts the calls that asked before, and on the other side the tasks
// that its stream began before. The zero value names none.
type Key struct {
	Provider string `json:"provider,omitempty"`
	Session  string `json:"session,omitempty"`
	Agent    string `json:"agent,omitempty"`
	Task     int    `json:"task,omitempty"`
}

// Member is the key within its run. Only some formats name an agent by session too.
func (k Key) Member() team.Key { return team.Key{Agent: k.Agent, Task: k.Task} }

// IsZero reports whether it names no sub-agent.
func (k Key) IsZero() bool { return k == Key{} }

// next is the key of the agent's next task.
func (k Key) next() Key { k.Task++; return k }

// before is the key of the agent's task before; ok is false for its first.
func (k Key) before() (before Key, ok bool) { k.Task--; return k, k.Task >= 0 }

// names are those under which an agent is announced: formats differ in whether it has a session of its own.
func (k Key) names() [2]Key {
	return [2]Key{k, {Provider: k.Provider, Agent: k.Agent, Task: k.Task}}
}

// Turn names a turn of a session.
type Turn struct{ Provider, Session, Turn string }
