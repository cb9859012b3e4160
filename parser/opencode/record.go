package opencode

import "github.com/tailspan/tailspan/parser/internal/scan"

// record is one object of a line as raw spans: nothing is judged while it is read, since what shows its form may come
// last and its end may be missing.
type record struct {
	fields
	part    part // of a line of the stream
	hasPart bool
}

// fields are the members that are kept as they stand.
type fields struct {
	kind, timestamp, session, failure, rejected scan.Value // a line of the stream

	table, id, sessionID, messageID, aggregate, data  scan.Value // a row
	created, updated                                  scan.Value
	parentID, directory, title, version, agent, model scan.Value // a row of table session

	info, messages scan.Value // an exported session
	properties     scan.Value // an event of the server
}

// reset empties r and keeps its memory.
func (r *record) reset() {
	r.fields = fields{}
	r.part.reset()
	r.hasPart = false
}

// read takes one object from s. It reports false if the object is malformed; r is then of no use.
func (r *record) read(s *scan.Scanner) bool {
	r.reset()
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "type":
			r.kind = s.Value()
		case "timestamp":
			r.timestamp = s.Value()
		case "sessionID":
			r.session = s.Value()
		case "part":
			r.hasPart = s.Peek() == scan.KindObject
			r.part.read(s)
		case "error":
			r.failure = s.Value()
		case "rejected":
			r.rejected = s.Value()
		case "info":
			r.info = s.Value()
		case "messages":
			r.messages = s.Value()
		case "properties":
			r.properties = s.Value()
		default:
			r.readColumn(s)
		}
	}
	return s.Err() == nil
}

// readColumn takes a column of a row.
func (r *record) readColumn(s *scan.Scanner) {
	switch string(s.Name()) {
	case "table":
		r.table = s.Value()
	case "id":
		r.id = s.Value()
	case "session_id":
		r.sessionID = s.Value()
	case "message_id":
		r.messageID = s.Value()
	case "aggregate_id":
		r.aggregate = s.Value()
	case "data":
		r.data = s.Value()
	case "time_created":
		r.created = s.Value()
	case "time_updated":
		r.updated = s.Value()
	case "parent_id":
		r.parentID = s.Value()
	case "directory":
		r.directory = s.Value()
	case "title":
		r.title = s.Value()
	case "version":
		r.version = s.Value()
	case "agent":
		r.agent = s.Value()
	case "model":
		r.model = s.Value()
	default:
		s.Skip()
	}
}

// messageInfo is a message without its parts, as raw spans.
type messageInfo struct {
	id, sessionID, role, parentID scan.Value
	model, provider, summary      scan.Value
	cost, failure                 scan.Value
	time                          span
	tokens                        tokens
}

// read takes one message from s.
func (m *messageInfo) read(s *scan.Scanner) {
	*m = messageInfo{}
	if !scan.Enter(s) {
		return
	}
	for s.Key() {
		switch string(s.Name()) {
		case "id":
			m.id = s.Value()
		case "sessionID":
			m.sessionID = s.Value()
		case "role":
			m.role = s.Value()
		case "parentID":
			m.parentID = s.Value()
		case "modelID":
			m.model = s.Value()
		case "providerID":
			m.provider = s.Value()
		case "summary":
			m.summary = s.Value()
		case "cost":
			m.cost = s.Value()
		case "error":
			m.failure = s.Value()
		case "time":
			m.time.read(s)
		case "tokens":
			m.tokens.read(s)
		default:
			s.Skip()
		}
	}
}

// sessionInfo is a session, from its row or its JSON form.
type sessionInfo struct {
	id, parentID, directory, title, version, agent, model scan.Value
	time                                                  span
}

// read takes the JSON form of a session from s.
func (i *sessionInfo) read(s *scan.Scanner) {
	*i = sessionInfo{}
	if !scan.Enter(s) {
		return
	}
	for s.Key() {
		switch string(s.Name()) {
		case "id":
			i.id = s.Value()
		case "parentID":
			i.parentID = s.Value()
		case "directory":
			i.directory = s.Value()
		case "title":
			i.title = s.Value()
		case "version":
			i.version = s.Value()
		case "agent":
			i.agent = s.Value()
		case "model":
			i.model = s.Value()
		case "time":
			i.time.read(s)
		default:
			s.Skip()
		}
	}
}
