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

// answer is one response that comes in pieces. Nothing of it goes out before it has ended: its pieces are in any order
// of choices and calls, and a call has its name and input only when its last piece is there.
//
//	state     on                                                 to
//	none      a chunk, an event of a response                    open
//	open      [DONE]; an error; all choices finished and usage   ended
//	          received; the last event of a response
//	open      another answer; the end of the stream              ended, or cut if it had not finished
//	ended     a chunk of the same id                             ended: it can only add to the usage
//	ended     a chunk of another id, or after [DONE] one that    open
//	          says something
type answer struct {
	open bool
	done bool // [DONE] came after the last chunk

	id, model string
	created   time.Time
	choices   []*streamed
	spare     []*streamed // of answers before, whose memory the next choices take
	counts    counts
	failure   failure
	bytes     int
	calls     int
	response  responded
}

// streamed is one choice of an answer that streams: what it said, and how it ended.
type streamed struct {
	index    int64
	segments []segment
	calls    []*call    // of all segments, in order
	finish   scan.Value // the last finish_reason that is a word
}

// chunk takes one piece of a streamed answer.
func (p *Parser) chunk(r *record) {
	a := &p.answer
	if a.open && a.finished() && p.startsAnother(r) {
		p.end()
	}
	if !a.open {
		if p.isTail(r) {
			p.tail(r)
			return
		}
		p.begin()
	}
	p.about(r)
	sortChoices(r.choices)
	for i := range r.choices {
		p.piece(&r.choices[i])
	}
	more := p.countsOf(r)
	a.counts.grow(more)
	if f := p.failureOf(r); f.failed {
		a.failure = f
		p.end()
		return
	}
	if more.tokens != (events.Tokens{}) && a.finished() {
		p.end()
	}
}

// begin opens an answer.
func (p *Parser) begin() {
	a := &p.answer
	for _, t := range a.choices {
		t.reset()
	}
	*a = answer{open: true, spare: append(a.spare, a.choices...), choices: a.choices[:0]}
	p.answers++
	p.answered, p.cut = 0, false
}

// startsAnother reports whether a chunk begins an answer of its own behind one that has finished: only a first piece
// has the role, and another id. Some servers change the id within an answer.
func (p *Parser) startsAnother(r *record) bool {
	if len(r.id.Body()) == 0 || string(r.id.Body()) == p.answer.id {
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
func (p *Parser) isTail(r *record) bool {
	a := &p.answer
	same := len(r.id.Body()) > 0 && string(r.id.Body()) == a.id
	switch {
	case p.answers == 0:
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

// tail takes what a chunk behind the end adds to the usage.
func (p *Parser) tail(r *record) {
	a := &p.answer
	before := a.counts
	a.counts.grow(p.countsOf(r))
	if grown := a.counts.tokens.Sub(before.tokens); grown != (events.Tokens{}) {
		p.identify(a)
		after, was := a.counts.normalise(), before.normalise()
		p.Emit(events.KindUsage).Usage = &events.Usage{Scope: events.UsageScopeCall, Provider: grown, Tokens: after.Sub(was)}
	}
}

// about takes the identity of an answer from a chunk; the first chunk of Azure has empty ones.
func (p *Parser) about(r *record) {
	a := &p.answer
	if a.id == "" {
		a.id = p.Strings.Text(r.id)
	}
	if a.model == "" {
		a.model = p.Strings.Intern(r.model)
	}
	if a.created.IsZero() {
		a.created = r.created.Time()
	}
}

// piece adds a choice of a chunk to the answer.
func (p *Parser) piece(c *choice) {
	a := &p.answer
	m := &c.delta
	if !m.there {
		m = &c.whole
	}
	t := a.choice(c.place)
	if t == nil || a.bytes > maxAnswerBytes {
		p.dropped++
		return
	}
	text, reasoning, refusal := p.contentOf(m)
	if n := len(text) + len(reasoning) + len(refusal) + len(m.transcript.Body()); n > 0 {
		a.bytes += n
		g := t.segment()
		g.text = append(g.text, text...)
		g.reasoning = append(g.reasoning, reasoning...)
		g.refusal = append(g.refusal, refusal...)
		g.transcript = append(g.transcript, m.transcript.Body()...)
	}
	for i := range m.calls {
		p.fragment(t, &m.calls[i])
	}
	if finishes(c.finish) {
		t.finish = scan.Value{Kind: scan.KindString, Raw: append(t.finish.Raw[:0], c.finish.Raw...)}
	}
	if f := p.readFailure(c.failure); f.failed {
		a.failure = f
	}
}

// choice finds the choice of an index, or makes it; nil if there are too many.
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

// segment is where text goes: behind a call a new segment begins.
func (t *streamed) segment() *segment {
	if n := len(t.segments); n == 0 || len(t.segments[n-1].calls) > 0 {
		t.addSegment()
	}
	return &t.segments[len(t.segments)-1]
}

// addSegment begins a segment, in the memory of one before if there is some.
func (t *streamed) addSegment() {
	if n := len(t.segments); n < cap(t.segments) {
		t.segments = t.segments[:n+1]
		return
	}
	t.segments = append(t.segments, segment{})
}

// addCall begins a call, in the memory of one before if there is some.
func (t *streamed) addCall() *call {
	if n := len(t.calls); n < cap(t.calls) && t.calls[:n+1][n] != nil {
		t.calls = t.calls[:n+1]
		return t.calls[n]
	}
	c := new(call)
	t.calls = append(t.calls, c)
	return c
}

// reset empties t and keeps its memory, for a stream of answers has many pieces of few bytes. The events of an answer
// hold nothing of it.
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

// finished reports whether every choice has its end.
func (a *answer) finished() bool {
	for _, c := range a.choices {
		if !finishes(c.finish) {
			return false
		}
	}
	return len(a.choices) > 0
}

// done takes the [DONE] of a stream.
func (p *Parser) done() {
	if p.answer.open {
		p.end()
	}
	p.answer.done = true
}

// close ends the answer because another one begins, or the stream has ended. One that had not finished is cut: it has
// no end.
func (p *Parser) close() {
	a := &p.answer
	if !a.open {
		return
	}
	if a.finished() || a.failure.failed {
		p.end()
		return
	}
	p.emitAnswer()
	p.tokens(&a.counts)
	a.open, p.cut = false, true
}

// end gives the events of the answer, and its end.
func (p *Parser) end() {
	a := &p.answer
	p.emitAnswer()
	var reason scan.Value
	for _, c := range a.choices {
		p.cutShort(c.finish.Body())
		if reason = worse(reason, c.finish); failingFinish(reason.Body()) {
			a.failure.failed = true
		}
	}
	p.tokens(&a.counts)
	p.ended(reason, a.failure, a.counts.duration)
	a.open = false
}

// worse gives the reason that says more of an answer's end: the first one, unless a later one means a failure.
func worse(a, b scan.Value) scan.Value {
	if !a.Exists() || failingFinish(b.Body()) && !failingFinish(a.Body()) {
		return b
	}
	return a
}

// emitAnswer emits the content of the choices, in the order of their indexes.
func (p *Parser) emitAnswer() {
	a := &p.answer
	p.identify(a)
	p.emitItems()
	for _, c := range a.choices {
		for i := range c.segments {
			g := &c.segments[i]
			p.say(g)
		}
	}
}

// identify makes the head of an answer's events.
func (p *Parser) identify(a *answer) {
	p.Head = lines.Head{Time: a.created, MessageID: a.id, Model: a.model, SessionID: a.response.session}
}

// ended gives the end of an answer.
func (p *Parser) ended(reason scan.Value, f failure, duration time.Duration) {
	end := &events.End{Error: f.failed, Code: p.Strings.Intern(reason), Duration: duration}
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
	p.Emit(events.KindSessionEnded).End = end
}
