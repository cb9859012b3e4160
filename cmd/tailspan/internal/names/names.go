// Package names reduces the log of an agent to names and numbers: which tools were called, how long they took, what failed,
// tokens and cost. It is for logs that everybody may read, such as those of a public CI job.
//
// [Wrap] wraps the target of a log. It drops messages, reasoning, questions and lines that are no events, and removes texts,
// arguments, outputs and paths from everything else ([Strip]). A name is kept if it looks like one: up to [MaxName] letters,
// digits, "_", "-", "." and ":"; of a path, as of a local model, only the last element is considered. Other names of tools, which
// a model may invent, are replaced.
package names

import (
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

// MaxName bounds a name, in bytes.
const MaxName = 64

// unknown replaces what is no name.
const unknown = "unknown"

// Name returns a name that may be shown: s, its last element, or "unknown".
func Name(s string) string {
	if s == "" {
		return ""
	}
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		s = s[i+1:]
	}
	if s == "" || len(s) > MaxName {
		return unknown
	}
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-.:", c) >= 0) {
			return unknown
		}
	}
	return s
}

// target is a log without contents.
type target struct{ render.Target }

// Wrap returns a target that shows only the names and numbers of what it receives.
func Wrap(t render.Target) render.Target { return target{t} }

// Emit writes the rest of an event.
func (t target) Emit(e *events.DisplayEvent) {
	if left, ok := Strip(e); ok {
		t.Target.Emit(&left)
	}
}

// PassThrough drops a line that is no event.
func (t target) PassThrough([]byte) {}

// Raw drops a line of an unknown agent.
func (t target) Raw([]byte) {}

// Strip returns an event without contents; ok is false if nothing remains of it.
func Strip(e *events.DisplayEvent) (left events.DisplayEvent, ok bool) {
	left = events.DisplayEvent{
		Kind: e.Kind, Synthetic: e.Synthetic, Abridged: e.Abridged, Copied: e.Copied, Sign: e.Sign, Time: e.Time,
		SessionID: e.SessionID, TurnID: e.TurnID, MessageID: e.MessageID, ItemID: e.ItemID, ParentID: e.ParentID, AgentID: e.AgentID,
		Answer: e.Answer, Model: Name(e.Model), ModelProvider: Name(e.ModelProvider), Usage: e.Usage,
	}
	switch e.Kind {
	case events.KindToolUse, events.KindToolResult, events.KindToolProgress:
		left.Tool = tool(&e.Tool)
	case events.KindNotice:
		if e.Notice.Code == "" {
			return left, false
		}
		left.Notice = events.Notice{Level: e.Notice.Level, Code: Name(e.Notice.Code)}
		left.Text = strings.ReplaceAll(left.Notice.Code, "_", " ")
	case events.KindUsage, events.KindTurnStarted:
	case events.KindSessionStarted:
		left.Session = session(e.Session)
	case events.KindTurnDone, events.KindTurnAborted, events.KindSessionEnded:
		left.End = end(e.End)
	case events.KindApprovalRequest:
		if e.Approval != nil {
			left.Approval = &events.Approval{ID: e.Approval.ID, Tool: Name(e.Approval.Tool)}
		}
	default: // messages, reasoning and questions
		return left, false
	}
	return left, true
}

func tool(t *events.Tool) events.Tool {
	left := events.Tool{
		ID: t.ID, Name: Name(t.Name), AgentID: t.AgentID, Server: Name(t.Server), Asks: t.Asks, ReadOnly: t.ReadOnly, Partial: t.Partial,
		State: t.State, Error: t.Error, Denied: t.Denied, ExitCode: t.ExitCode, HasExitCode: t.HasExitCode, Lines: t.Lines,
		HasLines: t.HasLines, Size: t.Size, Truncated: t.Truncated, Batched: t.Batched, Duration: t.Duration,
	}
	switch {
	case t.Denied:
		left.Err = "refused"
	case t.Error && t.HasExitCode && t.ExitCode != 0:
		left.Err = "exit code " + strconv.Itoa(t.ExitCode)
	case t.Error:
		left.Err = "failed"
	}
	return left
}

func session(s *events.Session) *events.Session {
	if s == nil {
		return nil
	}
	return &events.Session{Version: Name(s.Version), SubAgent: s.SubAgent, Recorded: s.Recorded, PermissionMode: Name(s.PermissionMode)}
}

func end(e *events.End) *events.End {
	if e == nil {
		return nil
	}
	left := *e
	left.Result, left.Principle, left.Code = "", Name(e.Principle), Name(e.Code)
	if left.Err = ""; e.Error {
		left.Err = strings.ReplaceAll(string(e.Cause), "_", " ")
	}
	return &left
}
