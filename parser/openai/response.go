package openai

import (
	"bytes"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// responded is what a streaming answer of the Responses API has emitted so far.
type responded struct {
	session string                // of a response that belongs to a conversation
	queue   []events.DisplayEvent // events of whole items, with copies of their borrowed fields
	partial []*partialItem

	// The items whose events were queued, by their indexes in the output and by their IDs.
	places map[int64]bool
	ids    map[string]bool
}

// has reports whether an item was emitted.
func (a *responded) has(index int64, id string) bool { return a.places[index] || id != "" && a.ids[id] }

// add records that an item was emitted.
func (a *responded) add(index int64, id string) {
	if a.places == nil {
		a.places, a.ids = map[int64]bool{}, map[string]bool{}
	}
	a.places[index], a.ids[id] = true, true
}

// responses handles the bodies and the events of the Responses API.
type responses struct {
	*line
	answers  *answers
	contents *contents
	items    *items
	ledger   *ledger

	polled memory.Table[[]polledItem]
}

// response handles a whole body of the Responses API.
func (re *responses) response(r *record) {
	re.answers.close()
	re.answers.begin()
	re.aboutResponse(r)
	a := &re.answers.answer
	re.answers.identify(a)
	status := r.rest.Get("status").Body()
	pending := string(status) == "queued" || string(status) == "in_progress"
	re.poll(r, pending)
	if pending {
		a.open = false
		return
	}
	re.endResponse(r, status)
}

// aboutResponse reads the identity of a response.
func (re *responses) aboutResponse(r *record) {
	re.answers.about(r)
	conversation := r.rest.Get("conversation")
	if conversation.Kind == scan.KindObject {
		re.Members(conversation)
		conversation = re.Nested.Get("id")
	}
	if id := re.Strings.Intern(conversation); id != "" {
		re.answers.answer.response.session = id
	}
}

// endResponse emits the usage and the end of a response.
func (re *responses) endResponse(r *record, status []byte) {
	a := &re.answers.answer
	switch string(status) {
	case "failed":
		a.failure = re.failureOf(r)
		a.failure.failed = true
	case "cancelled":
		a.failure.failed = true
	case "incomplete":
		re.Members(r.rest.Get("incomplete_details"))
		re.contents.cutShort(re.Nested.Get("reason").Body())
	}
	a.counts = re.ledger.countsOf(r)
	re.ledger.tokens(&a.counts)
	re.answers.ended(r.rest.Get("status"), a.failure, 0)
	e := &re.Out[len(re.Out)-1]
	e.End.Interrupted = string(status) == "cancelled"
	if t := r.rest.Get("completed_at").Time(); !t.IsZero() {
		e.Time = t
	}
	a.open = false
}

// responseEvent handles one event of a Responses stream. Everything appears three times: in deltas, in its item, and in
// the response at the end. The item decides.
func (re *responses) responseEvent(r *record) {
	kind := string(r.kind.Body())
	switch kind {
	case "response.created", "response.in_progress", "response.queued":
		re.openResponse(r)
	case "response.completed", "response.failed", "response.incomplete":
		re.closeResponse(r)
	case "response.output_item.added":
		re.addedItem(r)
	case "response.output_item.done":
		if !re.doneItem(r) {
			re.Verdict.Note(re.Unknown("item/", r.item.Get("type").Body()))
			return
		}
	case "response.output_text.delta", "response.refusal.delta", "response.reasoning_text.delta", "response.reasoning_summary_text.delta",
		"response.function_call_arguments.delta", "response.custom_tool_call_input.delta", "response.mcp_call_arguments.delta":
		re.itemDelta(r, kind)
	default:
		if quietEvent(kind) {
			return
		}
		re.Verdict.Note(re.Unknown("", r.kind.Body()))
		return
	}
	re.Verdict.Note(events.LineOK)
}

// openResponse begins an answer unless the event belongs to the open one.
func (re *responses) openResponse(r *record) {
	a := &re.answers.answer
	if a.open && (!r.responded || a.id == "" || string(r.response.id.Body()) == a.id) {
		if r.responded {
			re.aboutResponse(r.response)
		}
		return
	}
	re.answers.close()
	re.answers.begin()
	if r.responded {
		re.aboutResponse(r.response)
	}
}

// closeResponse emits all of a response. A response whose end is repeated is emitted once.
func (re *responses) closeResponse(r *record) {
	a := &re.answers.answer
	if !r.responded {
		r.response.reset()
	}
	whole := r.response
	if !a.open && a.id != "" && string(whole.id.Body()) == a.id {
		return
	}
	re.openResponse(r)
	re.answers.identify(a)
	for i, m := range whole.output {
		if index := int64(i); !a.response.has(index, re.Strings.Text(m.Get("id"))) {
			a.response.forget(index)
			re.queueItem(m)
		}
	}
	re.emitItems()
	_, status, _ := bytes.Cut(r.kind.Body(), []byte("."))
	if !whole.rest.Get("status").Exists() {
		whole.rest = append(whole.rest, scan.Member{Name: []byte("status"), Value: scan.Value{Kind: scan.KindString, Raw: bytes.Clone(re.quote(status))}})
	}
	re.endResponse(whole, status)
}

// addedItem handles an item when it begins.
func (re *responses) addedItem(r *record) {
	if r.item == nil {
		return
	}
	if !re.answers.answer.open {
		re.answers.begin()
	}
	re.beginItem(r, re.outputIndex(r))
}

// doneItem handles an item when it is whole. It returns false for an unknown type.
func (re *responses) doneItem(r *record) bool {
	if r.item == nil {
		return true
	}
	if !re.answers.answer.open {
		re.answers.begin()
	}
	a := &re.answers.answer.response
	index, id := re.outputIndex(r), re.Strings.Text(r.item.Get("id"))
	if a.has(index, id) {
		return true
	}
	a.forget(index)
	a.add(index, id)
	re.answers.identify(&re.answers.answer)
	return re.queueItem(r.item)
}

// outputIndex returns the index of an item; an event without one belongs to the next index.
func (re *responses) outputIndex(r *record) int64 {
	if v := r.rest.Get("output_index"); v.Kind == scan.KindNumber {
		return v.Int()
	}
	return -1 - int64(len(re.answers.answer.response.places))
}

// queueItem keeps the events of an item until the response has ended or exceeds the limit of an answer. It returns false
// for an unknown type.
func (re *responses) queueItem(m scan.Members) bool {
	before := len(re.Out)
	known := re.items.item(m)
	a := &re.answers.answer
	for _, e := range re.Out[before:] {
		e.Tool.Input, e.Tool.Output = bytes.Clone(e.Tool.Input), bytes.Clone(e.Tool.Output)
		a.bytes += len(e.Text) + len(e.Tool.Input) + len(e.Tool.Output)
		a.response.queue = append(a.response.queue, e)
	}
	re.Out = re.Out[:before]
	if a.bytes > maxAnswerBytes {
		re.Out = append(re.Out, a.response.queue...)
		a.response.queue, a.bytes = nil, 0
	}
	return known
}

// emitItems emits the queued events, and what is known of items that never arrived whole.
func (re *responses) emitItems() {
	a := &re.answers.answer.response
	re.Out = append(re.Out, a.queue...)
	a.queue = nil
	for _, x := range a.partial {
		g := segment{reasoning: x.reasoning, text: x.text, refusal: x.refusal}
		if x.call != nil {
			g.calls = append(g.calls, x.call)
		}
		before := len(re.Out)
		re.contents.say(&g)
		for i := before; i < len(re.Out); i++ {
			re.Out[i].ItemID = x.id
		}
	}
	a.partial = nil
}

// quietEvent lists the known events that only have what a whole item will have.
func quietEvent(kind string) bool {
	switch kind {
	case "response.audio.delta", "response.audio.done", "response.audio.transcript.delta", "response.audio.transcript.done",
		"response.code_interpreter_call.completed", "response.code_interpreter_call.in_progress", "response.code_interpreter_call.interpreting",
		"response.code_interpreter_call_code.delta", "response.code_interpreter_call_code.done",
		"response.compaction.compacting", "response.content_part.added", "response.content_part.done", "response.custom_tool_call_input.done",
		"response.file_search_call.completed", "response.file_search_call.in_progress", "response.file_search_call.searching",
		"response.function_call_arguments.done",
		"response.image_generation_call.completed", "response.image_generation_call.generating", "response.image_generation_call.in_progress",
		"response.image_generation_call.partial_image",
		"response.mcp_call.completed", "response.mcp_call.failed", "response.mcp_call.in_progress", "response.mcp_call_arguments.done",
		"response.mcp_list_tools.completed", "response.mcp_list_tools.failed", "response.mcp_list_tools.in_progress",
		"response.output_text.annotation.added", "response.output_text.done",
		"response.reasoning_summary_part.added", "response.reasoning_summary_part.done", "response.reasoning_summary_text.done",
		"response.reasoning_text.done", "response.refusal.done",
		"response.shell_call_command.added", "response.shell_call_command.delta", "response.shell_call_command.done",
		"response.shell_call_output_content.delta", "response.shell_call_output_content.done",
		"response.web_search_call.completed", "response.web_search_call.in_progress", "response.web_search_call.searching":
		return true
	}
	return false
}
