package codex

import "github.com/tailspan/tailspan/parser/internal/scan"

// record is one object of a line as raw spans. Nothing is interpreted while it is read, since its type may come last
// and its end may be missing.
//
//	form     kind in  content in
//	E2, E3   type     item, or top
//	E1       type     body (msg); a head line has no type and all in top
//	R2-R4    type     body (payload), and item in it
//	R1       type     top
type record struct {
	kind, timestamp scan.Value

	top  scan.Members // members of the object itself
	body scan.Members // members of its payload or its msg
	item scan.Members // members of the item in it or in its payload

	hasPayload, hasMsg, hasItem bool
}

// The usual maximum number of members of each kind of object.
const (
	usualTop  = 4
	usualBody = 12
	usualItem = 20
)

// makeRoom allocates room for the members of most records at once. A stream is often only a few kilobytes long, and
// growing the lists by doubling would be half of what its parser allocates.
func (r *record) makeRoom() {
	room := make(scan.Members, usualTop+usualBody+usualItem)
	r.top, room = room[:0:usualTop], room[usualTop:]
	r.body, r.item = room[:0:usualBody], room[usualBody:][:0]
}

// reset clears r and keeps its memory.
func (r *record) reset() {
	*r = record{top: r.top[:0], body: r.body[:0], item: r.item[:0]}
}

// read reads one object from s. It returns false if the object is malformed; r is then invalid.
func (r *record) read(s *scan.Scanner) bool {
	r.reset()
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "type":
			r.kind = s.Value()
		case "timestamp":
			r.timestamp = s.Value()
		case "payload":
			r.hasPayload = r.readBody(s)
		case "msg":
			r.hasMsg = r.readBody(s)
		case "item":
			r.hasItem = r.readItem(s)
		default:
			r.top = s.Keep(r.top)
		}
	}
	return s.Err() == nil
}

func (r *record) readBody(s *scan.Scanner) bool {
	r.body = r.body[:0]
	if s.Peek() != scan.KindObject {
		s.Skip()
		return false
	}
	for s.Object(); s.Key(); {
		if string(s.Name()) == "item" {
			r.hasItem = r.readItem(s)
		} else {
			r.body = s.Keep(r.body)
		}
	}
	return true
}

func (r *record) readItem(s *scan.Scanner) bool {
	r.item = r.item[:0]
	if s.Peek() != scan.KindObject {
		s.Skip()
		return false
	}
	for s.Object(); s.Key(); {
		r.item = s.Keep(r.item)
	}
	return true
}

// Limits of what a parser remembers, in entries. The oldest is evicted first; a later repetition of it then counts as new.
const (
	maxCalls     = 1 << 14 // tool calls, to pair them with results
	maxMessages  = 1 << 12 // messages that were shown, to distinguish them from others
	maxResponses = 1 << 12 // model responses, to count their tokens once
	maxPrompts   = 1 << 10 // prompts seen under only one of their two record types
	maxAgents    = 1 << 10 // sub-agents, to report their end under the call that started them
)

// The domains of hashes, so that the ID of a call never collides with a text.
const (
	domainCall byte = iota
	domainBody
	domainMessage
	domainResponse
	domainPrompt
	domainAgent
)
