package opencode

import "github.com/tailspan/tailspan/parser/internal/scan"

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
	if !enter(s) {
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
	if !enter(s) {
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
