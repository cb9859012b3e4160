package team

import (
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/ledger"
)

// Task is the usage of one task of a sub-agent, as JSON. It is stored in the state of the sub-agent's stream, which is
// not replayed once it is complete.
type Task struct {
	Task  int            `json:"task,omitempty"`
	Maker Key            `json:"maker,omitzero"`
	Group string         `json:"group,omitempty"` // the ID that the sub-agent shares with others
	Spawn Key            `json:"spawn,omitzero"`  // the call that its folder names
	End   clock.Instant  `json:"end,omitempty"`
	Used  ledger.ByModel `json:"used,omitempty"`
	// Silent is true if a silence ended it.
	Silent bool `json:"silent,omitempty"`
}

// Tasks returns the finished tasks of a sub-agent, or none once the Team has dropped its members. The last task is
// included only if it is closed, because its lines are replayed otherwise.
func (t *Team) Tasks(last Key, closed bool, group string) (tasks []Task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := last.Task
	if closed {
		n++
	}
	for ; n > 0; n-- {
		key := Key{last.Agent, n - 1}
		if one := t.members[key]; one != nil && one.phase == phaseOver {
			tasks = append(tasks, Task{Task: key.Task, Maker: one.maker, Group: group, Spawn: one.spawn, End: one.end, Used: one.used, Silent: one.silent})
		}
	}
	return tasks
}

// Recall restores the usage of a task from a stored state.
func (t *Team) Recall(agent string, task *Task) {
	key := Key{agent, task.Task}
	t.change(key, func(one *member) {
		one.phase, one.end, one.spawn, one.used, one.silent = phaseOver, task.End, Key{}, nil, task.Silent
		if task.Maker != (Key{}) {
			one.maker = task.Maker
		}
		one.used.AddAll(task.Used)
	})
	if task.Spawn != (Key{}) {
		t.Spawned(key, task.Spawn)
	}
	if task.Group != "" {
		t.Group(Key{Agent: task.Group})
	}
}
