package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/tailspan/tailspan/tools/internal/mockmodel"
)

func tokens(n int) mockmodel.Tokens {
	return mockmodel.Tokens{Input: 1000 + 100*n, Output: 20 + n, CacheRead: 400 + 10*n}
}

// numbered gives each answer to the agent its own text and tokens, and answers requests of the CLI itself: titles.
func (c *cli) numbered(next mockmodel.Script) mockmodel.Script {
	n := 0
	return func(q *mockmodel.Request) mockmodel.Turn {
		if !c.asksAsAgent(q) {
			return mockmodel.Turn{Text: "A short title", Tokens: mockmodel.Tokens{Input: 7, Output: 3}}
		}
		turn := next(q)
		if turn.Status != 0 {
			return turn
		}
		n++
		if turn.Text != "" {
			turn.Text = fmt.Sprintf("%s This is answer %d, with as many words as its tokens make likely.", turn.Text, n)
		}
		served := tokens(n)
		served.Output += 60 * len(turn.Calls)
		if turn.Tokens.Input != 0 {
			served.Input = turn.Tokens.Input
		}
		turn.Tokens, turn.Wait = served, 300*time.Millisecond // so that the times of calls are visible
		return turn
	}
}

// asksAsAgent reports whether a request belongs to the work: it offers tools, or compacts the conversation. All others are
// the CLI's own.
func (c *cli) asksAsAgent(q *mockmodel.Request) bool { return len(q.Tools) > 0 || c.summarises(q) }

// summarises reports whether a request asks for the summary that replaces a conversation.
func (c *cli) summarises(q *mockmodel.Request) bool {
	return c.compact.summary.Match(q.Body)
}

// callThenSay requests commands in one message and then ends with a text.
func callThenSay(commands ...string) func(c cli) mockmodel.Script {
	return func(c cli) mockmodel.Script {
		return c.numbered(func(q *mockmodel.Request) mockmodel.Turn { return c.callThenSay(q, commands...) })
	}
}

func (c *cli) callThenSay(q *mockmodel.Request, commands ...string) mockmodel.Turn {
	if len(q.Results) > 0 {
		return mockmodel.Turn{Text: "It is done."}
	}
	turn := mockmodel.Turn{Text: "I run it."}
	for _, command := range commands {
		turn.Calls = append(turn.Calls, c.shell(command))
	}
	return turn
}

// The file that a workflow reads, searches and edits: its name, the line to search for, and the replacement.
const notes, sought, written = "notes.txt", "beta", "gamma"

// workflow returns the calls of a workflow.
func (c *cli) workflow() []ownCall {
	return append(c.files(c.work), ownCall{c.shell(shortCall), "shell", shortCall})
}

// working makes the calls of a workflow, one after the other.
func working(c cli) mockmodel.Script {
	calls := c.workflow()
	return c.numbered(func(*mockmodel.Request) mockmodel.Turn {
		if len(calls) == 0 {
			return mockmodel.Turn{Text: "It is done."}
		}
		call := calls[0]
		calls = calls[1:]
		return mockmodel.Turn{Text: "I go on.", Calls: []mockmodel.Call{call.Call}}
	})
}

func refuse(status int, cause string) func(cli) mockmodel.Script {
	return func(cli) mockmodel.Script {
		return func(*mockmodel.Request) mockmodel.Turn { return mockmodel.Turn{Status: status, Cause: cause} }
	}
}

// refuseOnce refuses the first call and then continues like callThenSay.
func refuseOnce(command string) func(cli) mockmodel.Script {
	return func(c cli) mockmodel.Script {
		refused := false
		return c.numbered(func(q *mockmodel.Request) mockmodel.Turn {
			if !refused {
				refused = true
				return mockmodel.Turn{Status: c.retried, Cause: "overloaded_error"}
			}
			return c.callThenSay(q, command)
		})
	}
}

const task, further = "Inspect the folder and report.", "Inspect it once more."

// delegated reports whether a request comes from a sub-agent.
func delegated(q *mockmodel.Request) bool { return strings.Contains(q.Said, task) }

// delegating gives a task to a sub-agent, which runs a command, and optionally a second task.
func delegating(again bool) func(c cli) mockmodel.Script {
	return func(c cli) mockmodel.Script {
		plan := []func(results string) mockmodel.Call{func(string) mockmodel.Call { return c.agents.delegate(task) }}
		await := func() {
			if c.agents.await != nil {
				plan = append(plan, c.agents.await)
			}
		}
		await()
		if again {
			plan = append(plan, func(results string) mockmodel.Call { return c.agents.ask(results, further) })
			await()
		}
		step, results := 0, "" // of the main agent, which a background sub-agent may send further prompts
		return c.numbered(func(q *mockmodel.Request) mockmodel.Turn {
			if delegated(q) {
				return c.agents.work(&c, q)
			}
			results += strings.Join(q.Results, "\n")
			if step++; step <= len(plan) {
				return mockmodel.Turn{Text: "I go on.", Calls: []mockmodel.Call{plan[step-1](results)}}
			}
			return mockmodel.Turn{Text: "It is done."}
		})
	}
}

// work returns the turn for the work of the sub-agent.
func (d *delegation) work(c *cli, q *mockmodel.Request) mockmodel.Turn {
	text := "It is a folder."
	switch {
	case strings.Contains(q.Said, further):
		text = "Nothing new."
	case len(q.Results) == 0:
		return mockmodel.Turn{Text: "I look.", Calls: []mockmodel.Call{c.shell("sleep 1; echo inner")}}
	}
	if d.report != nil {
		return mockmodel.Turn{Text: text, Calls: []mockmodel.Call{d.report(text)}}
	}
	return mockmodel.Turn{Text: text}
}

// summary begins each summary of a conversation.
const summary = "<analysis>Short.</analysis>"

// compacting reports many tokens at the end of the first prompt, if that makes the CLI compact, and returns a summary.
func compacting(c cli) mockmodel.Script {
	last := 0
	return c.numbered(func(q *mockmodel.Request) mockmodel.Turn {
		if c.summarises(q) {
			return mockmodel.Turn{Text: summary + "<summary>A check was run.</summary><state_snapshot>A check was run.</state_snapshot>"}
		}
		turn := c.callThenSay(q, "echo hello")
		if len(turn.Calls) == 0 && last == 0 {
			last, turn.Tokens.Input = 1, c.compact.input
		}
		return turn
	})
}
