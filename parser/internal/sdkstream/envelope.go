package sdkstream

import "github.com/tailspan/tailspan/parser/internal/scan"

// Envelope is one object of a line. Reuse it for the next object.
type Envelope struct {
	Fields
	Rest    scan.Members // all members that are not in Fields
	Details scan.Members // of tool_use_result, toolUseResult or toolCallResult: the structured form of a result

	// LastUsage is the usage of an earlier line. If it repeats, it is not scanned again.
	LastUsage []byte

	args  scan.Members // backs Args of the blocks
	texts []scan.Value // backs Texts of the blocks
}

// Fields holds the members that most lines have.
type Fields struct {
	Kind, Subtype, UUID, Session, Parent, Timestamp, Agent scan.Value

	PromptID, RequestSession, RequestID, APIError scan.Value // needed for each line of the model; searching Rest is slower

	Transcript bool // the keys are in camelCase: sessionId
	Message    Message
}

// Message is the value of the member message.
type Message struct {
	Object bool       // it is an object
	Parts  bool       // it has parts, as in Gemini's API
	Value  scan.Value // if it is not an object: a string on permission_denied lines

	ID, Model, Usage scan.Value
	Stop             scan.Value // stop_reason
	Text             scan.Value // content, if it is a string
	Blocks           []Block
}

// keepBlocks is the number of blocks, arguments or texts above which their memory is not reused for the next line.
const keepBlocks = 1 << 10

// reset clears r and keeps its memory.
func (r *Envelope) reset() {
	blocks := r.Message.Blocks[:0]
	if cap(blocks) > keepBlocks || cap(r.args) > keepBlocks || cap(r.texts) > keepBlocks {
		blocks, r.args, r.texts = nil, nil, nil
	}
	r.Fields = Fields{} // in place: creating and copying a whole envelope costs a kilobyte per line
	r.Message.Blocks = blocks
	r.Rest, r.Details, r.args, r.texts = r.Rest[:0], r.Details[:0], r.args[:0], r.texts[:0]
}

// Read reads one object from s. It returns false if the object is malformed; r is then invalid.
func (r *Envelope) Read(s *scan.Scanner) bool {
	r.reset()
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "type":
			r.Kind = s.Value()
		case "subtype":
			r.Subtype = s.Value()
		case "uuid":
			r.UUID = s.Value()
		case "session_id":
			r.Session = s.Value()
		case "sessionId":
			r.Transcript = true
			if v := s.Value(); r.Session.Kind != scan.KindString {
				r.Session = v
			}
		case "parent_tool_use_id":
			r.Parent = s.Value()
		case "timestamp":
			r.Timestamp = s.Value()
		case "agent_id", "agentId":
			r.Agent = s.Value()
		case "message":
			r.readMessage(s)
		case "tool_use_result", "toolUseResult", "toolCallResult":
			r.readDetails(s)
		case "promptId":
			r.PromptID = s.Value()
		case "requestSessionId":
			r.RequestSession = s.Value()
		case "requestId", "request_id":
			if v := s.Value(); len(v.Body()) > 0 {
				r.RequestID = v
			}
		case "isApiErrorMessage", "is_api_error_message":
			r.APIError = s.Value()
		default:
			r.Rest = s.Keep(r.Rest)
		}
	}
	return s.Err() == nil
}

func (r *Envelope) readMessage(s *scan.Scanner) {
	m := &r.Message
	if s.Peek() != scan.KindObject {
		m.Value = s.Value()
		return
	}
	m.Object = true
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "id":
			m.ID = s.Value()
		case "model":
			m.Model = s.Value()
		case "usage":
			m.Usage = s.Repeat(r.LastUsage)
		case "stop_reason":
			m.Stop = s.Value()
		case "content":
			r.readBlocks(s)
		case "parts":
			m.Parts = true
			r.readBlocks(s)
		default:
			s.Skip()
		}
	}
}

// readDetails reads the structured form of a result. It adds the members of a read file at the top level, without the
// content, which is large; they share no name with other members except numLines.
func (r *Envelope) readDetails(s *scan.Scanner) {
	if s.Peek() != scan.KindObject {
		s.Skip() // "Error: ..." on failures, which the content repeats
		return
	}
	r.Details = r.Details[:0]
	for s.Object(); s.Key(); {
		if string(s.Name()) != "file" || s.Peek() != scan.KindObject {
			r.Details = s.Keep(r.Details)
			continue
		}
		for s.Object(); s.Key(); {
			switch string(s.Name()) {
			case "numLines", "truncatedByTokenCap":
				r.Details = s.Keep(r.Details)
			default:
				s.Skip()
			}
		}
	}
}

// Each calls f with the first object of each line, or with each object of an array, until f returns false. It skips anything
// else. trim removes what can precede an object.
func Each(lines [][]byte, trim func([]byte) []byte, f func(*Envelope) bool) {
	var s scan.Scanner
	var r Envelope
	for _, line := range lines {
		s.Reset(trim(line))
		if s.Peek() == scan.KindArray { // all messages in one array
			s.Array()
			if !s.Element() {
				continue
			}
		}
		if s.Peek() == scan.KindObject && r.Read(&s) && !f(&r) {
			return
		}
	}
}
