package openai

import (
	"bytes"

	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Detect reports whether any of the first lines can only be from an OpenAI-compatible server. It skips lines that are
// not JSON, except for the fields of server-sent events.
func Detect(first [][]byte) bool {
	p := Parser{record: newRecord()}
	p.record.response = newRecord()
	for _, line := range first {
		if p.detects(lines.Trim(line)) {
			return true
		}
	}
	return false
}

func (p *Parser) detects(line []byte) bool {
	if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		line = bytes.TrimLeft(value, " \t")
		if bytes.Equal(line, doneMark) {
			return true
		}
	}
	p.Scanner.Reset(line)
	if p.Scanner.Peek() == scan.KindArray {
		p.Scanner.Array()
		if !p.Scanner.Element() {
			return false
		}
	}
	if p.Scanner.Peek() != scan.KindObject || !p.record.read(&p.Scanner) {
		return false
	}
	return p.typical(p.record)
}

// typical reports whether no agent program writes such a record.
func (p *Parser) typical(r *record) bool {
	switch p.kindOf(r) {
	case kindBody, kindChunk:
		return true
	case kindResponse:
		return r.object.Is("response")
	case kindResponseEvent:
		return r.responded || r.item != nil || r.rest.Get("sequence_number").Exists() || r.rest.Get("output_index").Exists()
	case kindNative:
		return r.model.Kind == scan.KindString && r.message.role.Exists()
	case kindRequest:
		return typicalRequest(r)
	case kindFailure:
		return typicalFailure(r)
	}
	return false
}

// typicalRequest distinguishes a request from the records of agents that hold messages: those have a type.
func typicalRequest(r *record) bool {
	if r.model.Kind != scan.KindString || r.kind.Exists() || r.id.Exists() {
		return false
	}
	return !r.rest.Get("timestamp").Exists() && !r.rest.Get("sessionId").Exists() && !r.rest.Get("session_id").Exists()
}

// failureKeys are the keys of error bodies, except for those that every record knows. Agents also write records with an
// error, but those have a session, a time or further keys.
var failureKeys = map[string]bool{
	"code": true, "detail": true, "html-message": true, "param": true, "provider": true, "raw_status_code": true, "request_id": true,
	"sequence_number": true, "status": true, "statusCode": true, "user_id": true,
}

// typicalFailure reports whether a record holds only what an error body holds.
func typicalFailure(r *record) bool {
	for _, m := range r.rest {
		if !failureKeys[string(m.Name)] {
			return false
		}
	}
	if r.id.Exists() || r.created.Exists() || r.model.Exists() || r.usage.Exists() {
		return false
	}
	if !r.kind.Exists() || r.object.Is("error") {
		return true
	}
	// Codex writes {"type":"error","message":"..."} too.
	return r.kind.Is("error") && (r.failure.Kind == scan.KindObject || len(r.rest) > 0)
}
