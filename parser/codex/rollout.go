package codex

import (
	"cmp"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// rollout is the file that Codex writes for a thread.
type rollout struct {
	*line
	threads     *threads
	calls       *calls
	responses   *responses
	completions *completions
	prompts     *prompts
	ledger      *ledger
}

// rolloutLine emits the events of one line of R2 to R4.
func (ro *rollout) rolloutLine(r *record) events.LineStatus {
	kind := r.kind.Body()
	if string(kind) == "session_meta" {
		return ro.sessionMeta(r)
	}
	if ro.replay.copies(r, &ro.thread) {
		ro.copiedLine(r)
		return events.LineIgnored
	}
	if r.top.Get("ordinal").Exists() {
		ro.thread.paginated = ro.thread.paginated || ro.thread.id == "" // the head of the rollout was not read
	}
	ro.thread.working = ro.thread.working || string(kind) == "response_item" || string(kind) == "event_msg"
	switch string(kind) {
	case "response_item":
		return ro.responses.responseItem(r, r.body.Get("type").Body(), r.body)
	case "event_msg":
		return ro.event(r)
	case "turn_context":
		ro.setModel(r.body.Get("model"))
		ro.setTurn(r.body)
		return events.LineIgnored
	case "token_usage_record":
		ro.ledger.responseUsage(r.body, false)
	case "compacted":
		ro.response, ro.compacted = "", true
		ro.Notice(events.LevelInfo, events.NoticeCompaction, "conversation compacted")
	case "world_state", "inter_agent_communication_metadata":
		return events.LineIgnored
	default:
		return ro.Unknown("", kind)
	}
	return events.LineOK
}

// headDelay is the time in which Codex writes the head of a new thread. A head that it copied has the time of the copy.
const headDelay = 5 * time.Minute

// sessionMeta reads the head of a rollout. The first one is the thread's own. Another one begins the copy of a parent's
// history or, if that is impossible, another rollout in the same stream: a copy precedes the thread's own lines.
func (ro *rollout) sessionMeta(r *record) events.LineStatus {
	id := ro.Strings.Text(r.body.Get("id"))
	created := r.body.Get("timestamp").Time()
	if created.IsZero() {
		created = r.timestamp.Time()
	}
	switch {
	case ro.thread.id == "":
	case id == ro.thread.id:
		ro.replay.copying = false
		return events.LineIgnored
	case ro.thread.working && r.timestamp.Time().Sub(created) < headDelay:
	case ro.thread.forked || ro.thread.agent != "" || created.Before(ro.thread.created):
		ro.replay.begin(r.timestamp.Time(), ro.thread.created)
		return events.LineIgnored
	}
	ro.threads.startThread(r.body, thread{
		id: id, session: id, created: created,
		forked:    len(r.body.Get("forked_from_id").Body()) > 0,
		paginated: r.body.Get("history_mode").Is("paginated") || !r.body.Get("history_mode").Exists() && r.top.Get("ordinal").Exists(),
	})
	return events.LineOK
}

// threads begins the threads of a stream.
type threads struct {
	*line
	calls  *calls
	agents *agents
	ledger *ledger
}

// begins makes t the current thread. It clears the state of the previous one: item IDs of streams and token totals
// restart.
func (th *threads) begins(t thread) {
	th.thread, th.replay, th.turn = t, replay{}, turn{}
	th.calls.byID, th.agents.runs = memory.NewTable[call](maxCalls), memory.NewTable[agentRun](maxAgents)
	th.ledger.begins()
}

// startThread makes t the current thread and emits its session. A sub-agent has the session of its root thread.
func (th *threads) startThread(meta scan.Members, t thread) {
	if root := th.rootThread(meta); root != "" && root != t.id {
		t.session, t.agent = root, t.id
	}
	th.begins(t)
	e := th.Emit(events.KindSessionStarted)
	e.Session = &events.Session{
		Version:    th.Strings.Text(meta.Get("cli_version")),
		WorkingDir: th.Strings.Text(meta.Get("cwd")),
		PreviousID: th.Strings.Text(meta.Get("forked_from_id")),
		SubAgent:   t.agent != "",
		Recorded:   true,
	}
	if t.agent != "" {
		e.Session.AgentName = th.agentName(meta)
	}
	th.Nested = th.Scanner.MembersOf(meta.Get("git"), th.Nested[:0])
	e.Session.Branch = th.Strings.Text(th.Nested.Get("branch"))
}

// agentName returns the role of a sub-agent, or the name of its task: the same word as the AgentType of the call that
// started it. An agent with neither has the role that Codex calls its default.
func (th *threads) agentName(meta scan.Members) string {
	role, path := th.spawnSource(meta, "agent_role"), th.spawnSource(meta, "agent_path")
	return cmp.Or(role, lastOf(path), "default")
}

// lastOf returns the last part of the path of an agent, which is the name of its task.
func lastOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// spawnSource reads what the head of a rollout contains about the sub-agent: at the top level or, before 0.171, nested
// in source: {"subagent":{"thread_spawn":{"parent_thread_id":"...","agent_role":"..."}}}.
func (th *threads) spawnSource(meta scan.Members, name string) string {
	v := meta.Get(name)
	if len(v.Body()) == 0 {
		v = meta.Get("source")
		for _, key := range [...]string{"subagent", "thread_spawn", name} {
			th.Nested = th.Scanner.MembersOf(v, th.Nested[:0]) // no members if source is a word
			v = th.Nested.Get(key)
		}
	}
	return th.Strings.Text(v)
}

// rootThread returns the thread at the root of a sub-agent's thread tree (0.171), or the nearest known one. It
// returns "" if the thread is not a sub-agent's.
func (th *threads) rootThread(meta scan.Members) string {
	parent := th.spawnSource(meta, "parent_thread_id")
	if parent == "" {
		return ""
	}
	return cmp.Or(th.Strings.Text(meta.Get("session_id")), parent)
}

// setTurn records the turn of the next lines: that of the root thread, which a sub-agent's turns also name.
func (ro *rollout) setTurn(m scan.Members) {
	if id := m.AnyOf("root_turn_id", "turn_id"); len(id.Body()) > 0 {
		ro.thread.turn = ro.Strings.Intern(id)
		ro.NextObject()
	}
}

// headLine emits the events of a line without a type: the two heads of E1, the head of R1, and the states between the
// items of R1.
func (ro *rollout) headLine(r *record) events.LineStatus {
	m := r.top
	switch {
	case m.Get("record_type").Exists():
		return events.LineIgnored
	case m.Get("prompt").Kind == scan.KindString:
		ro.prompts.prompt(scan.Value{}, ro.Strings.Text(m.Get("prompt")), false)
	case m.Get("id").Kind == scan.KindString && r.timestamp.Kind == scan.KindString:
		id := ro.Strings.Text(m.Get("id"))
		ro.threads.startThread(m, thread{id: id, session: id, created: r.timestamp.Time(), working: true}) // a later head is that of another rollout
	case isConfig(m):
		ro.threads.begins(thread{})
		ro.setModel(m.Get("model"))
		e := ro.Emit(events.KindSessionStarted)
		e.Model = ro.thread.model
		e.Session = &events.Session{WorkingDir: ro.Strings.Text(m.Get("workdir")), PermissionMode: ro.Strings.Text(m.Get("approval"))}
	default:
		return ro.Unknown("", nil)
	}
	return events.LineOK
}

// isConfig reports whether the line is the first line of E1, whose keys are settings.
func isConfig(m scan.Members) bool {
	return m.Get("model").Kind == scan.KindString && m.AnyOf("sandbox", "approval", "workdir").Kind == scan.KindString
}

// replay distinguishes the copied history in a rollout from the lines of its own thread. Before R4, a forked thread, and a
// sub-agent that received its parent's context, begin with a copy of the parent's lines:
//
//	session_meta of the thread itself
//	session_meta of the parent, and of its parent    (the mark that a copy follows)
//	the parent's lines, all rewritten within some 50 ms: their timestamps are those of the copy
//	session_meta of the thread itself again          (some versions)
//	the thread's own lines
//
// The IDs of turns keep the time at which the turn began. If a rollout has no turn IDs (R2), the pause before the
// next prompt ends the copy. Copies that keep their timestamps are older than the thread.
//
//	from     on                                                            to
//	none     session_meta of another thread, in a thread that has a parent  copying
//	copying  session_meta of the thread itself                              none
//	copying  a turn that began after the thread                             none
//	copying  a line from after the thread began, following older lines      none
//	copying  a pause, if the copied lines have no turns                     none
type replay struct {
	copying bool
	stamped bool // the copied lines keep their timestamps
	turns   bool // the copied lines have the times of their turns
	last    time.Time
}

// replayPause is a pause that ends a copy without turn IDs.
const replayPause = time.Second

// begin starts a copy, at the session_meta of another thread.
func (g *replay) begin(at, created time.Time) {
	*g = replay{copying: true, stamped: !at.IsZero() && at.Before(created), last: at}
}

// copies reports whether a line is copied history.
func (g *replay) copies(r *record, t *thread) bool {
	if !g.copying && !t.forked {
		return false
	}
	at := r.timestamp.Time()
	early := !at.IsZero() && at.Before(t.created)
	if !g.copying {
		return early && !t.paginated
	}
	paused := !at.IsZero() && at.Sub(g.last) >= replayPause
	g.last = at
	copied, known := turnCopied(r, t)
	g.turns = g.turns || known
	switch {
	case known:
		g.copying = copied
	case g.stamped:
		g.copying = early
	case !g.turns && paused:
		g.copying = false
	}
	return g.copying
}

// turnCopied reports whether a line that opens a turn shows that the turn began before the thread. It compares IDs with
// IDs and clocks with clocks. started_at is in whole seconds, so a turn in the thread's first second is its own.
func turnCopied(r *record, t *thread) (copied, known bool) {
	kind := r.kind.Body()
	start := string(kind) == "event_msg" && isTurnStart(r.body.Get("type").Body())
	if !start && string(kind) != "turn_context" {
		return false, false
	}
	born := idTime(t.id)
	if began := idTime(r.body.Get("turn_id").Body()); !began.IsZero() && !born.IsZero() {
		return began.Before(born), true
	}
	if began := r.body.Get("started_at").Int(); began > 0 && !t.created.IsZero() {
		return began < t.created.Unix(), true
	}
	return false, false
}

func isTurnStart(kind []byte) bool {
	return string(kind) == "task_started" || string(kind) == "turn_started"
}

// idTime returns the creation time of a version 7 UUID, or the zero time for any other ID.
func idTime[ID string | []byte](id ID) time.Time {
	const hyphens = "xxxxxxxx-xxxx-7xxx-xxxx-xxxxxxxxxxxx"
	if len(id) != len(hyphens) || id[14] != '7' {
		return time.Time{}
	}
	millis := int64(0)
	for i := 0; i < 13; i++ {
		if i == 8 {
			if id[i] != '-' {
				return time.Time{}
			}
			continue
		}
		digit := hexDigit(id[i])
		if digit < 0 {
			return time.Time{}
		}
		millis = millis<<4 | int64(digit)
	}
	return time.UnixMilli(millis).UTC()
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	default:
		return -1
	}
}

// copiedLine keeps the state that the thread's own lines continue from.
func (ro *rollout) copiedLine(r *record) {
	switch string(r.kind.Body()) {
	case "token_usage_record":
		ro.ledger.responseUsage(r.body, true)
	case "event_msg":
		if r.body.Get("type").Is("token_count") {
			ro.ledger.tokenCount(r.body, true)
		}
	case "turn_context":
		ro.setModel(r.body.Get("model"))
	}
}
