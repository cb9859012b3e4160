package telemetry

import (
	"slices"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/folder"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/team"
)

// The parent's stream announces what sub-agents in separate streams need: its runs, the agents that its calls start,
// and how those calls end.

// announceTurn links a turn to its run.
func (s *Stream) announceTurn(r *run, ev *events.DisplayEvent) {
	if ev.TurnID == "" || ev.TurnID == r.turn || r.subAgent || r.adoptsNobody() {
		return // a sub-agent works in a turn that its parent announces, and history belongs to its own session
	}
	r.turn = strings.Clone(ev.TurnID)
	s.followUp.notify(s.registry.links.AnnounceTurn(link.Turn{Provider: s.settings.Agent.Provider, Session: r.sessionID, Turn: r.turn}, r.ref))
}

// announceAgent links an agent to the call that started it.
func (s *Stream) announceAgent(c *call, id string) {
	if id == "" || c.AgentID != "" || id == s.links.child.Agent {
		return // an agent did not start itself
	}
	c.AgentID, c.task = id, int32(s.seen.Nth(&s.seen.Agents, "asked", id))
	if c.caller.run.adoptsNobody() {
		return
	}
	if c.child == nil { // otherwise its work is in this stream
		if r := c.caller.run; r.isJoined() { // the same call has no ID in the first account
			r.ref.Team.Named(s.keyOf(c).Member(), r.childKey.Member())
		} else {
			r.ref.Team.Asked(s.keyOf(c).Member(), r.childKey.Member())
		}
		s.links.announced = append(s.links.announced, s.keyOf(c))
		if drop := len(s.links.announced) - maxState; drop > 0 {
			s.links.announced = slices.Delete(s.links.announced, 0, drop)
		}
	}
	s.followUp.notify(s.registry.links.AnnounceCall(s, s.keyOf(c), c.caller.run.ref, newCallRef(c)))
	if c.closed {
		s.endAgent(c, link.End{Verdict: outcome.Closed(otlp.CloseReasonResult), Span: c.Span})
	}
}

// endAgent reports the end of an agent. A duplicate account leaves that to the account that exports the call.
func (s *Stream) endAgent(c *call, how link.End) {
	if c.AgentID != "" && c.exported() {
		s.followUp.notify(s.registry.links.End(s.keyOf(c), how))
	}
}

// announceEnd reports that the call which started an agent is over.
func (s *Stream) announceEnd(c *call, out outcome.Call) {
	switch {
	case c.AgentID == "":
	case out.Background:
		s.registry.links.Background(s.keyOf(c))
	default:
		s.endAgent(c, link.End{Verdict: out.Verdict(), Span: c.Span})
	}
	s.announceSpawningCall(c, out)
}

func (s *Stream) keyOf(c *call) link.Key {
	return link.Key{Provider: s.settings.Agent.Provider, Session: c.caller.run.sessionID, Agent: c.AgentID, Task: int(c.task)}
}

// notify collects the streams that an announcement affects, until the line is done.
func (f *followUp) notify(children []*Stream) {
	f.children = append(f.children, children...)
}

// holdsChildren reports whether the folder of the run's session may link children to the run. The folder is that of the
// transcript; a stream of the same session is another account.
func (s *Stream) holdsChildren(r *run) bool {
	return s.settings.Agent.Folders && s.recorded && s.links.child.IsZero() && !r.subAgent && (r.exports() || r.isJoined()) && r.sessionID != ""
}

// folder returns the key of a session that the folder of its sub-agents' files names.
func (s *streamSettings) folder(session string) folder.Session {
	return folder.Session{Provider: s.Agent.Provider, ID: session}
}

// announceRun announces a run to the children in the session's folder.
func (s *Stream) announceRun(r *run, at clock.Moment) {
	if s.holdsChildren(r) {
		s.registry.links.Enter(r.ref)
		s.registry.folders.AnnounceRun(s.settings.folder(r.sessionID), r.ref, at.At)
	}
}

// announceTime announces the progress of the session. It excludes events that are pending for their run's key.
func (s *Stream) announceTime() {
	if at := s.clock.Reached(); s.run != nil && at.Known() && s.holdsChildren(s.run) {
		s.followUp.notify(s.registry.folders.AnnounceTime(s.settings.folder(s.run.sessionID), at.At))
	}
}

// announceSpawningCall announces a call that started an agent whose ID is not in the result.
func (s *Stream) announceSpawningCall(c *call, out outcome.Call) {
	r := c.caller.run
	if c.AgentType == "" || c.AgentID != "" || c.child != nil || out.Reason != otlp.CloseReasonResult || !s.holdsChildren(r) {
		return
	}
	ref := newCallRef(c)
	r.ref.Team.Asked(spawnKey(ref), team.Key{})
	s.registry.folders.AnnounceSpawn(s, s.settings.folder(r.sessionID), r.ref, folder.Spawn{
		Call: *ref, End: link.End{Verdict: out.Verdict(), Span: c.Span}, Target: folder.MarkOf(c.Target),
	})
}

// spawnKey represents the agent that a call started until the folder of the agent's file links the two.
func spawnKey(call *link.Call) team.Key {
	return team.Key{Agent: "call/" + otlp.SpanID(call.Span).String()}
}

// newCallRef returns what the sub-agent that a call started needs to know of the call.
func newCallRef(c *call) *link.Call {
	return &link.Call{Span: c.SpanID, Type: c.AgentType, Tool: c.Name, Exported: c.exported()}
}

// refTo returns the span of a run.
func refTo(r *link.Run) otlp.SpanRef { return otlp.SpanRef{Trace: r.Trace, Span: r.Top} }
