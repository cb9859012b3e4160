package runkey

import (
	"cmp"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/program"
)

// Key identifies a run by an ID of the format and by what the model said first.
type Key struct {
	ID        string // of the format; see [Of]
	content   string // of the first item of the model; empty if the run has none or if the IDs of messages are unique
	ByMessage bool   // ID is that of a model message
	Marked    bool   // the format marks that item as history of another session
	Account   uint64 // hash of the run, equal in each account of it; set by package share
	Copy      uint64 // hash that the item shares with a copy; see [exported.Item]; 0 if copies cannot be proven
}

// keySuffix is the room for content and occurrence after the ID.
const keySuffix = 2 + 2*otlp.HashBytes + 10

// String returns the form that is part of IDs.
func (k *Key) String() string {
	if k.content == "" {
		return k.ID
	}
	return k.ID + "~" + hex.EncodeToString([]byte(k.content))
}

// Of returns the key of the run that begins with waiting, the run of a stream with a number. ok is false while a better key may follow, unless
// force is set.
//
// The key depends on the events up to the line that decides it, not on how many follow: a run that has to wait has more of them than
// one that opens at once.
func Of(p *program.Program, waiting pending.Events, number int, force bool) (key Key, ok bool) {
	over, others, last := false, false, 0
	for i := range waiting {
		ev := &waiting[i].Event
		last = i
		others = others || ev.ParentID != ""
		if key.ID == "" && content.ModelSaid(ev) {
			key.ID, key.ByMessage, key.Marked = strings.Clone(ev.MessageID), true, ev.Copied
		}
		if content.ModelWorks(ev) && !(p.Agent.StreamIDs && ev.Kind == events.KindReasoning) { // otherwise twins may lack it
			// A format without message IDs has no better key to wait for.
			key.content = content.Hash(ev)
			if item, ok := Item(p, ev); ok && !others { // the work of a sub-agent before it is no copy
				key.Copy = item.Stable()
			}
			break
		}
		if key.ID != "" && p.Agent.OwnMessageIDs {
			break
		}
		if over = content.Ends(ev) || i > 0 && content.StartsSession(ev) && waiting[:i].HasStart(); over {
			break
		}
	}
	if p.Agent.OwnMessageIDs {
		key.content = ""
	} else if key.content == "" && !over && !force {
		return key, false
	}
	if key.ID == "" {
		if !over && !force && key.content == "" {
			return key, false
		}
		key.ID = fallback(p, waiting.LineOf(last), number)
	}
	otlp.Bound(&key.ID, otlp.NameBytes-keySuffix)
	return key, true
}

// fallback identifies a run whose model messages have no IDs: by the turn; else by the session with the first line's
// own ID or the run's number in the stream; else by the fingerprint of the stream and the offset of the run.
func fallback(p *program.Program, waiting pending.Events, number int) string {
	session := ""
	for i := range waiting {
		ev := &waiting[i].Event
		if ev.TurnID != "" {
			return strings.Clone(ev.TurnID)
		}
		if session == "" {
			session = ev.SessionID
		}
	}
	if session == "" {
		return p.Fingerprint + "@" + strconv.FormatInt(waiting[0].Origin.Offset, 10)
	}
	for i := range waiting {
		if id := waiting[i].Event.ItemID; id != "" {
			return session + "/" + id
		}
	}
	return session + "#" + strconv.Itoa(number)
}

// Item returns the key of an item. ok is false if a copy cannot be proven: a server's answers are never history, and
// without a session there is no other one.
func Item(p *program.Program, ev *events.DisplayEvent) (key exported.Item, ok bool) {
	if p.Agent.Bodies || ev.SessionID == "" {
		return key, false
	}
	key = exported.Item{Provider: p.Agent.Provider, ID: cmp.Or(ev.Tool.ID, ev.MessageID, ev.ItemID), Kind: ev.Kind}
	if clock.Plausible(ev.Time) {
		key.At = ev.Time.UnixNano()
	} else {
		key.Line = ev.ItemID
	}
	if key.What, key.Detail = content.Said(ev); ev.Kind != events.KindToolUse {
		key.What = ev.Text // the whole text: history is in transcripts, which contain whole texts
	}
	return key, key.ID != "" && (key.At != 0 || key.Line != "")
}
