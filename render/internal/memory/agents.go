package memory

import (
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/text"
	"github.com/tailspan/tailspan/render/style"
)

// maxLevel is the deepest level of sub-agents that is indented, and indent the width of one level.
const (
	maxLevel = 6
	indent   = "  "
)

// maxThreadName is the number of runes of a sub-agent's type in its name.
const maxThreadName = 32

// Key identifies a sub-agent by the call that started it, or by its own ID if its stream does not know that call.
// The zero value is the main thread.
type Key struct{ call, agent string }

// KeyOf returns the sub-agent that an event belongs to.
func KeyOf(e *events.DisplayEvent) Key {
	if e.ParentID != "" {
		return Key{call: text.BoundedID(e.ParentID)}
	}
	return Key{agent: text.BoundedID(e.AgentID)}
}

// threads tracks the sub-agents of a stream: the level of each, and whether its lines need a name, because others run at
// the same time or because its events come from a separate stream.
type threads struct {
	limit int
	byKey map[Key]*thread
	order []Key          // oldest first
	names map[string]int // number of uses of each
	open  int            // running threads
	main  bool           // the main thread did something
	own   int            // threads whose events come from separate streams
}

// thread is a sub-agent, or a call of one that may have started another.
type thread struct {
	above *thread // chains have at most maxLevel of them
	level int
	kind  string // kind of agent, from the call
	name  string // empty until it is needed
	own   bool   // its events come from a separate stream
	open  bool   // it is running
	below int    // running threads that it started
	named bool
	lead  string // begins its lines: indentation and name
}

// see applies an event to the sub-agents.
func (t *threads) see(e *events.DisplayEvent) {
	t.main = t.main || KeyOf(e) == (Key{})
	tool := &e.Tool
	switch e.Kind {
	case events.KindToolUse:
		t.called(e)
	case events.KindToolResult:
		th := t.started(tool)
		if th != nil && (tool.State != events.ToolStateBackground || tool.Error) {
			t.close(th)
		}
	case events.KindToolProgress:
		th := t.started(tool)
		if th != nil && (tool.State == events.ToolStateCompleted || tool.State == events.ToolStateFailed || tool.State == events.ToolStateStopped) {
			t.close(th)
		}
	case events.KindSessionEnded:
		if KeyOf(e) == (Key{}) {
			for _, th := range t.byKey {
				t.close(th)
			}
		}
	}
}

// called records a call that starts a sub-agent, or may do so. It keeps all calls made by sub-agents, to know the level
// of a sub-agent that one of them starts.
func (t *threads) called(e *events.DisplayEvent) {
	tool := &e.Tool
	starts := style.StartsAgent(tool)
	caller := t.of(e)
	key := Key{call: text.BoundedID(tool.ID)}
	if tool.ID == "" || tool.Partial || !starts && caller == nil || t.byKey[key] != nil {
		return
	}
	th := &thread{level: 1, kind: kindOf(tool)}
	if caller != nil {
		th.level, th.above = min(caller.level+1, maxLevel), caller
		if caller.level == maxLevel {
			th.above = caller.above
		}
	}
	t.add(key, th)
	if starts {
		th.name = t.numbered(th.kind)
		t.start(th)
	}
}

// started returns the sub-agent that a call started, according to its end or its progress, or nil.
func (t *threads) started(tool *events.Tool) *thread {
	th := t.byKey[Key{call: text.BoundedID(tool.ID)}]
	if tool.AgentID == "" {
		return th
	}
	key := Key{agent: text.BoundedID(tool.AgentID)}
	if th == nil {
		if th = t.byKey[key]; th == nil {
			th = &thread{level: 1}
		}
	}
	if kind := kindOf(tool); kind != "" && th.kind == "" {
		th.kind, th.name, th.lead = kind, t.numbered(kind), ""
	}
	if seen := t.byKey[key]; seen != nil && seen != th {
		// Its events came before the event that links the call to the agent.
		t.close(seen)
		th.own, th.named = true, seen.named
		delete(t.byKey, key)
	}
	t.add(key, th)
	return th
}

func kindOf(tool *events.Tool) string {
	return events.CutRunes(text.Brief(tool.AgentType), maxThreadName)
}

// of returns the sub-agent that caused an event, or nil for the main thread. It adds a sub-agent at its first event.
func (t *threads) of(e *events.DisplayEvent) *thread {
	key := KeyOf(e)
	if key == (Key{}) {
		return nil
	}
	th := t.byKey[key]
	if th == nil {
		th = &thread{level: 1}
		t.add(key, th)
		t.start(th)
	}
	if key.agent != "" && !th.own {
		th.own = true
		t.own++
	}
	return th
}

func (t *threads) add(key Key, th *thread) {
	if t.byKey == nil {
		t.byKey = map[Key]*thread{}
	}
	if t.byKey[key] == nil {
		t.order = append(t.order, key)
	}
	t.byKey[key] = th
	for len(t.order) > t.limit {
		if oldest := t.byKey[t.order[0]]; oldest != nil {
			t.close(oldest)
			delete(t.byKey, t.order[0])
		}
		t.order = t.order[1:]
	}
}

func (t *threads) start(th *thread) {
	if th.open {
		return
	}
	th.open = true
	t.open++
	for a := th.above; a != nil; a = a.above {
		a.below++
	}
}

func (t *threads) close(th *thread) {
	if !th.open {
		return
	}
	th.open = false
	t.open--
	for a := th.above; a != nil; a = a.above {
		a.below--
	}
}

// leadOf returns what the lines of an event's sub-agent begin with: indentation for its level, and its name if others are
// running, or if its events arrive late or come from a separate stream. A sub-agent that was named once keeps its name. The
// lines of a sub-agent that is alone in the log have neither.
func (t *threads) leadOf(e *events.DisplayEvent) string {
	th := t.of(e)
	if th == nil || th.own && !t.main && t.own == 1 {
		return ""
	}
	late := th.kind != "" && !th.open
	if !th.named && (th.own || late || t.othersThan(th) > 0) {
		th.named, th.lead = true, ""
	}
	if th.lead == "" {
		th.lead = strings.Repeat(indent, th.level)
		if th.named {
			th.lead += t.nameOf(th, e) + ": "
		}
	}
	return th.lead
}

// othersThan returns how many sub-agents run in parallel to one: they neither work for it nor it for them.
func (t *threads) othersThan(th *thread) int {
	n := t.open - th.below
	for a := th; a != nil; a = a.above {
		if a.open {
			n--
		}
	}
	return n
}

// nameOf returns the name of a sub-agent: its kind or its ID, if known.
func (t *threads) nameOf(th *thread, e *events.DisplayEvent) string {
	switch {
	case th.name != "":
	case e.ParentID == "":
		th.name = t.numbered("agent " + text.ShortID(text.Capped(e.AgentID)))
	default:
		th.name = t.numbered("sub-agent")
	}
	return th.name
}

// numbered returns a name with a number, from the second use of the name on, in the order of the calls.
func (t *threads) numbered(name string) string {
	if name == "" {
		return ""
	}
	if t.names == nil || len(t.names) >= t.limit {
		t.names = map[string]int{}
	}
	t.names[name]++
	if n := t.names[name]; n > 1 {
		name += " " + strconv.Itoa(n)
	}
	return name
}
