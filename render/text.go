package render

import (
	"unicode"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/memory"
	"github.com/tailspan/tailspan/render/internal/safe"
	"github.com/tailspan/tailspan/render/internal/text"
)

// maxBlankLead is the maximum leading white space of a text that is held until it is known whether the text is blank,
// in bytes. The rest is dropped.
const maxBlankLead = 4096

// openText is the text that is being written.
type openText struct {
	open   bool
	key    textKey
	page   *page  // receives the text
	margin string // begins its lines
	clean  safe.Sanitizer
	// blankLead is the white space at the beginning of the text, not written yet. It is used only if blank texts are omitted.
	blankLead []byte
	spoken    bool // there was something other than white space
	scratch   []byte
}

// textKey identifies the text of a delta.
type textKey struct {
	message   string
	thread    memory.Key
	reasoning bool
}

// reasoningMargin begins the lines of the agent's reasoning.
const reasoningMargin = "│ "

// addText writes a whole text, or a piece of one. Reasoning is a text after a margin.
func (r *Renderer) addText(e *events.DisplayEvent) {
	key := textKey{message: text.BoundedID(e.MessageID), thread: memory.KeyOf(e), reasoning: e.Kind == events.KindReasoning}
	if r.text.open && (!e.Delta || r.text.key != key) {
		r.endText()
	}
	r.text.open, r.text.key, r.text.margin = true, key, r.textMargin
	r.text.page = &r.page
	if key.reasoning {
		r.text.page, r.text.margin = r.side, r.pen.Margin+reasoningMargin
	}
	r.text.scratch = r.text.clean.Append(r.text.scratch[:0], e.Text)
	r.writeText(r.text.scratch)
	if !e.Delta {
		r.endText()
	}
}

// endText ends the unfinished text, if any, with a newline unless it ends in one.
func (r *Renderer) endText() {
	if !r.text.open {
		return
	}
	r.text.scratch = r.text.clean.Finish(r.text.scratch[:0])
	r.writeText(r.text.scratch)
	r.text.page.endLine()
	r.text = openText{scratch: text.KeepSmall(r.text.scratch)}
}

// writeText writes safe text. If blank texts are omitted, white space waits for what follows it.
func (r *Renderer) writeText(safe []byte) {
	p := r.text.page
	p.margin, p.sgr = r.text.margin, text.SGRNone
	if r.text.key.reasoning {
		p.sgr = text.SGRDim
	}
	if r.text.spoken || !r.leavesOutBlankText() {
		p.write(safe)
		return
	}
	for i, c := range string(safe) {
		if !unicode.IsSpace(c) {
			r.text.spoken = true
			p.write(r.text.blankLead)
			p.write(safe[i:])
			r.text.blankLead = nil
			return
		}
		if len(r.text.blankLead) < maxBlankLead {
			r.text.blankLead = append(r.text.blankLead, string(c)...)
		}
	}
}

func (r *Renderer) leavesOutBlankText() bool {
	return r.text.key.reasoning || r.settings.Mode == ModeVerbose && r.settings.Style == StyleProgress
}
