package watch

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/tail"
	"github.com/tailspan/tailspan/telemetry"
)

var (
	_ tail.Suspender = (*stream)(nil)
	_ tail.Waiter    = (*stream)(nil)
)

// idleGap is the time without a line after which a run counts as abandoned, as idle_close of the receiver.
const idleGap = time.Hour

// stream passes one session to the board.
type stream struct {
	reader   *reader
	id, path string

	mu       sync.Mutex
	source   Source
	pipeline *pipeline.Pipeline
	moved    time.Time // arrival of the last lines; zero once their quiet time was handled
	closed   bool
}

// newStream returns a stream that exports only to the board.
func (r *reader) newStream(s tail.Stream) (*stream, error) {
	st := &stream{reader: r, id: s.ID, path: s.Path, source: Source{Path: r.clean(s.Path)}}
	st.describe()
	var err error
	st.pipeline, err = pipeline.New(pipeline.Settings{
		Events:   pipeline.EventSettings{Provider: parser.Auto, Redactor: r.redactor},
		Path:     s.Path,
		Registry: r.registry,
		InBand:   config.InBandOff, // so that each run has a separate trace
		Telemetry: telemetry.StreamSettings{
			ID: s.ID, IdleGap: idleGap, FileTime: s.ModTime,
			Identity: otlp.NewIdentity(otlp.Attribute{Key: sourceKey, Value: s.ID}),
		},
		Discards: func(int) bool { return true }, // lines of no known agent
	})
	return st, err
}

// Lines applies lines.
func (s *stream) Lines(_ context.Context, in []tail.Line) (err error) {
	defer s.reader.guard(&err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.pipeline.Resume(); err != nil {
		return err
	}
	now := s.reader.now()
	for i := range in {
		line := &in[i]
		if line.Offset == 0 && lines.IsUTF16(line.Data) {
			s.reader.unread.Failed(s.path, lines.ErrUTF16, 0)
		}
		if !line.Replayed {
			s.pipeline.EndReplay()
		}
		s.pipeline.At = telemetry.Line{Offset: line.Offset, Arrival: now, Read: now, Live: line.Live, Replay: line.Replayed}
		s.pipeline.Noted = parser.Noted{Abridged: line.Abridged}
		s.pipeline.Line(line.Data)
	}
	s.pipeline.At.Read = time.Time{} // a timer passes a later time
	s.moved = now
	s.reader.await(s)
	s.deliver()
	return nil
}

// Idle records that everything available has been read.
func (s *stream) Idle(context.Context) (err error) {
	defer s.reader.guard(&err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pipeline.Suspended() {
		return nil
	}
	s.pipeline.EndReplay()
	s.pipeline.Idle()
	s.deliver()
	s.source.Read = true
	s.describe()
	return nil
}

// Moved returns when a sub-agent in another stream, which the stream waits for, was last at work.
func (s *stream) Moved() time.Time { return s.pipeline.Moved() }

// Close ends the stream.
func (s *stream) Close(_ context.Context, reason tail.CloseReason) (err error) {
	defer s.reader.guard(&err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if reason == tail.CloseReasonShutdown {
		s.pipeline.Detach()
		return nil
	}
	s.pipeline.Flush()
	s.pipeline.Close(closeReasons[reason])
	s.deliver()
	s.source.Read, s.source.Closed = true, true
	s.describe()
	return nil
}

// closeReasons are the close reasons of spans that are open when a stream ends.
var closeReasons = map[tail.CloseReason]otlp.CloseReason{
	tail.CloseReasonEnd:       otlp.CloseReasonNoResult,
	tail.CloseReasonIdle:      otlp.CloseReasonTimeout,
	tail.CloseReasonUnlinked:  otlp.CloseReasonTruncated,
	tail.CloseReasonRewritten: otlp.CloseReasonTruncated,
}

// Suspend releases the parser unless output is pending. The source replays the lines before the next one.
func (s *stream) Suspend() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.closed && !s.pipeline.At.Replay && s.pipeline.Suspend()
}

// tick applies the passing of time and reports whether the stream waits for more of it.
func (s *stream) tick(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.pipeline.Suspended() {
		return false
	}
	if s.pipeline.At.Replay {
		return true
	}
	s.pipeline.Tick()
	if !s.moved.IsZero() && now.Sub(s.moved) >= pipeline.QuietAfter {
		s.moved = time.Time{}
		s.pipeline.Quiet()
	}
	s.deliver()
	return !s.moved.IsZero() || s.pipeline.Holding()
}

// describe passes the known facts about the source to the board.
func (s *stream) describe() {
	s.source.readMeta(s.reader.clean)
	s.reader.board.Describe(s.id, s.source)
}

// deliver applies the output of the stream to the board.
func (s *stream) deliver() {
	_ = s.pipeline.Deliver(func(out *telemetry.Output) error { // cannot fail
		s.reader.board.Apply(&out.Data)
		return nil
	}, nil)
}

// Source describes a stream of lines.
type Source struct {
	// Path is the path of its file or database.
	Path string
	// Call is the ID of the call that started the sub-agent of this source, and AgentType its type, if a file beside it has them.
	Call, AgentType string
	// Read is set once everything available has been read, Closed once nothing follows.
	Read, Closed bool
}

// maxMeta bounds the file with the metadata of a sub-agent, in bytes.
const maxMeta = 64 << 10

// readMeta reads agent-ID.meta.json, which Claude Code writes beside the transcript of a sub-agent (2.1.332). The transcript
// names its call only after the call has ended.
func (s *Source) readMeta(clean func(string) string) {
	folder, name := filepath.Split(s.Path)
	stem, isLines := strings.CutSuffix(name, ".jsonl")
	if s.Call != "" || !isLines || !strings.HasPrefix(name, "agent-") {
		return
	}
	path := filepath.Join(folder, stem+".meta.json")
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxMeta {
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	var meta struct{ AgentType, ToolUseID string }
	if json.Unmarshal(data, &meta) == nil { // otherwise it is still being written
		s.Call, s.AgentType = meta.ToolUseID, line(clean(meta.AgentType))
	}
}
