package opencode

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// server reads the events of opencode serve.
type server struct {
	*line
	store    *store
	args     scan.Members // properties of an event
	question scan.Members
}

// serverEvent reads an event of the server (GET /event of `opencode serve`): the changes that the log also has, and
// events that are never stored.
func (sv *server) serverEvent(r *record) events.LineStatus {
	sv.Inner.Reset(r.properties.Raw)
	switch string(r.kind.Body()) {
	case "session.error", "session.status", "permission.asked", "permission.v2.asked", "permission.updated", "question.asked", "question.v2.asked":
	default:
		return sv.store.change(r.kind, time.Time{}, &r.part, scan.Value{})
	}
	sv.args = sv.Inner.MembersOf(r.properties, sv.args[:0])
	session, status := sv.args.Get("sessionID"), sv.args.Get("status")
	if r.kind.Is("session.status") && !sv.small.MembersOf(status, sv.Nested[:0]).Get("type").Is("retry") {
		return events.LineOK
	}
	sv.store.pending.enterSession(sv.Keys.ID(domainSession, session.Body()))
	sv.Head = lines.Head{SessionID: sv.sessionID.Text(&sv.Strings, session)}
	if in := sv.sessionOf(sv.Head.SessionID); in.call != "" {
		sv.Head.ParentID, sv.Head.AgentID = in.call, sv.Head.SessionID
	}
	sv.Head.ItemID = sv.Strings.Text(r.id)
	switch string(r.kind.Body()) {
	case "session.error":
		if f := sv.failure(sv.args.Get("error")); f.name != "" {
			sv.Notice(events.LevelError, f.code(), f.text)
		}
	case "session.status":
		sv.Nested = sv.small.MembersOf(status, sv.Nested[:0])
		sv.Notice(events.LevelWarn, events.NoticeAPIRetry, retryText(sv.Strings.Text(sv.Nested.Get("message")), sv.Nested.Get("attempt")))
	case "question.asked", "question.v2.asked":
		sv.Emit(events.KindAskRequest).Ask = sv.ask(sv.args)
	default:
		sv.Emit(events.KindApprovalRequest).Approval = sv.approval(sv.args)
	}
	return events.LineOK
}

// approval reads a call that is waiting for permission. Its subject is in permission and patterns in 1.x, in
// type and pattern before, and in action and resources in later versions.
func (sv *server) approval(m scan.Members) *events.Approval {
	a := &events.Approval{ID: sv.Strings.Text(m.Get("id"))}
	for _, key := range [...]string{"permission", "action", "type"} {
		if a.Tool == "" {
			a.Tool = events.CleanLine(sv.Strings.Text(m.Get(key)), 0)
		}
	}
	for _, key := range [...]string{"patterns", "resources", "pattern"} {
		if a.Subject == "" {
			a.Subject = sv.argument(m.Get(key), true)
		}
	}
	return a
}

// ask reads the questions of an agent.
func (sv *server) ask(m scan.Members) *events.Ask {
	a := &events.Ask{ID: sv.Strings.Text(m.Get("id"))}
	for question := range scan.Objects(&sv.Inner, m.Get("questions"), &sv.question) {
		q := events.AskQuestion{
			Prompt: sv.Strings.Text(question.Get("question")), Header: sv.Strings.Text(question.Get("header")), Multi: question.Get("multiple").True(),
		}
		for option := range scan.Objects(&sv.small, question.Get("options"), &sv.Nested) {
			label, description := sv.Strings.Text(option.Get("label")), sv.Strings.Text(option.Get("description"))
			q.Options = append(q.Options, events.AskOption{Label: label, Description: description})
		}
		a.Questions = append(a.Questions, q)
	}
	return a
}

// unversioned removes the schema version from a type of the log: message.updated.1.
func unversioned(kind []byte) []byte {
	n := len(kind)
	for n > 0 && kind[n-1] >= '0' && kind[n-1] <= '9' {
		n--
	}
	if n < len(kind) && n > 0 && kind[n-1] == '.' {
		return kind[:n-1]
	}
	return kind
}

// known reports whether a type of the log or the server is known, whether or not it yields events.
func known(kind []byte) bool {
	_, ok := eventTypes[string(unversioned(kind))]
	return ok
}

// eventTypes are the types of the log and the server in @opencode-ai/sdk 1.19.3, including old names, and others that
// were seen. Those of session.next repeat messages and parts in a form made for version 2.
var eventTypes = newSet(
	"session.created", "session.updated", "session.deleted", "session.diff", "session.error", "session.status", "session.idle", "session.compacted",
	"message.updated", "message.removed", "message.part.updated", "message.part.delta", "message.part.removed",
	"permission.asked", "permission.replied", "permission.updated", "permission.v2.asked", "permission.v2.replied",
	"question.asked", "question.replied", "question.rejected", "question.v2.asked", "question.v2.replied", "question.v2.rejected",
	"session.next.agent.switched", "session.next.model.switched", "session.next.moved", "session.next.prompted", "session.next.prompt.admitted",
	"session.next.context.updated", "session.next.synthetic", "session.next.shell.started", "session.next.shell.ended",
	"session.next.step.started", "session.next.step.ended", "session.next.step.failed",
	"session.next.text.started", "session.next.text.delta", "session.next.text.ended",
	"session.next.reasoning.started", "session.next.reasoning.delta", "session.next.reasoning.ended",
	"session.next.tool.input.started", "session.next.tool.input.delta", "session.next.tool.input.ended", "session.next.tool.called",
	"session.next.tool.progress", "session.next.tool.success", "session.next.tool.failed", "session.next.retried",
	"session.next.compaction.started", "session.next.compaction.delta", "session.next.compaction.ended",
	"session.next.revert.staged", "session.next.revert.cleared", "session.next.revert.committed",
	"catalog.updated", "command.executed", "file.edited", "file.watcher.updated", "global.disposed", "installation.update-available",
	"installation.updated", "integration.connection.updated", "integration.updated", "lsp.client.diagnostics", "lsp.updated",
	"mcp.browser.open.failed", "mcp.tools.changed", "models-dev.refreshed", "plugin.added", "project.directories.updated", "project.updated",
	"pty.created", "pty.deleted", "pty.exited", "pty.updated", "reference.updated", "server.connected", "server.heartbeat",
	"server.instance.disposed", "todo.updated", "tui.command.execute", "tui.prompt.append", "tui.session.select", "tui.toast.show",
	"vcs.branch.updated", "workspace.failed", "workspace.ready", "workspace.status", "worktree.failed", "worktree.ready",
)

func newSet(words ...string) map[string]struct{} {
	set := make(map[string]struct{}, len(words))
	for _, w := range words {
		set[w] = struct{}{}
	}
	return set
}
