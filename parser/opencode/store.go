package opencode

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// row takes a row of the database, or a file of the older trees in the form of one.
func (p *Parser) row(r *record) events.LineStatus {
	switch string(r.table.Body()) {
	case "session":
		info := sessionInfo{
			id: r.id, parentID: r.parentID, directory: r.directory, title: r.title, version: r.version, agent: r.agent, model: r.model,
			time: span{created: r.created},
		}
		return p.sessionEvents(&info)
	case "message":
		if !p.openData(r) {
			return events.LineMalformed
		}
		p.info.read(&p.Inner)
		if p.Inner.Err() != nil {
			return events.LineMalformed
		}
		p.info.id, p.info.sessionID = either(r.id, p.info.id), either(r.sessionID, p.info.sessionID)
		return p.messageEvents(&p.info, originSnapshot)
	case "part":
		if !p.openData(r) {
			return events.LineMalformed
		}
		pt := &r.part
		pt.read(&p.Inner)
		if p.Inner.Err() != nil {
			return events.LineMalformed
		}
		pt.id, pt.messageID, pt.sessionID = either(r.id, pt.id), either(r.messageID, pt.messageID), either(r.sessionID, pt.sessionID)
		return p.partRow(r)
	case "event":
		return p.logEvent(r)
	}
	if quietTable(r.table.Body()) {
		return events.LineIgnored
	}
	return p.Unknown("table/", r.table.Body())
}

// either gives a column, or the member of the same meaning where the column is missing.
func either(column, member scan.Value) scan.Value {
	if column.Kind == scan.KindString {
		return column
	}
	return member
}

// openData points the inner scanner at the document in the column data, which is text in the database.
func (p *Parser) openData(r *record) bool {
	data := r.data.Raw
	if r.data.Kind == scan.KindString {
		data = p.column(r.data)
	}
	p.Inner.Reset(data)
	return p.Inner.Peek() == scan.KindObject
}

// column unescapes the text of a column into memory that lives as long as the line's events.
func (p *Parser) column(v scan.Value) []byte {
	start := len(p.columns)
	p.columns = scan.AppendString(p.columns, v.Body())
	return p.columns[start:len(p.columns):len(p.columns)]
}

// quietTable lists the tables that hold nothing of what the agent did, or hold it a second time. Some hold secrets
// (account, credential): no reader should hand them out.
func quietTable(name []byte) bool {
	switch string(name) {
	case "account", "account_state", "control_account", "credential", "event_sequence", "migration", "permission", "project",
		"session_context_epoch", "session_diff", "session_input", "session_message", "session_share", "session_v2", "todo", "workspace":
		return true
	}
	return false
}

// logEvent takes a row of the event log. Each holds a whole session, message or part as it was at that moment.
func (p *Parser) logEvent(r *record) events.LineStatus {
	if !p.openData(r) {
		return events.LineMalformed
	}
	return p.change(r.kind, time.Time{}, &r.part, r.aggregate)
}

// change takes a change of a session, message or part from the log or the server, whose members the inner scanner is
// about to read. of is the session that the row names, if it names one.
func (p *Parser) change(kind scan.Value, at time.Time, pt *part, of scan.Value) events.LineStatus {
	name := kind.Body()
	if !known(name) {
		return p.Unknown("event/", kind.Body())
	}
	switch string(unversioned(name)) {
	case "session.created", "session.updated":
		return p.sessionChange()
	case "message.updated":
		return p.messageChange()
	case "message.part.updated":
		return p.partChange(pt, at, of)
	}
	return events.LineIgnored
}

func (p *Parser) sessionChange() events.LineStatus {
	var info sessionInfo
	for p.Inner.Object(); p.Inner.Key(); {
		if string(p.Inner.Name()) == "info" {
			info.read(&p.Inner)
		} else {
			p.Inner.Skip()
		}
	}
	if p.Inner.Err() != nil {
		return events.LineMalformed
	}
	return p.sessionEvents(&info)
}

func (p *Parser) messageChange() events.LineStatus {
	p.info = messageInfo{}
	for p.Inner.Object(); p.Inner.Key(); {
		if string(p.Inner.Name()) == "info" {
			p.info.read(&p.Inner)
		} else {
			p.Inner.Skip()
		}
	}
	if p.Inner.Err() != nil {
		return events.LineMalformed
	}
	return p.messageEvents(&p.info, originLog)
}

func (p *Parser) partChange(pt *part, at time.Time, of scan.Value) events.LineStatus {
	var reported scan.Value
	whole := false
	for p.Inner.Object(); p.Inner.Key(); {
		switch string(p.Inner.Name()) {
		case "part":
			whole = p.Inner.Peek() == scan.KindObject
			pt.read(&p.Inner)
		case "time":
			reported = p.Inner.Value()
		default:
			p.Inner.Skip()
		}
	}
	switch {
	case p.Inner.Err() != nil:
		return events.LineMalformed
	case !whole:
		return events.LineIgnored
	}
	pt.sessionID = either(pt.sessionID, of)
	return p.partEvents(pt, originLog, firstTime(millis(reported), at))
}

// export takes what `opencode export` prints: a session with all that is in it.
func (p *Parser) export(r *record) events.LineStatus {
	var info sessionInfo
	p.Inner.Reset(r.info.Raw)
	info.read(&p.Inner)
	status := p.sessionEvents(&info)
	p.Inner.Reset(r.messages.Raw)
	for p.Inner.Array(); p.Inner.Element(); {
		p.exported(&r.part)
	}
	p.enter("", "") // the session is over: what its messages deferred is due
	return status
}

// exported handles one message of an export. Its parts may be before what shows whose they are.
func (p *Parser) exported(pt *part) {
	if !enter(&p.Inner) {
		return
	}
	var parts scan.Value
	p.info = messageInfo{}
	for p.Inner.Key() {
		switch string(p.Inner.Name()) {
		case "info":
			p.info.read(&p.Inner)
		case "parts":
			parts = p.Inner.Value()
		default:
			p.Inner.Skip()
		}
	}
	p.messageEvents(&p.info, originSnapshot)
	if parts.Kind != scan.KindArray {
		return
	}
	s := &p.list
	s.Reset(parts.Raw)
	for s.Array(); s.Element(); {
		pt.read(s)
		p.Verdict.Note(p.partEvents(pt, originSnapshot, time.Time{}))
	}
}
