package link

import "github.com/tailspan/tailspan/session/team"

// Key names a task of a sub-agent. If agents have sessions of their own, the format names them by session alone. Task
// counts earlier tasks of the agent: for the parent the calls that started it before, for the child the tasks that its
// stream began before. The zero value names none.
type Key struct {
	Provider string `json:"provider,omitempty"`
	Session  string `json:"session,omitempty"`
	Agent    string `json:"agent,omitempty"`
	Task     int    `json:"task,omitempty"`
}

// Member returns the key within its run. Only some formats also name an agent by session.
func (k Key) Member() team.Key { return team.Key{Agent: k.Agent, Task: k.Task} }

// IsZero reports whether k names no sub-agent.
func (k Key) IsZero() bool { return k == Key{} }

// next returns the key of the agent's next task.
func (k Key) next() Key { k.Task++; return k }

// before returns the key of the agent's previous task. ok is false for the first one.
func (k Key) before() (before Key, ok bool) { k.Task--; return k, k.Task >= 0 }

// names returns the keys under which an agent is announced: formats differ in whether an agent has its own session.
func (k Key) names() [2]Key {
	return [2]Key{k, {Provider: k.Provider, Agent: k.Agent, Task: k.Task}}
}

// Turn names a turn of a session.
type Turn struct{ Provider, Session, Turn string }
