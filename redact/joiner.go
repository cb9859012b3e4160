package redact

import (
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
)

// JoinSettings holds the limits of a [Joiner]. Zero fields have their default.
type JoinSettings struct {
	// Quiet is the time after the last delta at which the whole lines of an unfinished text are released. Default 1 s.
	Quiet time.Duration
	// MaxBytes is how much of one text is buffered. Beyond it the whole lines are released, or all of the text if it has
	// no line end. Default 1 MiB.
	MaxBytes int
	// MaxTexts is the number of buffered texts. Beyond it the oldest is released. Default 64.
	MaxTexts int
	// Clock returns the time. Default [time.Now].
	Clock func() time.Time
}

// Defaults of [JoinSettings].
const (
	DefaultQuiet    = time.Second
	DefaultMaxBytes = 1 << 20
	DefaultMaxTexts = 64
)

// Joiner joins the deltas of a text, since a secret can span two of them. It sits between a parser and a [Source] and
// serves one stream from one goroutine. It starts no goroutine: a live reader calls [Joiner.Tick].
//
// Deltas belong together if they share kind, message, parent and agent. Their text ends at the next other event of the
// same agent, at the Message that closes it, or at the end of the stream. A text that is released at once is a whole Text
// or Reasoning. If a text is released in parts, every part is a Delta. Identity and time are those of the first delta.
//
//	state      delta     other event of the agent   quiet, or too long           end of the stream
//	none       buffered  passes                     -                            -
//	buffered   buffered  released, then it passes   its whole lines released     released
type Joiner struct {
	inner    events.DisplayEventSource
	settings JoinSettings
	texts    []*joined // oldest first
	out      []events.DisplayEvent
}

// joined is a buffered text.
type joined struct {
	head   events.DisplayEvent
	text   strings.Builder
	last   time.Time
	parted bool // a part was already released
}

// NewJoiner returns a Joiner around src.
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

// ParseEvents returns the events of the inner source. Deltas are buffered until their text ends.
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

// Flush returns the pending events of the inner source and the texts that never ended.
func (j *Joiner) Flush() []events.DisplayEvent {
	j.out = j.out[:0]
	if f, ok := j.inner.(events.Flusher); ok {
		evs := f.Flush()
		for i := range evs {
			j.take(&evs[i])
		}
	}
	for len(j.texts) > 0 {
		j.release(0)
	}
	return j.out
}

// Holding reports whether a text is buffered.
func (j *Joiner) Holding() bool { return len(j.texts) > 0 }

// Tick returns the whole lines of texts that have been quiet for long enough. The slice is valid until the next call.
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

// Part returns the whole lines of all buffered texts immediately: what Tick returned before a restart.
func (j *Joiner) Part() []events.DisplayEvent {
	j.out = j.out[:0]
	for _, t := range j.texts {
		j.part(t)
	}
	return j.out
}

// LineStatus returns the status of the last line from the inner source, or LineOK if it reports none.
func (j *Joiner) LineStatus() events.LineStatus {
	if l, ok := j.inner.(events.LineStatuser); ok {
		return l.LineStatus()
	}
	return events.LineOK
}

// Unwrap returns the inner source, for callers that need what only it knows.
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

// take buffers a delta, or passes an event after the texts that it ends.
func (j *Joiner) take(e *events.DisplayEvent) {
	piece := isPiece(e)
	for i := 0; i < len(j.texts); i++ {
		t := j.texts[i]
		if !sameAgent(&t.head, e) || piece && sameText(&t.head, e) {
			continue
		}
		if !piece && (e.Kind == events.KindUsage || e.Kind == events.KindToolProgress || e.Kind == events.KindNotice) {
			continue // these occur between the deltas of a text
		}
		j.release(i)
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
			j.release(0)
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

// release emits and drops the buffered text.
func (j *Joiner) release(i int) {
	t := j.texts[i]
	j.texts = append(j.texts[:i], j.texts[i+1:]...)
	if t.text.Len() > 0 {
		j.emit(t, t.text.String(), t.parted)
	}
}

// part emits the whole lines of an unfinished text. An unfinished private key block is not split.
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
