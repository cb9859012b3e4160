package qwen

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// A background sub-agent has its own transcript, subagents/<session>/agent-<id>.jsonl, whose lines have its ID (agentId). The
// result of its call has the same ID in its text, and so does the notice in the user's name that its work has ended. From 0.24
// on its transcript has its tokens, which the telemetry in the session's transcript repeats. The same applies to foreground
// sub-agents (0.24.4); the session's transcript does not report their ID, which consists of their type and their call.

// delegated sets the ID of the sub-agent that a call of the session's transcript starts.
func (cs *calls) delegated(t *events.Tool, version string) {
	if t.ID == "" || t.AgentType == "" || !writesUsage(version) {
		return
	}
	t.AgentID = t.AgentType + "-" + t.ID
	cs.seen.Add(cs.Keys.String(domainHelper, t.AgentID))
}

// taskMark precedes the ID of a sub-agent in the result of the call that moved it to the background.
var taskMark = []byte("task_id: ")

// launched handles the result of a call whose sub-agent continues in the background.
func (cs *calls) launched(t *events.Tool, r *sdkstream.Envelope, b *sdkstream.Block) {
	_, id, ok := bytes.Cut(head(b), taskMark)
	if !ok {
		return
	}
	if end := bytes.IndexAny(id, " \\"); end >= 0 {
		id = id[:end]
	}
	if len(id) == 0 {
		return
	}
	t.State, t.AgentID = events.ToolStateBackground, strings.ToValidUTF8(string(id), "\ufffd")
	if writesUsage(cs.Strings.Text(r.Rest.Get("version"))) {
		cs.seen.Add(cs.Keys.String(domainHelper, t.AgentID))
	}
}

// writesUsage reports whether a version of the program writes the tokens of a sub-agent to that sub-agent's transcript.
func writesUsage(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(minor)
	return err == nil && (major != "0" || n >= 24)
}

// countedByHelper reports whether a call to the API belongs to a sub-agent whose own transcript has its tokens. Its prompt
// ID is <session>#<agent>#<count>.
func (rp *reports) countedByHelper(prompt []byte) bool {
	_, rest, ok := bytes.Cut(prompt, []byte("#"))
	if !ok {
		return false
	}
	agent, _, ok := bytes.Cut(rest, []byte("#"))
	return ok && len(agent) > 0 && rp.seen.Find(rp.Keys.Bytes(domainHelper, agent)) != nil
}

// helperMessage returns the ID of the response that a line of a sub-agent's transcript belongs to. A response is a line
// with tokens followed by a line for each call. If no line has tokens, the results of calls separate the responses.
func (p *Parser) helperMessage(r *sdkstream.Envelope) string {
	if r.Rest.Get("usageMetadata").Exists() {
		p.responses.end("")
	}
	return p.responses.of("", p.Head.ItemID)
}

// taskNotice emits the end of a background sub-agent's work.
func (s *session) taskNotice(text string) {
	if n, ok := lines.ReadTaskNotice(text); ok {
		n.Apply(s.Emit(events.KindToolProgress))
	}
}
