package opencode

import (
	"slices"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// OpenCode writes the row of a text when it begins, and again when it has ended, which is some hundred milliseconds after the
// first call of the same message runs (1.18, parity.log). Who follows the database would get the call before the text that
// announces it, so rows of calls are pending until the texts of their message that began before them have ended.

// Limits of what is pending. What has no room goes before its text.
const (
	maxDrafts      = 64
	maxDraftBytes  = 1 << 20
	maxPendingRows = 64 // of one message
)

// draft is a message of which a text is being written.
type draft struct {
	texts []uint64 // the keys of its parts
	rows  [][]byte // of its calls, in order
	bytes int
}

// partRow takes a row of a part as it is now.
func (p *Parser) partRow(r *record) events.LineStatus {
	pt := &r.part
	message := p.Keys.ID(domainMessage, pt.messageID.Body())
	key, _ := p.partKey(pt)
	switch string(pt.kind.Body()) {
	case "text", "reasoning":
		if pt.time.start.Exists() && !pt.time.end.Exists() {
			p.beginDraft(message, key)
			break
		}
		defer p.endDraft(message, key)
	case "tool":
		if p.pend(message, r) {
			return events.LineOK
		}
	case "step-finish":
		p.releaseDraft(message)
	}
	return p.partEvents(pt, originSnapshot, millis(r.created))
}

// beginDraft notes a text that is being written.
func (p *Parser) beginDraft(message, part uint64) {
	d := p.drafts[message]
	if d == nil {
		if len(p.drafts) >= maxDrafts {
			return
		}
		if p.drafts == nil {
			p.drafts = map[uint64]*draft{}
		}
		d = &draft{}
		p.drafts[message] = d
	}
	if !slices.Contains(d.texts, part) && len(d.texts) < maxPendingRows {
		d.texts = append(d.texts, part)
	}
}

// endDraft notes that a text has ended, and releases what waited for it.
func (p *Parser) endDraft(message, part uint64) {
	d := p.drafts[message]
	if d == nil {
		return
	}
	if d.texts = slices.DeleteFunc(d.texts, func(t uint64) bool { return t == part }); len(d.texts) == 0 {
		p.releaseDraft(message)
	}
}

// pend keeps the row of a call whose message has a text that is being written; false if there is none, or no room.
func (p *Parser) pend(message uint64, r *record) bool {
	d := p.drafts[message]
	if d == nil || len(d.rows) >= maxPendingRows {
		return false
	}
	row := r.appendPart(nil)
	if d.bytes+len(row) > maxDraftBytes {
		return false
	}
	d.rows, d.bytes = append(d.rows, row), d.bytes+len(row)
	if pt := &r.part; pt.tool.Is("task") && !pt.state.status.Is("pending") { // its session is there before the text has ended
		if id := p.Strings.Text(pt.callID); id != "" {
			p.link(pt, &call{id: id})
		}
	}
	return true
}

// releaseDraft takes the rows of a message that are pending.
func (p *Parser) releaseDraft(message uint64) {
	d := p.drafts[message]
	delete(p.drafts, message)
	if d == nil {
		return
	}
	for _, row := range d.rows {
		var s scan.Scanner
		var r record
		if s.Reset(row); r.read(&s) {
			p.Verdict.Note(p.row(&r))
		}
	}
}

// releaseDrafts takes all rows that are pending: their texts may never end.
func (p *Parser) releaseDrafts() {
	messages := make([]uint64, 0, len(p.drafts))
	for message := range p.drafts {
		messages = append(messages, message)
	}
	slices.Sort(messages) // so that reading again gives the same order
	for _, message := range messages {
		p.releaseDraft(message)
	}
}

// pending reports whether rows of calls are pending.
func (p *Parser) pending() bool {
	for _, d := range p.drafts {
		if len(d.rows) > 0 {
			return true
		}
	}
	return false
}

// appendPart appends the row of a part as an object of its own.
func (r *record) appendPart(b []byte) []byte {
	b = append(b, `{"table":"part"`...)
	for _, column := range [...]struct {
		name  string
		value scan.Value
	}{
		{"id", r.id}, {"message_id", r.messageID}, {"session_id", r.sessionID}, {"time_created", r.created}, {"data", r.data},
	} {
		if column.value.Exists() {
			b = append(append(append(append(b, `,"`...), column.name...), `":`...), column.value.Raw...)
		}
	}
	return append(b, '}')
}
