package sdkstream

import "github.com/tailspan/tailspan/parser/internal/scan"

// Envelope is one object of a line. Its memory is used again for the next one.
type Envelope struct {
	Fields
	Rest    scan.Members // all members that Fields has no field for
	Details scan.Members // of tool_use_result, toolUseResult or toolCallResult, the structured side of a result

	// LastUsage is the usage of an earlier line, which is not walked through again where it is repeated.
	LastUsage []byte

	args  scan.Members // backs Args of the blocks
	texts []scan.Value // backs Texts of the blocks
}

// Fields are the members that most lines have.
type Fields struct {
	Kind, Subtype, UUID, Session, Parent, Timestamp, Agent scan.Value

	PromptID, RequestSession, RequestID, APIError scan.Value // asked for with each line of the model: Rest is searched for each

	Transcript bool // its keys are in camelCase: sessionId
	Message    Message
}

// Message is the member message.
type Message struct {
	Object bool       // it is an object
	Parts  bool       // with parts, as Gemini's API has them
	Value  scan.Value // if it is none: a string on permission_denied lines

	ID, Model, Usage scan.Value
	Stop             scan.Value // stop_reason
	Text             scan.Value // content, if it is a string
	Blocks           []Block
}

// keepBlocks is the number of blocks, arguments or texts from which their memory is not kept for the next line.
const keepBlocks = 1 << 10

// reset empties r and keeps its memory.
func (r *Envelope) reset() {
	blocks := r.Message.Blocks[:0]
	if cap(blocks) > keepBlocks || cap(r.args) > keepBlocks || cap(r.texts) > keepBlocks {
		blocks, r.args, r.texts = nil, nil, nil
	}
	r.Fields = Fields{} // in place: a whole envelope is made apart and copied, a kilobyte each line
	r.Message.Blocks = blocks
	r.Rest, r.Details, r.args, r.texts = r.Rest[:0], r.Details[:0], r.args[:0], r.texts[:0]
}

// Read reads one object from s. It reports false if the object is malformed; r is then of no use.
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

// readDetails reads the structured side of a result. The members of a file that was read are in it as if they were its
// own, since its content is large; they have no name in common with others but numLines.
func (r *Envelope) readDetails(s *scan.Scanner) {
	if s.Peek() != scan.KindObject {
		s.Skip() // "Error: ..." on failures, and what the content says already
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

// Each calls f with the first object of each line, or of its array, until f returns false. What is no object is passed over;
// trim takes off what can precede one.
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
