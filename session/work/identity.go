package work

import (
	"strconv"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/pending"
)

// Identity holds the parts of the IDs of a run and its items.
type Identity struct {
	TraceID   otlp.TraceID
	Key       string // made unique by its content and occurrence; see package runkey
	SessionID string
	IDSession string // the session's part of IDs: its ID or, without one, the stream's fingerprint
	// IDScope separates the IDs of runs that could collide. It is the run's key if the format numbers its items anew in each
	// run, or if the trace has other runs, possibly a second account under another key. It is empty if the key is the ID of a
	// model message, which makes all IDs unique, and the trace belongs to the run alone. A sub-agent uses its run's.
	IDScope string
}

// OwnTrace returns the trace of a run that shares it with no other.
func (r *Identity) OwnTrace(provider string) otlp.TraceID {
	return otlp.NewTraceID(0, provider, r.IDSession, r.Key)
}

// ChatID returns the span ID of a model call of the run.
func (r *Identity) ChatID(provider string, occurrence int, parts ...string) otlp.SpanID {
	all := append(make([]string, 0, 8), provider, r.IDSession, r.Key) // on the stack
	return otlp.NewSpanID(otlp.DomainChat, occurrence, append(all, parts...)...)
}

// AppendUIDParts appends the parts of a record's identity: the ID of its line if the format has one, so that two
// sources of a session agree; else the call; else, for an end, the run; else the position in the stream.
func (r *Run) AppendUIDParts(buf []byte, provider string, of *Call, what pending.Sighting) []byte {
	ev, o := what.Event, what.From
	kind := ev.Kind.String()
	var call []byte
	if of != nil {
		call = of.Content[:]
	}
	switch {
	case ev.ItemID != "":
		buf = otlp.AppendParts(buf, otlp.DomainRecord, o.Nth, provider, r.IDSession, kind, ev.ItemID)
	case of != nil && ev.Kind != events.KindToolProgress:
		buf = otlp.AppendParts(buf, otlp.DomainRecord, int(of.Occurrence), provider, r.IDSession, r.IDScope, kind, of.ID)
	case ev.Kind == events.KindSessionEnded && ev.End != nil:
		// Its line may be the next one, which shows that nothing revokes the end. content.Append adds the key of the run.
		buf = otlp.AppendParts(buf, otlp.DomainRecord, 0, provider, r.IDSession, kind, r.ChildKey.Agent, ev.End.Code, ev.End.Err)
	default:
		buf = otlp.AppendParts(buf, otlp.DomainRecord, o.Index, provider, r.IDSession, kind, r.Key, r.ChildKey.Agent, strconv.FormatInt(o.Offset, 10))
	}
	return content.Append(buf, r.Key, call, ev)
}

// LiveRecord returns a record about the run at the current time.
func (r *Run) LiveRecord(now time.Time, name string, n int) *otlp.Record {
	of := LiveRecord(now, r.Top.Span(), otlp.RecordUID(n, name, r.TraceID.String(), r.Top.SpanID.String()))
	of.Conversation, of.Agent = r.SessionID, r.Top.Name
	return of
}

// LiveRecord returns a record of the current time.
func LiveRecord(now time.Time, in otlp.SpanRef, uid otlp.UID) *otlp.Record {
	of := RecordAt(clock.Moment{At: clock.InstantOf(now), Source: clock.SourceArrival}, now, in, uid)
	return &of
}

// RecordAt returns a record of something that happened at a moment and was observed later.
func RecordAt(at clock.Moment, seen time.Time, in otlp.SpanRef, uid otlp.UID) otlp.Record {
	return otlp.Record{Time: int64(at.At), TimeSource: at.Source.String(), Observed: seen, In: in, UID: uid}
}
