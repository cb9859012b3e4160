package gemini

import (
	"github.com/tailspan/tailspan/parser/internal/fields"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// failure is an error object of the stream or of the single document.
type failure struct {
	present              bool
	value, kind, message scan.Value
}

// record is one object as raw spans, in any form. Nothing is interpreted while it is read, since the keys that show the
// form may come last and the end may be missing.
type record struct {
	values

	args     scan.Members // of parameters
	thought  []thought
	calls    []toolCall
	callArgs scan.Members // backs calls[].args
	texts    []scan.Value // backs content.texts and calls[].texts
	nested   scan.Members // of a thought

	call               toolCall // the current one
	fields, callFields *fields.Table
}

// values is the content of a record, without its buffers.
type values struct {
	kind, timestamp, session, model scan.Value

	// The stream.
	role, delta, toolName, toolID, status, output, severity, message scan.Value
	parameters                                                       scan.Value
	stats                                                            scan.Value
	failure                                                          failure

	// The single document of --output-format json.
	response, warnings scan.Value

	// The header of a transcript, and the older document.
	sessionID, projectHash, started, updated, sessionKind scan.Value
	messages                                              scan.Value

	// A message of a transcript.
	id      scan.Value
	content content
	display scan.Value // displayContent
	tokens  tokens

	// A patch of a transcript.
	set    patch
	rewind scan.Value
}

// content is the content of a message: a string, or an array of parts.
type content struct {
	plain     scan.Value // if it is not an array
	texts     []scan.Value
	parts     bool // it is an array
	responses bool // it holds results of calls
}

// thought is one entry of thoughts.
type thought struct{ subject, description, timestamp scan.Value }

// patch is the part of $set that is used here.
type patch struct{ value, messages, sessionID, updated scan.Value }

// reset clears r and keeps its memory.
func (r *record) reset() {
	r.values = values{} // in place: creating and copying a whole record costs over a kilobyte per line
	r.args, r.thought, r.calls, r.callArgs, r.texts = r.args[:0], r.thought[:0], r.calls[:0], r.callArgs[:0], r.texts[:0]
}

func (r *record) bind() {
	c := &r.call
	r.callFields = fields.New(
		"id", &c.id, "name", &c.name, "status", &c.status, "timestamp", &c.timestamp, "agentId", &c.agentID, "displayName", &c.title,
		"args", r.readArgs, "result", r.readResult, "resultDisplay", r.readDisplay,
	)
	r.fields = fields.New(
		"type", &r.kind, "timestamp", &r.timestamp, "id", &r.id, "session_id", &r.session, "sessionId", &r.sessionID,
		"projectHash", &r.projectHash, "startTime", &r.started, "lastUpdated", &r.updated, "kind", &r.sessionKind,
		"messages", &r.messages, "model", &r.model, "role", &r.role, "delta", &r.delta, "tool_name", &r.toolName, "tool_id", &r.toolID,
		"status", &r.status, "output", &r.output, "severity", &r.severity, "message", &r.message, "stats", &r.stats,
		"response", &r.response, "warnings", &r.warnings, "displayContent", &r.display, "$rewindTo", &r.rewind,
		"parameters", &r.parameters, "parameters", &r.args,
		"error", &r.failure.value, "error.type", &r.failure.kind, "error.message", &r.failure.message,
		"$set", &r.set.value, "$set.messages", &r.set.messages, "$set.sessionId", &r.set.sessionID, "$set.lastUpdated", &r.set.updated,
		"content", r.readContent, "thoughts", r.readThoughts, "toolCalls", r.readCalls,
		"tokens", func(s *scan.Scanner) { r.tokens = readTokens(s) },
	)
}

// read reads one object from s. It returns false if the object is malformed; r is then invalid.
func (r *record) read(s *scan.Scanner) bool {
	r.reset()
	r.fields.Read(s)
	switch f := &r.failure; f.value.Kind {
	case scan.KindObject:
		f.present = true
	case scan.KindString:
		f.present, f.message = true, f.value
	}
	return s.Err() == nil
}

// readContent reads the texts of a content and skips parts that repeat something: calls, results, images.
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

// readPart reads one part of a content. It returns its text, if it is a text and not a thought.
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
		r.nested = s.Members(r.nested[:0])
		r.thought = append(r.thought, thought{r.nested.Get("subject"), r.nested.Get("description"), r.nested.Get("timestamp")})
	}
}
