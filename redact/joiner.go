package redact

import (
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
)

// JoinSettings are the limits of a [Joiner]. Zero fields take their default.
type JoinSettings struct {
	// Quiet is how long after its last piece an unfinished text stays before the lines of it that are whole leave.
	// Default 1 s.
	Quiet time.Duration
	// MaxBytes is how much of one text is held; then it leaves as if it were quiet, or whole if it has no line end.
	// Default 1 MiB.
	MaxBytes int
	// MaxTexts is how many texts are held; then the oldest leaves whole. Default 64.
	MaxTexts int
	// Clock tells the time. Default [time.Now].
	Clock func() time.Time
}

// Defaults of [JoinSettings].
const (
	DefaultQuiet    = time.Second
	DefaultMaxBytes = 1 << 20
	DefaultMaxTexts = 64
)

// Joiner makes whole texts of pieces, since a secret can lie across two of them. It stands between a parser and a
// [Source], serves one stream from one goroutine, and starts no goroutine: who reads live calls [Joiner.Tick].
//
// Pieces belong together if they share kind, message, parent and agent. Their text ends when the same agent says or does
// something else, at the Message that closes it, and at the end of the stream. A text that left in one piece is a whole
// Text or Reasoning; of one that left early, every part is a Delta. The identity and time are those of the first piece.
//
//	state      piece     other event of the agent   quiet, or too long           end of the stream
//	none       held      passes                     -                            -
//	held       held      leaves, then it passes     its whole lines leave        leaves
type Joiner struct {
	inner    events.DisplayEventSource
	settings JoinSettings
	texts    []*joined // oldest first
	out      []events.DisplayEvent
}

// joined is a text that is held.
type joined struct {
	head   events.DisplayEvent
	text   strings.Builder
	last   time.Time
	parted bool // a part of it left already
}

// NewJoiner wraps src.
func NewJoiner(src events.DisplayEventSource, s JoinSettings) *Joiner {
	if s.Quiet <= 0 {
		s.Quiet = DefaultQuiet
	}
	if s.MaxBytes <= 0 {
		s.MaxBytes = DefaultMaxBytes
	}
	if s.MaxTexts <= 0 {
		s.MaxTexts = DefaultMaxTexts
	}
	if s.Clock == nil {
		s.Clock = time.Now
	}
	return &Joiner{inner: src, settings: s}
}

// ParseEvents gives the events of the inner source, pieces held back until their text ends.
func (j *Joiner) ParseEvents(line []byte) []events.DisplayEvent {
	evs := j.inner.ParseEvents(line)
	if len(j.texts) == 0 && !hasPiece(evs) {
		return evs
	}
	j.out = j.out[:0]
	for i := range evs {
		j.take(&evs[i])
	}
	return j.out
}

// Flush gives the texts that never ended, and what the inner source still owes.
func (j *Joiner) Flush() []events.DisplayEvent {
	j.out = j.out[:0]
	if f, ok := j.inner.(events.Flusher); ok {
		evs := f.Flush()
		for i := range evs {
			j.take(&evs[i])
		}
	}
	for len(j.texts) > 0 {
		j.leave(0)
	}
	return j.out
}

// Holding reports whether a text waits for its end.
func (j *Joiner) Holding() bool { return len(j.texts) > 0 }

// Tick gives the whole lines of texts that were quiet for long enough. The slice is valid until the next call.
func (j *Joiner) Tick() []events.DisplayEvent {
	j.out = j.out[:0]
	now := j.settings.Clock()
	for _, t := range j.texts {
		if now.Sub(t.last) >= j.settings.Quiet {
			j.part(t)
		}
	}
	return j.out
}

// Part gives the whole lines of all texts that are held, however short the time: what Tick gave before a restart.
func (j *Joiner) Part() []events.DisplayEvent {
	j.out = j.out[:0]
	for _, t := range j.texts {
		j.part(t)
	}
	return j.out
}

// LineStatus is what became of the last line, as the inner source tells it; LineOK if it tells nothing.
func (j *Joiner) LineStatus() events.LineStatus {
	if l, ok := j.inner.(events.LineStatuser); ok {
		return l.LineStatus()
	}
	return events.LineOK
}

// Unwrap is the inner source, for what only it knows.
func (j *Joiner) Unwrap() events.DisplayEventSource { return j.inner }

func hasPiece(evs []events.DisplayEvent) bool {
	for i := range evs {
		if isPiece(&evs[i]) {
			return true
		}
	}
	return false
}

func isPiece(e *events.DisplayEvent) bool {
	return e.Delta && (e.Kind == events.KindText || e.Kind == events.KindReasoning)
}

// take holds a piece, or lets an event pass after the texts that it ends.
func (j *Joiner) take(e *events.DisplayEvent) {
	piece := isPiece(e)
	for i := 0; i < len(j.texts); i++ {
		t := j.texts[i]
		if !sameAgent(&t.head, e) || piece && sameText(&t.head, e) {
			continue
		}
		if !piece && (e.Kind == events.KindUsage || e.Kind == events.KindToolProgress || e.Kind == events.KindNotice) {
			continue // told beside the text, not after it
		}
		j.leave(i)
		i--
	}
	if !piece {
		j.out = append(j.out, *e)
		return
	}
	j.hold(e)
}

func (j *Joiner) hold(e *events.DisplayEvent) {
	var t *joined
	for _, have := range j.texts {
		if sameText(&have.head, e) {
			t = have
		}
	}
	if t == nil {
		if len(j.texts) >= j.settings.MaxTexts {
			j.leave(0)
		}
		t = &joined{head: *e}
		j.texts = append(j.texts, t)
	}
	t.text.WriteString(e.Text)
	t.last = j.settings.Clock()
	if t.text.Len() > j.settings.MaxBytes {
		if j.part(t); t.text.Len() > j.settings.MaxBytes {
			j.emit(t, t.text.String(), true)
			t.text.Reset()
		}
	}
}

func sameAgent(a, b *events.DisplayEvent) bool {
	return a.ParentID == b.ParentID && a.AgentID == b.AgentID && a.SessionID == b.SessionID
}

func sameText(a, b *events.DisplayEvent) bool {
	return a.Kind == b.Kind && a.MessageID == b.MessageID && sameAgent(a, b)
}

// leave gives what is held of a text, and forgets it.
func (j *Joiner) leave(i int) {
	t := j.texts[i]
	j.texts = append(j.texts[:i], j.texts[i+1:]...)
	if t.text.Len() > 0 {
		j.emit(t, t.text.String(), t.parted)
	}
}

// part gives the whole lines of a text that goes on. A private key block that has not ended stays whole.
func (j *Joiner) part(t *joined) {
	s := t.text.String()
	end := strings.LastIndexByte(s, '\n') + 1
	if begin := strings.LastIndex(s[:end], "-----BEGIN "); begin >= 0 && !strings.Contains(s[begin:end], "-----END ") {
		end = strings.LastIndexByte(s[:begin], '\n') + 1
	}
	if end <= 0 {
		return
	}
	j.emit(t, s[:end], true)
	t.text.Reset()
	t.text.WriteString(s[end:])
}

func (j *Joiner) emit(t *joined, text string, parted bool) {
	e := t.head
	e.Text, e.Delta = text, parted
	t.parted = parted
	j.out = append(j.out, e)
}
