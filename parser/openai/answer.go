package openai

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Limits of an answer that streams.
const (
	maxChoices     = 128
	maxAnswerCalls = 4096
	maxAnswerBytes = 16 << 20
)

// answer is a response that arrives in pieces. Its events are emitted after it has ended: its pieces are in any order
// of choices and calls, and a call has its name and input only after its last piece.
//
//	state     on                                                 to
//	none      a chunk, an event of a response                    open
//	open      [DONE]; an error; all choices finished and usage   ended
//	          received; the last event of a response
//	open      another answer; the end of the stream              ended, or cut if it had not finished
//	ended     a chunk with the same ID                           ended: it can only add to the usage
//	ended     a chunk with another ID, or after [DONE] one with  open
//	          text or calls
type answer struct {
	open bool
	done bool // [DONE] followed the last chunk

	id, model string
	created   time.Time
	choices   []*streamed
	spare     []*streamed // of earlier answers, whose memory the next choices reuse
	counts    counts
	failure   failure
	bytes     int
	calls     int
	response  responded
}

// streamed is one choice of a streaming answer: its content, and how it ended.
type streamed struct {
	index    int64
	segments []segment
	calls    []*call    // of all segments, in order
	finish   scan.Value // the last finish_reason that is not empty
}

// answers assembles answers that arrive in pieces. Answers that arrive whole end by the same rules.
type answers struct {
	*line
	calls     *calls
	contents  *contents
	ledger    *ledger
	responses *responses

	answer  answer // the latest one
	cut     bool   // it was cut
	dropped int    // pieces that exceeded the limits
}

// chunk handles one piece of a streamed answer.
func (an *answers) chunk(r *record) {
	a := &an.answer
	if a.open && a.finished() && an.startsAnother(r) {
		an.end()
	}
	if !a.open {
		if an.isTail(r) {
			an.tail(r)
			return
		}
		an.begin()
	}
	an.about(r)
	sortChoices(r.choices)
	for i := range r.choices {
		an.piece(&r.choices[i])
	}
	more := an.ledger.countsOf(r)
	a.counts.grow(more)
	if f := an.failureOf(r); f.failed {
		a.failure = f
		an.end()
		return
	}
	if more.tokens != (events.Tokens{}) && a.finished() {
		an.end()
	}
}

// begin opens an answer.
func (an *answers) begin() {
	a := &an.answer
	for _, t := range a.choices {
		t.reset()
	}
	*a = answer{open: true, spare: append(a.spare, a.choices...), choices: a.choices[:0]}
	an.calls.begun++
	an.calls.numbered, an.cut = 0, false
}

// startsAnother reports whether a chunk begins a new answer after one that has finished: it has another ID, and the
// role, which only a first piece has. Some servers change the ID within an answer.
func (an *answers) startsAnother(r *record) bool {
	if len(r.id.Body()) == 0 || string(r.id.Body()) == an.answer.id {
		return false
	}
	for i := range r.choices {
		if len(r.choices[i].delta.role.Body()) > 0 {
			return true
		}
	}
	return false
}

// isTail reports whether a chunk belongs to the answer that has ended.
func (an *answers) isTail(r *record) bool {
	a := &an.answer
	same := len(r.id.Body()) > 0 && string(r.id.Body()) == a.id
	switch {
	case an.calls.begun == 0:
		return false
	case len(r.choices) == 0:
		return same || len(r.id.Body()) == 0
	case !same:
		return false
	}
	return !a.done || !says(r)
}

// says reports whether a chunk holds text or calls.
func says(r *record) bool {
	for i := range r.choices {
		d := &r.choices[i].delta
		if len(d.content.Body()) > 0 || len(d.parts) > 0 || len(d.calls) > 0 {
			return true
		}
	}
	return false
}

// tail adds the usage of a chunk that follows the end.
func (an *answers) tail(r *record) {
	a := &an.answer
	before := a.counts
	a.counts.grow(an.ledger.countsOf(r))
	if grown := a.counts.tokens.Sub(before.tokens); grown != (events.Tokens{}) {
		an.identify(a)
		after, was := a.counts.normalise(), before.normalise()
		an.Emit(events.KindUsage).Usage = &events.Usage{Scope: events.UsageScopeCall, Provider: grown, Tokens: after.Sub(was)}
	}
}

// about reads the identity of an answer from a chunk. In the first chunk of Azure it is empty.
func (an *answers) about(r *record) {
	a := &an.answer
	if a.id == "" {
		a.id = an.Strings.Text(r.id)
	}
	if a.model == "" {
		a.model = an.Strings.Intern(r.model)
	}
	if a.created.IsZero() {
		a.created = r.created.Time()
	}
}

// piece adds a choice of a chunk to the answer.
func (an *answers) piece(c *choice) {
	a := &an.answer
	m := &c.delta
	if !m.there {
		m = &c.whole
	}
	t := a.choice(c.place)
	if t == nil || a.bytes > maxAnswerBytes {
		an.dropped++
		return
	}
	text, reasoning, refusal := an.contents.contentOf(m)
	if n := len(text) + len(reasoning) + len(refusal) + len(m.transcript.Body()); n > 0 {
		a.bytes += n
		g := t.segment()
		g.text = append(g.text, text...)
		g.reasoning = append(g.reasoning, reasoning...)
		g.refusal = append(g.refusal, refusal...)
		g.transcript = append(g.transcript, m.transcript.Body()...)
	}
	for i := range m.calls {
		an.fragment(t, &m.calls[i])
	}
	if finishes(c.finish) {
		t.finish = scan.Value{Kind: scan.KindString, Raw: append(t.finish.Raw[:0], c.finish.Raw...)}
	}
	if f := an.readFailure(c.failure); f.failed {
		a.failure = f
	}
}

// choice returns the choice with an index and creates it if needed, or returns nil if there are too many.
func (a *answer) choice(index int64) *streamed {
	at := len(a.choices)
	for i, c := range a.choices {
		if c.index == index {
			return c
		}
		if c.index > index && at == len(a.choices) {
			at = i
		}
	}
	if len(a.choices) >= maxChoices {
		return nil
	}
	var c *streamed
	if n := len(a.spare); n > 0 {
		c, a.spare = a.spare[n-1], a.spare[:n-1]
	} else {
		c = new(streamed)
	}
	c.index = index
	a.choices = append(a.choices, nil)
	copy(a.choices[at+1:], a.choices[at:])
	a.choices[at] = c
	return c
}

// segment returns the segment for the next text: after a call a new segment begins.
func (t *streamed) segment() *segment {
	if n := len(t.segments); n == 0 || len(t.segments[n-1].calls) > 0 {
		t.addSegment()
	}
	return &t.segments[len(t.segments)-1]
}

// addSegment begins a segment. It reuses the memory of an earlier one if possible.
func (t *streamed) addSegment() {
	if n := len(t.segments); n < cap(t.segments) {
		t.segments = t.segments[:n+1]
		return
	}
	t.segments = append(t.segments, segment{})
}

// addCall begins a call. It reuses the memory of an earlier one if possible.
func (t *streamed) addCall() *call {
	if n := len(t.calls); n < cap(t.calls) && t.calls[:n+1][n] != nil {
		t.calls = t.calls[:n+1]
		return t.calls[n]
	}
	c := new(call)
	t.calls = append(t.calls, c)
	return c
}

// reset clears t and keeps its memory, since a stream of answers has many small pieces. The events of an answer do
// not refer to that memory.
func (t *streamed) reset() {
	for i := range t.segments {
		g := &t.segments[i]
		*g = segment{
			reasoning: lines.Buffer(g.reasoning), text: lines.Buffer(g.text), refusal: lines.Buffer(g.refusal),
			transcript: lines.Buffer(g.transcript), calls: g.calls[:0],
		}
	}
	for _, c := range t.calls {
		*c = call{id: scan.Value{Raw: c.id.Raw[:0]}, name: c.name[:0], pieces: lines.Buffer(c.pieces)}
	}
	*t = streamed{segments: t.segments[:0], calls: t.calls[:0], finish: scan.Value{Raw: t.finish.Raw[:0]}}
}

// finished reports whether every choice has ended.
func (a *answer) finished() bool {
	for _, c := range a.choices {
		if !finishes(c.finish) {
			return false
		}
	}
	return len(a.choices) > 0
}

// done handles the [DONE] of a stream.
func (an *answers) done() {
	if an.answer.open {
		an.end()
	}
	an.answer.done = true
}

// close ends the answer because another one begins or the stream has ended. An answer that had not finished is cut:
// it has no end.
func (an *answers) close() {
	a := &an.answer
	if !a.open {
		return
	}
	if a.finished() || a.failure.failed {
		an.end()
		return
	}
	an.emitAnswer()
	an.ledger.tokens(&a.counts)
	a.open, an.cut = false, true
}

// end emits the events of the answer, including its end.
func (an *answers) end() {
	a := &an.answer
	an.emitAnswer()
	var reason scan.Value
	for _, c := range a.choices {
		an.contents.cutShort(c.finish.Body())
		if reason = worse(reason, c.finish); failingFinish(reason.Body()) {
			a.failure.failed = true
		}
	}
	an.ledger.tokens(&a.counts)
	an.ended(reason, a.failure, a.counts.duration)
	a.open = false
}

// worse returns the reason that says more about an answer's end: the first one, unless a later one is a failure.
func worse(a, b scan.Value) scan.Value {
	if !a.Exists() || failingFinish(b.Body()) && !failingFinish(a.Body()) {
		return b
	}
	return a
}

// emitAnswer emits the content of the choices, in the order of their indexes.
func (an *answers) emitAnswer() {
	a := &an.answer
	an.identify(a)
	an.responses.emitItems()
	for _, c := range a.choices {
		for i := range c.segments {
			g := &c.segments[i]
			an.contents.say(g)
		}
	}
}

// identify sets the head of an answer's events.
func (an *answers) identify(a *answer) {
	an.Head = lines.Head{Time: a.created, MessageID: a.id, Model: a.model, SessionID: a.response.session}
}

// ended emits the end of an answer.
func (an *answers) ended(reason scan.Value, f failure, duration time.Duration) {
	end := &events.End{Error: f.failed, Code: an.Strings.Intern(reason), Duration: duration}
	if f.failed {
		if f.code != "" {
			end.Code = f.code
		}
		if end.Code == "" {
			end.Code = codeError
		}
		if end.Err = f.text; end.Err == "" {
			end.Err = end.Code
		}
		end.Cause = cause.Of(cause.StatusIn(end.Code), end.Err, end.Code, f.code)
	}
	an.Emit(events.KindSessionEnded).End = end
}

// codeError is the code of a failure without one.
const codeError = "error"

// failure is why an answer failed.
type failure struct {
	failed     bool
	code, text string
}

// isFailure reports whether a record without an answer is the body of an error, in one of its many shapes.
func isFailure(r *record) bool {
	if r.failure.Exists() && r.failure.Kind != scan.KindNull || r.object.Is("error") || r.kind.Is("error") {
		return true
	}
	if r.rest.Get("detail").Exists() || r.rest.Get("html-message").Exists() {
		return true
	}
	if !r.messageRaw.Exists() {
		return false
	}
	for _, key := range [...]string{"request_id", "statusCode", "status", "code"} {
		if r.rest.Get(key).Exists() {
			return true
		}
	}
	return false
}

// errorBody handles an error body. Within a stream it ends the open answer.
func (an *answers) errorBody(r *record) {
	f := an.failureOf(r)
	if !f.failed {
		f = failure{failed: true, text: an.words(r.messageRaw)}
		for _, key := range [...]string{"detail", "html-message"} {
			if f.text == "" {
				f.text = an.words(r.rest.Get(key))
			}
		}
	}
	for _, v := range [...]scan.Value{r.rest.Get("code"), r.rest.Get("statusCode"), r.rest.Get("status"), r.kind} {
		if f.code == "" && !v.Is("error") {
			f.code = an.code(v)
		}
	}
	if !an.answer.open {
		an.begin()
		an.about(r)
	}
	an.answer.failure = f
	an.answer.counts.grow(an.ledger.countsOf(r))
	an.end()
}
