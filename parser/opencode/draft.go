package opencode

import (
	"maps"
	"slices"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// OpenCode writes the row of a text when the text begins, and again when it has ended. That is some hundred milliseconds
// after the first call of the same message runs (1.18, parity.log). A reader of the database would see the call before the
// text that announces it. So rows of calls are pending until the texts that began before them in their message have ended.

// Limits of pending rows. A row that exceeds them is emitted before its text.
const (
	maxDrafts      = 64
	maxDraftBytes  = 1 << 20
	maxPendingRows = 64 // per message
)

// draft is a message of which a text is being written.
type draft struct {
	texts []uint64 // keys of its texts
	rows  [][]byte // rows of its calls, in order
	bytes int
}

// beginDraft records a text that is being written.
func (pe *pending) beginDraft(message, part uint64) {
	d := pe.drafts[message]
	if d == nil {
		if len(pe.drafts) >= maxDrafts {
			return
		}
		if pe.drafts == nil {
			pe.drafts = map[uint64]*draft{}
		}
		d = &draft{}
		pe.drafts[message] = d
	}
	if !slices.Contains(d.texts, part) && len(d.texts) < maxPendingRows {
		d.texts = append(d.texts, part)
	}
}

// endDraft records that a text has ended. It returns the rows that waited for it.
func (pe *pending) endDraft(message, part uint64) [][]byte {
	d := pe.drafts[message]
	if d == nil {
		return nil
	}
	if d.texts = slices.DeleteFunc(d.texts, func(t uint64) bool { return t == part }); len(d.texts) == 0 {
		return pe.releaseDraft(message)
	}
	return nil
}

// pend keeps the row of a call if a text of its message is being written. It returns false if there is none, or no room.
func (pe *pending) pend(message uint64, r *record) bool {
	d := pe.drafts[message]
	if d == nil || len(d.rows) >= maxPendingRows {
		return false
	}
	row := r.appendPart(nil)
	if d.bytes+len(row) > maxDraftBytes {
		return false
	}
	d.rows, d.bytes = append(d.rows, row), d.bytes+len(row)
	return true
}

// releaseDraft returns the pending rows of a message.
func (pe *pending) releaseDraft(message uint64) [][]byte {
	d := pe.drafts[message]
	if d == nil {
		return nil
	}
	delete(pe.drafts, message)
	return d.rows
}

// releaseDrafts returns all pending rows: their texts may never end.
func (pe *pending) releaseDrafts() (rows [][]byte) {
	for _, message := range slices.Sorted(maps.Keys(pe.drafts)) { // so that reading again yields the same order
		rows = append(rows, pe.releaseDraft(message)...)
	}
	return rows
}

// hasDrafts reports whether rows of calls are pending.
func (pe *pending) hasDrafts() bool {
	for _, d := range pe.drafts {
		if len(d.rows) > 0 {
			return true
		}
	}
	return false
}

// appendPart appends the row of a part as a separate object.
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
