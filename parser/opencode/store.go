package opencode

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/fields"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// store reads rows of the database, the event log and exports.
type store struct {
	*line
	conversation *conversation
	calls        *calls
	pending      *pending

	list    scan.Scanner  // over the parts of an exported message
	message *fields.Table // info and parts of a message
	info    messageInfo
	parts   scan.Value

	sessionOf, changedSession *fields.Table // a session; the session in info of a change
	session                   sessionInfo

	partOf   *fields.Table // part and time of a change
	changed  *part
	whole    bool // there was a part
	reported scan.Value
}

func (sr *store) bind() {
	sr.info.bind()
	sr.message = fields.New("info", sr.info.read, "parts", &sr.parts)
	sr.sessionOf, sr.changedSession = sr.session.fields(""), sr.session.fields("info.")
	sr.partOf = fields.New("time", &sr.reported, "part", func(s *scan.Scanner) { sr.whole = sr.changed.read(s) })
}

// row reads a row of the database, or a file of the older trees in the form of one.
func (sr *store) row(r *record) events.LineStatus {
	switch string(r.table.Body()) {
	case "session":
		info := sessionInfo{
			id: r.id, parentID: r.parentID, directory: r.directory, title: r.title, version: r.version, agent: r.agent, model: r.model,
			created: r.created,
		}
		return sr.conversation.sessionEvents(&info)
	case "message":
		if !sr.openData(r) {
			return events.LineMalformed
		}
		sr.info.read(&sr.Inner)
		if sr.Inner.Err() != nil {
			return events.LineMalformed
		}
		sr.info.id, sr.info.sessionID = either(r.id, sr.info.id), either(r.sessionID, sr.info.sessionID)
		return sr.conversation.messageEvents(&sr.info, originSnapshot)
	case "part":
		if !sr.openData(r) {
			return events.LineMalformed
		}
		pt := &r.part
		pt.read(&sr.Inner)
		if sr.Inner.Err() != nil {
			return events.LineMalformed
		}
		pt.id, pt.messageID, pt.sessionID = either(r.id, pt.id), either(r.messageID, pt.messageID), either(r.sessionID, pt.sessionID)
		return sr.partRow(r)
	case "event":
		return sr.logEvent(r)
	}
	if quietTable(r.table.Body()) {
		return events.LineIgnored
	}
	return sr.Unknown("table/", r.table.Body())
}

// either returns a column, or the member with the same meaning if the column is missing.
func either(column, member scan.Value) scan.Value {
	if column.Kind == scan.KindString {
		return column
	}
	return member
}

// openData points the inner scanner at the document in the column data, which is text in the database.
func (sr *store) openData(r *record) bool {
	data := r.data.Raw
	if r.data.Kind == scan.KindString {
		data = sr.column(r.data)
	}
	sr.Inner.Reset(data)
	return sr.Inner.Peek() == scan.KindObject
}

// quietTable lists the tables that hold nothing about what the agent did, or hold it a second time. Some hold
// secrets (account, credential), which no reader should return.
func quietTable(name []byte) bool {
	switch string(name) {
	case "account", "account_state", "control_account", "credential", "event_sequence", "migration", "permission", "project",
		"session_context_epoch", "session_diff", "session_input", "session_message", "session_share", "session_v2", "todo", "workspace":
		return true
	}
	return false
}

// logEvent reads a row of the event log. Each holds a whole session, message or part as it was at that time.
func (sr *store) logEvent(r *record) events.LineStatus {
	if !sr.openData(r) {
		return events.LineMalformed
	}
	return sr.change(r.kind, time.Time{}, &r.part, r.aggregate)
}

// change reads a change of a session, message or part from the log or the server. The inner scanner is about to read
// its members. of is the session that the row names, if any.
func (sr *store) change(kind scan.Value, at time.Time, pt *part, of scan.Value) events.LineStatus {
	name := kind.Body()
	if !known(name) {
		return sr.Unknown("event/", kind.Body())
	}
	switch string(unversioned(name)) {
	case "session.created", "session.updated":
		return sr.sessionChange()
	case "message.updated":
		return sr.messageChange()
	case "message.part.updated":
		return sr.partChange(pt, at, of)
	}
	return events.LineIgnored
}

func (sr *store) sessionChange() events.LineStatus {
	sr.session = sessionInfo{}
	if sr.changedSession.Read(&sr.Inner); sr.Inner.Err() != nil {
		return events.LineMalformed
	}
	return sr.conversation.sessionEvents(&sr.session)
}

func (sr *store) messageChange() events.LineStatus {
	sr.info.messageValues = messageValues{}
	if sr.message.Read(&sr.Inner); sr.Inner.Err() != nil {
		return events.LineMalformed
	}
	return sr.conversation.messageEvents(&sr.info, originLog)
}

func (sr *store) partChange(pt *part, at time.Time, of scan.Value) events.LineStatus {
	sr.changed, sr.whole, sr.reported = pt, false, scan.Value{}
	switch sr.partOf.Read(&sr.Inner); {
	case sr.Inner.Err() != nil:
		return events.LineMalformed
	case !sr.whole:
		return events.LineIgnored
	}
	pt.sessionID = either(pt.sessionID, of)
	return sr.conversation.partEvents(pt, originLog, firstTime(millis(sr.reported), at))
}

// export reads the output of `opencode export`: a session with all its contents.
func (sr *store) export(r *record) events.LineStatus {
	sr.session = sessionInfo{}
	sr.Inner.Reset(r.info.Raw)
	sr.sessionOf.Read(&sr.Inner)
	status := sr.conversation.sessionEvents(&sr.session)
	sr.Inner.Reset(r.messages.Raw)
	for sr.Inner.Array(); sr.Inner.Element(); {
		sr.exported(&r.part)
	}
	sr.pending.enter("", "") // the session is over: emit what its messages deferred
	return status
}

// exported handles one message of an export. Its parts may come before the info that names its role.
func (sr *store) exported(pt *part) {
	sr.info.messageValues, sr.parts = messageValues{}, scan.Value{}
	if !sr.message.Read(&sr.Inner) {
		return
	}
	sr.conversation.messageEvents(&sr.info, originSnapshot)
	for range scan.Elements(&sr.list, sr.parts) {
		pt.read(&sr.list)
		sr.Verdict.Note(sr.conversation.partEvents(pt, originSnapshot, time.Time{}))
	}
}

// partRow reads a row with the current state of a part.
func (sr *store) partRow(r *record) events.LineStatus {
	pt := &r.part
	message := sr.Keys.ID(domainMessage, pt.messageID.Body())
	key, _ := sr.partKey(pt)
	switch string(pt.kind.Body()) {
	case "text", "reasoning":
		if pt.start.Exists() && !pt.end.Exists() {
			sr.pending.beginDraft(message, key)
			break
		}
		defer func() { sr.replay(sr.pending.endDraft(message, key)) }()
	case "tool":
		if sr.pending.pend(message, r) {
			sr.calls.linkEarly(pt)
			return events.LineOK
		}
	case "step-finish":
		sr.replay(sr.pending.releaseDraft(message))
	}
	return sr.conversation.partEvents(pt, originSnapshot, millis(r.created))
}

// replay reads rows that were pending.
func (sr *store) replay(rows [][]byte) {
	for _, row := range rows {
		var s scan.Scanner
		r := newRecord()
		if s.Reset(row); r.read(&s) {
			sr.Verdict.Note(sr.row(r))
		}
	}
}
