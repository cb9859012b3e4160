package opencode

import (
	"maps"
	"slices"

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

// beginDraft notes a text that is being written.
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

// endDraft notes that a text has ended, and returns the rows that waited for it.
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

// pend keeps the row of a call whose message has a text that is being written; false if there is none, or no room.
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

// releaseDraft returns the rows of a message that are pending.
func (pe *pending) releaseDraft(message uint64) [][]byte {
	d := pe.drafts[message]
	if d == nil {
		return nil
	}
	delete(pe.drafts, message)
	return d.rows
}

// releaseDrafts returns all rows that are pending: their texts may never end.
func (pe *pending) releaseDrafts() (rows [][]byte) {
	for _, message := range slices.Sorted(maps.Keys(pe.drafts)) { // so that reading again gives the same order
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
