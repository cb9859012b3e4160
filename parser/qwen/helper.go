package qwen

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// A sub-agent in the background has a transcript of its own, subagents/<session>/agent-<id>.jsonl, whose lines have its id
// (agentId). The result of its call has the same id in its text, and a notice in the user's name that its work is over.
// From 0.24 on its file has its tokens; the telemetry in the session's transcript repeats them. So it is with sub-agents in
// the foreground (0.24.4), whose id the session's transcript does not report: it is made of their type and their call.

// delegated names the sub-agent that a call of the session's transcript starts.
func (cs *calls) delegated(t *events.Tool, version string) {
	if t.ID == "" || t.AgentType == "" || !writesUsage(version) {
		return
	}
	t.AgentID = t.AgentType + "-" + t.ID
	cs.seen.Add(cs.Keys.String(domainHelper, t.AgentID))
}

// taskMark is before the id of a sub-agent in the result of the call that put it into the background.
var taskMark = []byte("task_id: ")

// launched fills in the result of a call whose sub-agent goes on in the background.
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
	t.State, t.AgentID = events.ToolStateBackground, string(id)
	if writesUsage(cs.Strings.Text(r.Rest.Get("version"))) {
		cs.seen.Add(cs.Keys.String(domainHelper, t.AgentID))
	}
}

// writesUsage reports whether a version of the program writes the tokens of a sub-agent into that one's own transcript.
func writesUsage(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(minor)
	return err == nil && (major != "0" || n >= 24)
}

// countedByHelper reports whether a call to the API is one of a sub-agent whose own transcript has its tokens: its prompt id
// is <session>#<agent>#<count>.
func (rp *reports) countedByHelper(prompt []byte) bool {
	_, rest, ok := bytes.Cut(prompt, []byte("#"))
	if !ok {
		return false
	}
	agent, _, ok := bytes.Cut(rest, []byte("#"))
	return ok && len(agent) > 0 && rp.seen.Find(rp.Keys.Bytes(domainHelper, agent)) != nil
}

// helperMessage is the id of the response that a line of a sub-agent's transcript is of. A response is a line with its
// tokens, and one for each call behind it; where no line has tokens, the results of calls part the responses.
func (p *Parser) helperMessage(r *sdkstream.Envelope) string {
	if r.Rest.Get("usageMetadata").Exists() {
		p.responses.end("")
	}
	return p.responses.of("", p.Head.ItemID)
}

// taskNotice emits the end of the work of a sub-agent in the background.
func (s *session) taskNotice(text string) {
	if n, ok := lines.ReadTaskNotice(text); ok {
		n.Apply(s.Emit(events.KindToolProgress))
	}
}
