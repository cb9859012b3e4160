package redact

import (
	"github.com/tailspan/tailspan/events"
)

// Source is a source whose events contain no secrets. It serves one stream from one goroutine.
type Source struct {
	inner    events.DisplayEventSource
	redactor *Redactor
	count    int
	seen     seen
}

// New returns a Source around src. One Redactor serves any number of sources.
func New(src events.DisplayEventSource, r *Redactor) *Source {
	return &Source{inner: src, redactor: r}
}

// ParseEvents returns the events of the inner source without secrets. It does not modify line.
func (s *Source) ParseEvents(line []byte) []events.DisplayEvent {
	return s.clean(s.inner.ParseEvents(line))
}

// Flush returns the pending events of the inner source without secrets.
func (s *Source) Flush() []events.DisplayEvent {
	if f, ok := s.inner.(events.Flusher); ok {
		return s.clean(f.Flush())
	}
	return nil
}

// Tick returns the events that have become due, without secrets, if the inner source has a clock (see [Joiner.Tick]).
func (s *Source) Tick() []events.DisplayEvent {
	if t, ok := s.inner.(interface{ Tick() []events.DisplayEvent }); ok {
		return s.clean(t.Tick())
	}
	return nil
}

// LineStatus returns the status of the last line from the inner source, or LineOK if it reports none.
func (s *Source) LineStatus() events.LineStatus {
	if l, ok := s.inner.(events.LineStatuser); ok {
		return l.LineStatus()
	}
	return events.LineOK
}

// Unwrap returns the inner source, for callers that need what only it knows.
func (s *Source) Unwrap() events.DisplayEventSource { return s.inner }

// Redacted returns the number of secrets redacted so far.
func (s *Source) Redacted() int { return s.count }

func (s *Source) clean(evs []events.DisplayEvent) []events.DisplayEvent {
	for i := range evs {
		s.count += s.redactor.event(&evs[i], &s.seen)
	}
	return evs
}

// seen holds the last IDs and names of a stream that contain no secret. Those of the session and the model are in every
// event, those of a message or a line in two or three consecutive ones. Searching them again would take longer than
// searching most texts.
type seen struct {
	session, turn, message, item, call, model, tool clean
}

// clean is a short text without a secret. It is a copy, since a substring would keep the whole string alive.
type clean struct {
	bytes [maxClean]byte
	n     int
}

// maxClean is the maximum length of a remembered text, in bytes: IDs and names are shorter.
const maxClean = 64

// is reports whether s is that text.
func (c *clean) is(s string) bool { return string(c.bytes[:c.n]) == s }

// note remembers s if count, the number of secrets in it, is 0.
func (c *clean) note(s string, count int) {
	if count == 0 && len(s) <= maxClean {
		c.n = copy(c.bytes[:], s)
	}
}
