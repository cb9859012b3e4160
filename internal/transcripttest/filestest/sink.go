package filestest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/internal/files/stream"
)

// Patience is how long what must come may take in real time, on a machine that has much else to do; bubblePatience, in a
// bubble, whose time no machine is slow for.
const Patience, bubblePatience = 2 * time.Minute, 20 * time.Second

// ErrRefused is what a refused call returns.
var ErrRefused = errors.New("downstream is not ready")

// Sink is a handler that keeps all that it receives, and refuses what it is set to refuse.
type Sink struct {
	Mu      sync.Mutex
	Streams []*Opened // in the order of opening
	Refuse  int       // how many calls are still refused
	Refused int       // how many were
	// Accept, if set, may refuse a batch.
	Accept   func(s stream.Stream, lines []lines.Line) error
	Notify   chan struct{} // after each call
	Patience time.Duration // of Until
}

// Opened is one opened stream.
type Opened struct {
	Sink *Sink
	stream.Stream
	Received []lines.Line // without their data
	Text     []string     // their data
	Idles    int          // calls of Idle
	Closed   []stream.CloseReason
}

// NewSink makes a Sink for a bubble.
func NewSink() *Sink { return &Sink{Notify: make(chan struct{}, 1), Patience: bubblePatience} }

// NewPatientSink is one for real time.
func NewPatientSink() *Sink {
	s := NewSink()
	s.Patience = Patience
	return s
}

func (s *Sink) changed() {
	select {
	case s.Notify <- struct{}{}:
	default:
	}
}

func (s *Sink) answer() error {
	if s.Refuse > 0 {
		s.Refuse--
		s.Refused++
		return ErrRefused
	}
	return nil
}

// Open opens a stream.
func (s *Sink) Open(_ context.Context, in stream.Stream) (stream.Consumer, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if err := s.answer(); err != nil {
		return nil, err
	}
	one := &Opened{Sink: s, Stream: in}
	s.Streams = append(s.Streams, one)
	return one, nil
}

// All gives the lines of all streams, stream by stream.
func (s *Sink) All() []string {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	var all []string
	for _, one := range s.Streams {
		all = append(all, one.Text...)
	}
	return all
}

// Sorted gives all lines, sorted: across files there is no order.
func (s *Sink) Sorted() []string {
	all := s.All()
	slices.Sort(all)
	return all
}

// Opened gives copies of the streams that were opened.
func (s *Sink) Opened() []Opened {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	var all []Opened
	for _, one := range s.Streams {
		all = append(all, *one)
	}
	return all
}

// Until waits for a condition on what the sink has.
func (s *Sink) Until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	late := time.After(s.Patience)
	for !ok() {
		select {
		case <-s.Notify:
		case <-late:
			require.FailNow(t, "waited in vain for "+what, "lines: %s", shorten(s.All()))
		}
	}
}

// WantLines waits for as many lines, and asserts that they are those.
func (s *Sink) WantLines(t *testing.T, want ...string) {
	t.Helper()
	s.Until(t, fmt.Sprintf("%d lines", len(want)), func() bool { return len(s.All()) >= len(want) })
	assert.Equal(t, want, s.All())
}

// NewLines gives the lines of all streams that were not replayed, and how many were.
func (s *Sink) NewLines() (fresh []string, replayed int) {
	for _, one := range s.Opened() {
		for i, l := range one.Received {
			if l.Replayed {
				replayed++
			} else {
				fresh = append(fresh, one.Text[i])
			}
		}
	}
	return fresh, replayed
}

// Lines keeps lines.
func (s *Opened) Lines(_ context.Context, lines []lines.Line) error {
	s.Sink.Mu.Lock()
	defer s.Sink.Mu.Unlock()
	defer s.Sink.changed()
	if err := s.Sink.answer(); err != nil {
		return err
	}
	if s.Sink.Accept != nil {
		if err := s.Sink.Accept(s.Stream, lines); err != nil {
			return err
		}
	}
	for _, l := range lines {
		s.Text = append(s.Text, string(l.Data))
		l.Data = nil
		s.Received = append(s.Received, l)
	}
	return nil
}

// Idle counts.
func (s *Opened) Idle(context.Context) error {
	s.Sink.Mu.Lock()
	defer s.Sink.Mu.Unlock()
	defer s.Sink.changed()
	if err := s.Sink.answer(); err != nil {
		return err
	}
	s.Idles++
	return nil
}

// LastLines keeps lines and counts the end after them.
func (s *Opened) LastLines(ctx context.Context, lines []lines.Line) (ended bool, err error) {
	if err := s.Lines(ctx, lines); err != nil {
		return false, err
	}
	s.Sink.Mu.Lock()
	defer s.Sink.Mu.Unlock()
	s.Idles++
	return true, nil
}

// Close keeps the reason.
func (s *Opened) Close(_ context.Context, reason stream.CloseReason) error {
	s.Sink.Mu.Lock()
	defer s.Sink.Mu.Unlock()
	defer s.Sink.changed()
	s.Closed = append(s.Closed, reason)
	return nil
}

func shorten(lines []string) string {
	all := strings.Join(lines, " | ")
	return all[:min(len(all), 1000)]
}
