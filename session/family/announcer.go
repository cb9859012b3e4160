package family

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

// Announcer announces what sub-agents in separate streams need: the runs of a stream, the agents that its calls start, and how those calls
// end.
type Announcer[S comparable] struct {
	set   Settings[S]
	woken Woken[S]
	child link.Key // the sub-agent that works in the stream, if one does
	// announced are the agents that the stream started and that may work in separate streams.
	announced []link.Key
}

// Woken are other streams that something in this one affects: children that can continue, and parents that wait for less than before.
type Woken[S comparable] struct{ Children, Parents []S }

// Notify adds streams that can continue.
func (a *Announcer[S]) Notify(children []S) { a.woken.Children = append(a.woken.Children, children...) }

func (a *Announcer[S]) notifyParent(maker S) {
	var none S
	if maker != none && maker != a.set.Self {
		a.woken.Parents = append(a.woken.Parents, maker)
	}
}

// TakeWoken returns the affected streams since the last call.
func (a *Announcer[S]) TakeWoken() (w Woken[S]) {
	if len(a.woken.Children)+len(a.woken.Parents) > 0 {
		w, a.woken = a.woken, Woken[S]{}
	}
	return w
}

// maxAnnounced bounds the announced agents; the oldest are evicted.
const maxAnnounced = 256

// Announced returns the agents that the stream started and that may work in separate streams, and SetAnnounced replaces them.
func (a *Announcer[S]) Announced() []link.Key        { return a.announced }
func (a *Announcer[S]) SetAnnounced(keys []link.Key) { a.announced = keys }

// AnnounceTurn links a turn to its run.
func (a *Announcer[S]) AnnounceTurn(r *work.Run, turn string) {
	if turn == "" || turn == r.Turn || r.SubAgent || r.AdoptsNobody() {
		return // a sub-agent works in a turn that its parent announces, and history belongs to its own session
	}
	r.Turn = strings.Clone(turn)
	a.Notify(a.set.Links.AnnounceTurn(link.Turn{Provider: a.set.Program.Agent.Provider, Session: r.SessionID, Turn: r.Turn}, r.Ref))
}

// AnnounceAgent links an agent to the call that started it.
func (a *Announcer[S]) AnnounceAgent(c *work.Call, id string) {
	if id == "" || c.AgentID != "" || id == a.child.Agent {
		return // an agent did not start itself
	}
	c.AgentID, c.Task = id, int32(a.set.Seen.Nth(&a.set.Seen.Agents, "asked", id))
	if c.Caller.Run.AdoptsNobody() {
		return
	}
	if c.Child == nil { // otherwise its work is in this stream
		if r := c.Caller.Run; r.IsJoined() { // the same call has no ID in the first account
			r.Ref.Team.Named(a.keyOf(c).Member(), r.ChildKey.Member())
		} else {
			r.Ref.Team.Asked(a.keyOf(c).Member(), r.ChildKey.Member())
		}
		a.announced = append(a.announced, a.keyOf(c))
		if drop := len(a.announced) - maxAnnounced; drop > 0 {
			a.announced = slices.Delete(a.announced, 0, drop)
		}
	}
	a.Notify(a.set.Links.AnnounceCall(a.set.Self, a.keyOf(c), c.Caller.Run.Ref, c.Link()))
	if c.Closed() {
		a.endAgent(c, link.End{Verdict: outcome.Closed(otlp.CloseReasonResult), Span: c.Span})
	}
}

// endAgent reports the end of an agent. A duplicate account leaves that to the account that exports the call.
func (a *Announcer[S]) endAgent(c *work.Call, how link.End) {
	if c.AgentID != "" && c.Exported() {
		a.Notify(a.set.Links.End(a.keyOf(c), c.Caller.Run.Ref, c.SpanID, how))
	}
}

// AnnounceEnd reports that the call which started an agent is over.
func (a *Announcer[S]) AnnounceEnd(c *work.Call, out outcome.Call) {
	switch {
	case c.AgentID == "":
	case out.Background:
		a.set.Links.Background(a.keyOf(c))
	default:
		a.endAgent(c, link.End{Verdict: out.Verdict(), Span: c.Span})
	}
	a.announceSpawningCall(c, out)
}

// AnnounceNotice reports the end of background work that a notice shows. Only one account of a run may have the notice, since a stream can
// end before it, so each account counts.
func (a *Announcer[S]) AnnounceNotice(c *work.Call, how link.End) {
	if r := c.Caller.Run; c.AgentID != "" && (r.Exports() || r.IsJoined()) {
		a.Notify(a.set.Links.End(a.keyOf(c), r.Ref, c.SpanID, how))
	}
}

func (a *Announcer[S]) keyOf(c *work.Call) link.Key {
	return link.Key{Provider: a.set.Program.Agent.Provider, Session: c.Caller.Run.SessionID, Agent: c.AgentID, Task: int(c.Task)}
}

// holdsChildren reports whether the folder of the run's session may link children to the run. The folder is that of the
// transcript; a stream of the same session is another account.
func (a *Announcer[S]) holdsChildren(r *work.Run) bool {
	return a.set.Program.Agent.Folders && a.set.Program.Recorded && a.child.IsZero() && !r.SubAgent && (r.Exports() || r.IsJoined()) && r.SessionID != ""
}

// folder returns the key of a session that the folder of its sub-agents' files names.
func (a *Announcer[S]) folder(session string) folder.Session {
	return folder.Session{Provider: a.set.Program.Agent.Provider, ID: session}
}

// AnnounceRun announces a run to the children in the session's folder.
func (a *Announcer[S]) AnnounceRun(r *work.Run, at clock.Moment) {
	if a.holdsChildren(r) {
		a.set.Links.Enter(r.Ref)
		a.set.Folders.AnnounceRun(a.folder(r.SessionID), r.Ref, at.At)
	}
}

// AnnounceTime announces how far the session of a run was read. It excludes events that are pending for their run's key.
func (a *Announcer[S]) AnnounceTime(r *work.Run, reached clock.Moment) {
	if r != nil && reached.Known() && a.holdsChildren(r) {
		a.Notify(a.set.Folders.AnnounceTime(a.folder(r.SessionID), reached.At))
	}
}

// announceSpawningCall announces a call that started an agent whose ID is not in the result.
func (a *Announcer[S]) announceSpawningCall(c *work.Call, out outcome.Call) {
	r := c.Caller.Run
	if c.AgentType == "" || c.AgentID != "" || c.Child != nil || out.Reason != otlp.CloseReasonResult || !a.holdsChildren(r) {
		return
	}
	ref := c.Link()
	r.Ref.Team.Asked(spawnKey(ref), team.Key{})
	a.set.Folders.AnnounceSpawn(a.set.Self, a.folder(r.SessionID), r.Ref, folder.Spawn{
		Call: *ref, End: link.End{Verdict: out.Verdict(), Span: c.Span}, Target: folder.MarkOf(c.Target),
	})
}

// spawnKey represents the agent that a call started until the folder of the agent's file links the two.
func spawnKey(call *link.Call) team.Key {
	return team.Key{Agent: "call/" + otlp.SpanID(call.Span).String()}
}

// WorksInline records that a sub-agent works in the run's stream, or that it has ended.
func (a *Announcer[S]) WorksInline(sub *work.Agent, over bool) {
	if c := sub.Call; c.AgentID != "" && sub.Role != work.RoleDuplicate && !sub.Run.IsJoined() {
		sub.Run.Ref.Team.Inline(a.keyOf(c).Member(), over)
	}
}

// AnyElsewhere reports whether an announced sub-agent in a separate stream continues after its call.
func (a *Announcer[S]) AnyElsewhere() bool {
	return slices.ContainsFunc(a.announced, func(key link.Key) bool {
		k := a.set.Links.Lookup(key)
		return k.Background && !k.Ended && !k.Done
	})
}

// AwaitsAgents reports whether a run is silent because sub-agents work for it in other streams, so that it is not idle
// either. A gap then shows that it was abandoned if the next line opens a run, or is by the program, as in a resumed session.
func (a *Announcer[S]) AwaitsAgents(r *work.Run) bool {
	return r != nil && !r.Closed && (slices.ContainsFunc(r.Calls.Open(), (*work.Call).StartsAgent) || a.AnyElsewhere())
}
