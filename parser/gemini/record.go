package gemini

import (
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// failure is an error object of the stream or of the one document.
type failure struct {
	present       bool
	kind, message scan.Value
}

// record is one object as raw spans, of whichever form: nothing is judged while it is read, since the keys that show the
// form may come last and the end may be missing.
type record struct {
	values

	args     scan.Members // of parameters
	thought  []thought
	calls    []toolCall
	callArgs scan.Members // backs calls[].args
	texts    []scan.Value // backs content.texts and calls[].texts
}

// values is what a record holds but for its memory.
type values struct {
	kind, timestamp, session, model scan.Value

	// The stream.
	role, delta, toolName, toolID, status, output, severity, message scan.Value
	parameters                                                       scan.Value
	stats                                                            scan.Value
	failure                                                          failure

	// The one document of --output-format json.
	response, warnings scan.Value

	// A transcript's header, and the older document.
	sessionID, projectHash, started, updated, sessionKind scan.Value
	messages                                              scan.Value

	// A transcript's message.
	id      scan.Value
	content content
	display scan.Value // displayContent
	tokens  tokens

	// A transcript's patches.
	set    patch
	rewind scan.Value
}

// content is a message's content: a string, or an array of parts.
type content struct {
	plain     scan.Value // if it is no array
	texts     []scan.Value
	parts     bool // it is an array
	responses bool // it holds results of calls
}

// thought is one entry of thoughts.
type thought struct{ subject, description, timestamp scan.Value }

// patch is the part of $set that matters here.
type patch struct{ value, messages, sessionID, updated scan.Value }

// reset empties r and keeps its memory.
func (r *record) reset() {
	r.values = values{} // in place: a whole record is made apart and copied, a kilobyte and more each line
	r.args, r.thought, r.calls, r.callArgs, r.texts = r.args[:0], r.thought[:0], r.calls[:0], r.callArgs[:0], r.texts[:0]
}

// read takes one object from s. It reports false if the object is malformed; r is then of no use.
func (r *record) read(s *scan.Scanner) bool {
	r.reset()
	for s.Object(); s.Key(); {
		if v := r.plain(s.Name()); v != nil {
			*v = s.Value()
			continue
		}
		switch string(s.Name()) {
		case "parameters":
			r.args = r.args[:0]
			r.parameters, r.args = readArgs(s, r.args)
		case "error":
			r.readFailure(s)
		case "content":
			r.readContent(s)
		case "thoughts":
			r.readThoughts(s)
		case "tokens":
			r.tokens = readTokens(s)
		case "toolCalls":
			r.readCalls(s)
		case "$set":
			r.readSet(s)
		default:
			s.Skip()
		}
	}
	return s.Err() == nil
}

// plain is where the value of a key goes that is taken as it stands; nil for all other keys.
func (r *record) plain(name []byte) *scan.Value {
	switch string(name) {
	case "type":
		return &r.kind
	case "timestamp":
		return &r.timestamp
	case "id":
		return &r.id
	case "session_id":
		return &r.session
	case "sessionId":
		return &r.sessionID
	case "projectHash":
		return &r.projectHash
	case "startTime":
		return &r.started
	case "lastUpdated":
		return &r.updated
	case "kind":
		return &r.sessionKind
	case "messages":
		return &r.messages
	case "model":
		return &r.model
	case "role":
		return &r.role
	case "delta":
		return &r.delta
	case "tool_name":
		return &r.toolName
	case "tool_id":
		return &r.toolID
	case "status":
		return &r.status
	case "output":
		return &r.output
	case "severity":
		return &r.severity
	case "message":
		return &r.message
	case "stats":
		return &r.stats
	case "response":
		return &r.response
	case "warnings":
		return &r.warnings
	case "displayContent":
		return &r.display
	case "$rewindTo":
		return &r.rewind
	}
	return nil
}

// readArgs takes the arguments of a call: the raw value, and its members behind those of m.
func readArgs(s *scan.Scanner, m scan.Members) (scan.Value, scan.Members) {
	if s.Peek() != scan.KindObject {
		return s.Value(), m
	}
	start := s.Offset()
	m = s.Members(m)
	return scan.Value{Kind: scan.KindObject, Raw: s.Since(start)}, m
}

func (r *record) readFailure(s *scan.Scanner) {
	r.failure = failure{}
	if s.Peek() != scan.KindObject {
		r.failure.message = s.Value()
		r.failure.present = r.failure.message.Kind == scan.KindString
		return
	}
	r.failure.present = true
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "type":
			r.failure.kind = s.Value()
		case "message":
			r.failure.message = s.Value()
		default:
			s.Skip()
		}
	}
}

// readContent takes the texts of a content and leaves what the parts repeat: calls, results, images.
func (r *record) readContent(s *scan.Scanner) {
	r.content = content{}
	if s.Peek() != scan.KindArray {
		r.content.plain = s.Value()
		return
	}
	r.content.parts = true
	from := len(r.texts)
	for s.Array(); s.Element(); {
		text, isResponse := readPart(s)
		r.content.responses = r.content.responses || isResponse
		if text.Kind == scan.KindString {
			r.texts = append(r.texts, text)
		}
	}
	r.content.texts = r.texts[from:len(r.texts):len(r.texts)]
}

// readPart takes one part of a content and gives its text, if it is one and no thought.
func readPart(s *scan.Scanner) (text scan.Value, isResponse bool) {
	if s.Peek() != scan.KindObject {
		return s.Value(), false
	}
	isThought := false
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "text":
			text = s.Value()
		case "thought":
			isThought = s.Value().True()
		case "functionResponse":
			isResponse = true
			s.Skip()
		default:
			s.Skip()
		}
	}
	if isThought {
		return scan.Value{}, isResponse
	}
	return text, isResponse
}

func (r *record) readThoughts(s *scan.Scanner) {
	r.thought = r.thought[:0]
	if s.Peek() != scan.KindArray {
		s.Skip()
		return
	}
	for s.Array(); s.Element(); {
		if s.Peek() != scan.KindObject {
			s.Skip()
			continue
		}
		var t thought
		for s.Object(); s.Key(); {
			switch string(s.Name()) {
			case "subject":
				t.subject = s.Value()
			case "description":
				t.description = s.Value()
			case "timestamp":
				t.timestamp = s.Value()
			default:
				s.Skip()
			}
		}
		r.thought = append(r.thought, t)
	}
}

func (r *record) readSet(s *scan.Scanner) {
	r.set = patch{}
	if s.Peek() != scan.KindObject {
		r.set.value = s.Value()
		return
	}
	r.set.value = scan.Value{Kind: scan.KindObject}
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "messages":
			r.set.messages = s.Value()
		case "sessionId":
			r.set.sessionID = s.Value()
		case "lastUpdated":
			r.set.updated = s.Value()
		default:
			s.Skip()
		}
	}
}
