package opencode

import (
	"strconv"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// runState is the state of a stream of `run --format json`.
//
// A step_start cancels the end: the agent continues after a compaction, which finishes with "stop" like an answer, and
// after the error of a conversation that grew too long. It comes with the first words of the model, so a stream is quiet
// before it for as long as the model takes. [Parser.Quiet] therefore does not emit an end that the agent does not stop at:
// the error, or one that a part of a later message follows, such as the prompt that OpenCode writes after a compaction.
type runState uint8

const (
	runNone  runState = iota
	runOpen           // a line of the stream came
	runHeld           // step_finish with a reason other than tool-calls, or error: the end unless step_start follows
	runEnded          // by Flush, Quiet, done, or a line of another session
)

// run is the agent's run in a stream.
type run struct {
	sessionID string
	state     runState
	end       events.End // the pending end, and its time
	at        time.Time
	goesOn    bool   // the agent does not stop at the pending end
	message   uint64 // of the last part
}

// stream handles the output of run --format json.
type stream struct {
	*line
	conversation *conversation
	run          run
}

// streamLine reads a line of the stream.
func (st *stream) streamLine(r *record) events.LineStatus {
	kind := r.kind.Body()
	switch string(kind) {
	case "step_start", "text", "reasoning", "tool_use", "step_finish":
		if !r.hasPart {
			return events.LineIgnored
		}
	case "error", "done":
	default:
		return st.Unknown("", r.kind.Body())
	}
	at := millis(r.timestamp)
	pt := &r.part
	pt.sessionID = either(r.session, pt.sessionID)
	st.streamStart(pt, at)
	switch string(kind) {
	case "step_start":
		st.goOn()
	case "error":
		st.streamError(r, at)
		return events.LineOK
	case "done":
		st.streamDone(r, at)
		return events.LineOK
	}
	if message := st.Keys.ID(domainMessage, pt.messageID.Body()); message != st.run.message {
		st.run.goesOn, st.run.message = true, message
	}
	status := st.conversation.partEvents(pt, originStream, at)
	if string(kind) == "step_finish" && endsTurn(pt.reason) {
		reason := st.Strings.Intern(pt.reason)
		st.hold(at, endOf(reason))
	}
	return status
}

// streamStart emits a session at its first line: there is no header.
func (st *stream) streamStart(pt *part, at time.Time) {
	id := st.sessionID.Text(&st.Strings, pt.sessionID)
	if st.run.state == runNone || id != "" && id != st.run.sessionID {
		st.releaseEnd()
		st.run = run{sessionID: id, state: runOpen}
		message := st.messageID.Text(&st.Strings, pt.messageID)
		st.Head = lines.Head{Time: madeAt(message, at), SessionID: id, MessageID: message, ItemID: id}
		st.Emit(events.KindSessionStarted).Session = &events.Session{}
	}
}

func (st *stream) streamError(r *record, at time.Time) {
	f := st.failure(r.failure)
	if f.name == "" {
		f = failure{name: "UnknownError", text: "UnknownError"}
	}
	st.hold(at, events.End{Error: true, Interrupted: f.interrupted(), Code: f.name, Err: f.text, Cause: f.cause()})
}

// streamDone reads the last line of versions that write one. Nothing follows it.
func (st *stream) streamDone(r *record, at time.Time) {
	if st.run.state == runOpen {
		end := events.End{Code: st.Strings.Intern(r.kind)}
		if list := r.rejected; list.Kind == scan.KindArray && len(list.Raw) > len("[]") {
			end = events.End{Error: true, Code: "rejected", Err: "a tool call was rejected"}
		}
		st.hold(at, end)
	}
	st.releaseEnd()
}

// hold keeps an end until it is final. If it replaces an error, that error was not the end.
func (st *stream) hold(at time.Time, end events.End) {
	st.overcome()
	st.run.goesOn = end.Code == contextOverflow && !(st.run.state == runHeld && st.run.end.Code == contextOverflow) // twice: it could not be compacted
	st.run.state = runHeld
	st.run.at, st.run.end = at, end
}

// goOn cancels the held end: the agent continues.
func (st *stream) goOn() {
	st.overcome()
	st.run.state = runOpen
}

// overcome reports an error from which the session recovered.
func (st *stream) overcome() {
	if end := &st.run.end; st.run.state == runHeld && end.Error && end.Err != "" {
		st.Head = lines.Head{Time: st.run.at, SessionID: st.run.sessionID}
		st.Notice(events.LevelWarn, failure{name: end.Code}.code(), end.Err)
	}
}

// releaseQuietEnd emits the pending end of a quiet stream.
func (st *stream) releaseQuietEnd() {
	if !st.run.goesOn {
		st.releaseEnd()
	}
}

// releaseEnd emits the pending end.
func (st *stream) releaseEnd() {
	if st.run.state != runHeld {
		return
	}
	st.run.state = runEnded
	end := st.run.end
	st.Out = append(st.Out, events.DisplayEvent{Kind: events.KindSessionEnded, Time: st.run.at, SessionID: st.run.sessionID, End: &end})
}

// The IDs of messages and parts that OpenCode creates (1.18.33) begin with the low 48 bits of the time in milliseconds,
// shifted by 12 bits for a counter, in hexadecimal: msg_223bb1223001... The higher bits repeat every two years.
const (
	idTimeDigits  = 12
	idCounterBits = 12
	idTimeSpan    = 1 << (4*idTimeDigits - idCounterBits) * time.Millisecond
)

// longestAnswer limits the time between the creation of a message and its first line. An ID with a longer time is another
// program's.
const longestAnswer = time.Hour

// madeAt returns the creation time of the message with this ID, which is when the model was called; its first line comes
// with the answer. If the ID does not show the time, it returns the time of the line.
func madeAt(id string, line time.Time) time.Time {
	const prefix = len("msg_")
	if line.IsZero() || len(id) < prefix+idTimeDigits {
		return line
	}
	n, err := strconv.ParseUint(id[prefix:prefix+idTimeDigits], 16, 64)
	if err != nil {
		return line
	}
	const spanMillis = int64(idTimeSpan / time.Millisecond)
	before := (line.UnixMilli() - int64(n>>idCounterBits)) % spanMillis
	if before < 0 {
		before += spanMillis
	}
	if ago := time.Duration(before) * time.Millisecond; ago <= longestAnswer {
		return line.Add(-ago)
	}
	return line
}
