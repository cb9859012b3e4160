package codex

import (
	"cmp"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// rolloutLine gives the events of one line of R2 to R4.
func (p *Parser) rolloutLine(r *record) events.LineStatus {
	kind := r.kind.Body()
	if string(kind) == "session_meta" {
		return p.sessionMeta(r)
	}
	if p.replay.copies(r, &p.thread) {
		p.copiedLine(r)
		return events.LineIgnored
	}
	if r.top.Get("ordinal").Exists() {
		p.thread.paginated = p.thread.paginated || p.thread.id == "" // the head of the rollout was not read
	}
	switch string(kind) {
	case "response_item":
		return p.responseItem(r, r.body.Get("type").Body(), r.body)
	case "event_msg":
		return p.event(r)
	case "turn_context":
		p.setModel(r.body.Get("model"))
		p.setTurn(r.body)
		return events.LineIgnored
	case "token_usage_record":
		p.responseUsage(r.body, false)
	case "compacted":
		p.response, p.compacted = "", true
		p.Notice(events.LevelInfo, events.NoticeCompaction, "conversation compacted")
	case "world_state", "inter_agent_communication_metadata":
		return events.LineIgnored
	default:
		return p.Unknown("", kind)
	}
	return events.LineOK
}

// sessionMeta reads the head of a rollout. The first one is the thread's own; another one begins the copy of a parent's
// history, or, where that can't be, another rollout in the same stream.
func (p *Parser) sessionMeta(r *record) events.LineStatus {
	id := p.Strings.Text(r.body.Get("id"))
	created := r.body.Get("timestamp").Time()
	if created.IsZero() {
		created = r.timestamp.Time()
	}
	switch {
	case p.thread.id == "":
	case id == p.thread.id:
		p.replay.copying = false
		return events.LineIgnored
	case p.thread.forked || p.thread.agent != "" || created.Before(p.thread.created):
		p.replay.begin(r.timestamp.Time(), p.thread.created)
		return events.LineIgnored
	}
	p.startThread(r.body, thread{
		id: id, session: id, created: created,
		forked:    len(r.body.Get("forked_from_id").Body()) > 0,
		paginated: r.body.Get("history_mode").Is("paginated") || !r.body.Get("history_mode").Exists() && r.top.Get("ordinal").Exists(),
	})
	return events.LineOK
}

// startThread makes t the thread that is read, and emits its session: a sub-agent has that of its root thread.
func (p *Parser) startThread(meta scan.Members, t thread) {
	if root := p.rootThread(meta); root != "" && root != t.id {
		t.session, t.agent = root, t.id
	}
	p.begins(t)
	e := p.Emit(events.KindSessionStarted)
	e.Session = &events.Session{
		Version:    p.Strings.Text(meta.Get("cli_version")),
		WorkingDir: p.Strings.Text(meta.Get("cwd")),
		PreviousID: p.Strings.Text(meta.Get("forked_from_id")),
		SubAgent:   t.agent != "",
		Recorded:   true,
	}
	if t.agent != "" {
		e.Session.AgentName = p.agentName(meta)
	}
	p.Nested = p.Scanner.MembersOf(meta.Get("git"), p.Nested[:0])
	e.Session.Branch = p.Strings.Text(p.Nested.Get("branch"))
}

// agentName is the role of a sub-agent, else the name that its task has: the same word that the call which started it
// has as its AgentType. An agent with neither has the role that Codex calls its default.
func (p *Parser) agentName(meta scan.Members) string {
	role, path := p.spawnSource(meta, "agent_role"), p.spawnSource(meta, "agent_path")
	return cmp.Or(role, lastOf(path), "default")
}

// lastOf is the last part of the path of an agent, which is the name of its task.
func lastOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// spawnSource reads what the head of a rollout contains of the sub-agent: beside the rest, or, before 0.171, deep in its
// source: {"subagent":{"thread_spawn":{"parent_thread_id":"...","agent_role":"..."}}}.
func (p *Parser) spawnSource(meta scan.Members, name string) string {
	v := meta.Get(name)
	if len(v.Body()) == 0 {
		v = meta.Get("source")
		for _, key := range [...]string{"subagent", "thread_spawn", name} {
			p.Nested = p.Scanner.MembersOf(v, p.Nested[:0]) // none, if source is a word
			v = p.Nested.Get(key)
		}
	}
	return p.Strings.Text(v)
}

// rootThread is the thread at the root of a sub-agent's thread tree (0.171), or the nearest one that is known; "" for
// a thread that is no sub-agent's.
func (p *Parser) rootThread(meta scan.Members) string {
	parent := p.spawnSource(meta, "parent_thread_id")
	if parent == "" {
		return ""
	}
	return cmp.Or(p.Strings.Text(meta.Get("session_id")), parent)
}

// setTurn notes the turn that the next lines belong to: that of the root thread, which a sub-agent's turns name too.
func (p *Parser) setTurn(m scan.Members) {
	if id := m.AnyOf("root_turn_id", "turn_id"); len(id.Body()) > 0 {
		p.thread.turn = p.Strings.Intern(id)
		p.NextObject()
	}
}

// headLine gives the events of a line without a type: the two heads of E1, the head of R1, and the states between the
// items of R1.
func (p *Parser) headLine(r *record) events.LineStatus {
	m := r.top
	switch {
	case m.Get("record_type").Exists():
		return events.LineIgnored
	case m.Get("prompt").Kind == scan.KindString:
		p.prompt(scan.Value{}, p.Strings.Text(m.Get("prompt")), false)
	case m.Get("id").Kind == scan.KindString && r.timestamp.Kind == scan.KindString:
		id := p.Strings.Text(m.Get("id"))
		p.startThread(m, thread{id: id, session: id, created: r.timestamp.Time()})
	case isConfig(m):
		p.begins(thread{})
		p.setModel(m.Get("model"))
		e := p.Emit(events.KindSessionStarted)
		e.Model = p.thread.model
		e.Session = &events.Session{WorkingDir: p.Strings.Text(m.Get("workdir")), PermissionMode: p.Strings.Text(m.Get("approval"))}
	default:
		return p.Unknown("", nil)
	}
	return events.LineOK
}

// isConfig recognises the first line of E1, whose keys are settings.
func isConfig(m scan.Members) bool {
	return m.Get("model").Kind == scan.KindString && m.AnyOf("sandbox", "approval", "workdir").Kind == scan.KindString
}
