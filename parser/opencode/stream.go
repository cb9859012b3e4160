package opencode

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// stream is where a stream of `run --format json` stands.
//
//	state    open  ended  held
//	nothing  no    no     no
//	running  yes   no     no    a line of the stream
//	deciding yes   no     yes   step_finish with another reason than tool-calls, or error: the end, if no step_start comes
//	ended    yes   yes    no    Flush, Quiet, done, or a line of another session
//
// A step_start takes the end back: after a compaction, which finishes with "stop" as an answer does, and after the error
// of a conversation that grew too long, the agent goes on.
type stream struct {
	sessionID         string
	open, ended, held bool
	end               events.End // the one that is pending, and its time
	at                time.Time
}

// streamLine takes a line of the stream.
func (p *Parser) streamLine(r *record) events.LineStatus {
	kind := r.kind.Body()
	switch string(kind) {
	case "step_start", "text", "reasoning", "tool_use", "step_finish":
		if !r.hasPart {
			return events.LineIgnored
		}
	case "error", "done":
	default:
		return p.Unknown("", r.kind.Body())
	}
	at := millis(r.timestamp)
	pt := &r.part
	pt.sessionID = either(r.session, pt.sessionID)
	p.streamStart(pt, at)
	switch string(kind) {
	case "step_start":
		p.goOn()
	case "error":
		p.streamError(r, at)
		return events.LineOK
	case "done":
		p.streamDone(r, at)
		return events.LineOK
	}
	status := p.partEvents(pt, originStream, at)
	if string(kind) == "step_finish" && endsTurn(pt.reason) {
		reason := p.Strings.Intern(pt.reason)
		p.hold(at, endOf(reason))
	}
	return status
}

// streamStart emits a session at its first line: there is no header.
func (p *Parser) streamStart(pt *part, at time.Time) {
	id := p.sessionID.Text(&p.Strings, pt.sessionID)
	if !p.stream.open || id != "" && id != p.stream.sessionID {
		p.releaseEnd()
		p.stream = stream{sessionID: id, open: true}
		message := p.messageID.Text(&p.Strings, pt.messageID)
		p.Head = lines.Head{Time: madeAt(message, at), SessionID: id, MessageID: message, ItemID: id}
		p.Emit(events.KindSessionStarted).Session = &events.Session{}
	}
}

func (p *Parser) streamError(r *record, at time.Time) {
	f := p.failure(r.failure)
	if f.name == "" {
		f = failure{name: "UnknownError", text: "UnknownError"}
	}
	p.hold(at, events.End{Error: true, Interrupted: f.interrupted(), Code: f.name, Err: f.text, Cause: f.cause()})
}

// streamDone takes the last line of versions that write one. Nothing comes behind it.
func (p *Parser) streamDone(r *record, at time.Time) {
	if !p.stream.held && !p.stream.ended {
		end := events.End{Code: p.Strings.Intern(r.kind)}
		if list := r.rejected; list.Kind == scan.KindArray && len(list.Raw) > len("[]") {
			end = events.End{Error: true, Code: "rejected", Err: "a tool call was rejected"}
		}
		p.hold(at, end)
	}
	p.releaseEnd()
}

// hold keeps an end until it is sure that it is one. An error that it replaces was not the end.
func (p *Parser) hold(at time.Time, end events.End) {
	p.overcome()
	p.stream.held, p.stream.ended = true, false
	p.stream.at, p.stream.end = at, end
}

// goOn takes back the end that was held: the agent works on.
func (p *Parser) goOn() {
	p.overcome()
	p.stream.held, p.stream.ended = false, false
}

// overcome reports an error that did not end the session.
func (p *Parser) overcome() {
	if end := &p.stream.end; p.stream.held && end.Error && end.Err != "" {
		p.Head = lines.Head{Time: p.stream.at, SessionID: p.stream.sessionID}
		p.Notice(events.LevelWarn, failure{name: end.Code}.code(), end.Err)
	}
}

// releaseEnd emits the end that is pending.
func (p *Parser) releaseEnd() {
	if !p.stream.held {
		return
	}
	p.stream.held, p.stream.ended = false, true
	end := p.stream.end
	p.Out = append(p.Out, events.DisplayEvent{Kind: events.KindSessionEnded, Time: p.stream.at, SessionID: p.stream.sessionID, End: &end})
}
