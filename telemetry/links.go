package telemetry

import (
	"slices"
	"strings"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/folder"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/team"
	"github.com/tailspan/tailspan/session/work"
)

// The parent's stream announces what sub-agents in separate streams need: its runs, the agents that its calls start,
// and how those calls end.

// family links the runs, calls and sub-agents of a stream to those of other streams.
type family struct {
	accounting
	links streamLinks
}

// announceTurn links a turn to its run.
func (s *family) announceTurn(r *work.Run, turn string) {
	if turn == "" || turn == r.Turn || r.SubAgent || r.AdoptsNobody() {
		return // a sub-agent works in a turn that its parent announces, and history belongs to its own session
	}
	r.Turn = strings.Clone(turn)
	s.followUp.notify(s.registry.links.AnnounceTurn(link.Turn{Provider: s.settings.Agent.Provider, Session: r.SessionID, Turn: r.Turn}, r.Ref))
}

// announceAgent links an agent to the call that started it.
func (s *family) announceAgent(c *work.Call, id string) {
	if id == "" || c.AgentID != "" || id == s.links.child.Agent {
		return // an agent did not start itself
	}
	c.AgentID, c.Task = id, int32(s.seen.Nth(&s.seen.Agents, "asked", id))
	if c.Caller.Run.AdoptsNobody() {
		return
	}
	if c.Child == nil { // otherwise its work is in this stream
		if r := c.Caller.Run; r.IsJoined() { // the same call has no ID in the first account
			r.Ref.Team.Named(s.keyOf(c).Member(), r.ChildKey.Member())
		} else {
			r.Ref.Team.Asked(s.keyOf(c).Member(), r.ChildKey.Member())
		}
		s.links.announced = append(s.links.announced, s.keyOf(c))
		if drop := len(s.links.announced) - maxState; drop > 0 {
			s.links.announced = slices.Delete(s.links.announced, 0, drop)
		}
	}
	s.followUp.notify(s.registry.links.AnnounceCall(s.self, s.keyOf(c), c.Caller.Run.Ref, c.Link()))
	if c.Closed() {
		s.endAgent(c, link.End{Verdict: outcome.Closed(otlp.CloseReasonResult), Span: c.Span})
	}
}

// endAgent reports the end of an agent. A duplicate account leaves that to the account that exports the call.
func (s *family) endAgent(c *work.Call, how link.End) {
	if c.AgentID != "" && c.Exported() {
		s.followUp.notify(s.registry.links.End(s.keyOf(c), c.Caller.Run.Ref, c.SpanID, how))
	}
}

// announceEnd reports that the call which started an agent is over.
func (s *family) announceEnd(c *work.Call, out outcome.Call) {
	switch {
	case c.AgentID == "":
	case out.Background:
		s.registry.links.Background(s.keyOf(c))
	default:
		s.endAgent(c, link.End{Verdict: out.Verdict(), Span: c.Span})
	}
	s.announceSpawningCall(c, out)
}

func (s *family) keyOf(c *work.Call) link.Key {
	return link.Key{Provider: s.settings.Agent.Provider, Session: c.Caller.Run.SessionID, Agent: c.AgentID, Task: int(c.Task)}
}

// notify collects the streams that an announcement affects, until the line is done.
func (f *followUp) notify(children []*Stream) {
	f.children = append(f.children, children...)
}

// holdsChildren reports whether the folder of the run's session may link children to the run. The folder is that of the
// transcript; a stream of the same session is another account.
func (s *family) holdsChildren(r *work.Run) bool {
	return s.settings.Agent.Folders && s.recorded && s.links.child.IsZero() && !r.SubAgent && (r.Exports() || r.IsJoined()) && r.SessionID != ""
}

// folder returns the key of a session that the folder of its sub-agents' files names.
func (s *streamSettings) folder(session string) folder.Session {
	return folder.Session{Provider: s.Agent.Provider, ID: session}
}

// announceRun announces a run to the children in the session's folder.
func (s *family) announceRun(r *work.Run, at clock.Moment) {
	if s.holdsChildren(r) {
		s.registry.links.Enter(r.Ref)
		s.registry.folders.AnnounceRun(s.settings.folder(r.SessionID), r.Ref, at.At)
	}
}

// announceTime announces the progress of the session. It excludes events that are pending for their run's key.
func (s *family) announceTime() {
	if at := s.clock.Reached(); s.run != nil && at.Known() && s.holdsChildren(s.run) {
		s.followUp.notify(s.registry.folders.AnnounceTime(s.settings.folder(s.run.SessionID), at.At))
	}
}

// announceSpawningCall announces a call that started an agent whose ID is not in the result.
func (s *family) announceSpawningCall(c *work.Call, out outcome.Call) {
	r := c.Caller.Run
	if c.AgentType == "" || c.AgentID != "" || c.Child != nil || out.Reason != otlp.CloseReasonResult || !s.holdsChildren(r) {
		return
	}
	ref := c.Link()
	r.Ref.Team.Asked(spawnKey(ref), team.Key{})
	s.registry.folders.AnnounceSpawn(s.self, s.settings.folder(r.SessionID), r.Ref, folder.Spawn{
		Call: *ref, End: link.End{Verdict: out.Verdict(), Span: c.Span}, Target: folder.MarkOf(c.Target),
	})
}

// spawnKey represents the agent that a call started until the folder of the agent's file links the two.
func spawnKey(call *link.Call) team.Key {
	return team.Key{Agent: "call/" + otlp.SpanID(call.Span).String()}
}

// refTo returns the span of a run.
func refTo(r *link.Run) otlp.SpanRef { return otlp.SpanRef{Trace: r.Trace, Span: r.Top} }

// enterLinked reports the usage of a sub-agent to the team of its run.
func (s *family) enterLinked(r *work.Run, over bool) {
	var end clock.Instant
	if last := r.Top.Time.End; last.FromLine() || last.Source == clock.SourceCarried {
		end = last.At
	}
	if s.settings.ParentSession != "" && over {
		if k := s.linkNow(r); k.Call != nil {
			r.Ref.Team.Spawned(r.ChildKey.Member(), spawnKey(k.Call))
		}
	}
	if !over {
		r.Ref.Team.GoesOn(r.ChildKey.Member())
	} else {
		s.followUp.notify(s.registry.links.Over(r.Ref, r.ChildKey, end, r.Top.Ledger.OwnExported()))
	}
}

// lacksLinked reports whether sub-agents of a closed run are, or may be, active, or whether the next line may continue the run
// itself, which is a sub-agent's. For a stream on standard output it is unknown whether the files of its sub-agents are read at
// all, so it waits only for those whose files were seen.
func (s *family) lacksLinked(r *work.Run) bool {
	u := s.registry.links.Use(s.settings.Agent.Provider, r.Ref, r.ChildKey.Member(), 0)
	return u.AtWork || r.Closing.Report == work.Due || r.LacksOther() || (s.recorded || r.IsChild()) && (u.Unseen || u.Groups || u.Unasked < r.UnnamedAgents())
}

// sumsUpAgents reports whether the run's own totals include the tokens of its sub-agents.
func (s *family) sumsUpAgents(r *work.Run) bool {
	return !r.IsChild() && s.settings.Agent.TotalsOfAgents && r.Top.Ledger.HasTotals()
}

// takeLinked updates the ledger of a run with the usage of sub-agents in other streams.
func (s *family) takeLinked(r *work.Run) {
	if s.sumsUpAgents(r) || r.IsJoined() || r.Ref == nil {
		return
	}
	var until clock.Instant
	if end := r.Top.Time.End; !r.Closing.Abandoned && (end.FromLine() || end.Source == clock.SourceCarried) {
		until = end.At.Add(s.registry.settings.linkWait())
	}
	u := s.registry.links.Use(s.settings.Agent.Provider, r.Ref, r.ChildKey.Member(), until)
	r.Top.Ledger.Linked = u.Used
	r.Top.Ledger.Incomplete = u.Incomplete || !r.IsChild() && r.Closing.Silent || s.recorded && u.Unasked < r.UnnamedAgents()
	r.TakeCalls(false)
}

// worksInline records that a sub-agent works in the run's stream, or that it has ended.
func (s *family) worksInline(a *work.Agent, over bool) {
	if c := a.Call; c.AgentID != "" && a.Role != work.RoleDuplicate && !a.Run.IsJoined() {
		a.Run.Ref.Team.Inline(s.keyOf(c).Member(), over)
	}
}

// worksElsewhere reports whether a sub-agent in a separate stream continues after its call.
func (s *family) worksElsewhere(key link.Key) bool {
	k := s.registry.links.Lookup(key)
	return k.Background && !k.Ended && !k.Done
}

// awaitsAgents reports whether the open run is silent because sub-agents work for it in other streams, so that it is not idle
// ([Stream.Moved]). A gap then shows that it was abandoned if the next line opens a run, or is by the program, as in a resumed session.
func (s *family) awaitsAgents() bool {
	return s.run != nil && !s.run.Closed &&
		(slices.ContainsFunc(s.run.Calls.Open(), (*work.Call).StartsAgent) || slices.ContainsFunc(s.links.announced, s.worksElsewhere))
}
