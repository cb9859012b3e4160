package stream

import (
	"context"
	"time"

	"github.com/tailspan/tailspan/internal/files/lines"
)

// Stream describes the file, document or session that a handler opens a consumer for.
type Stream struct {
	// ID names the file for its lifetime, also under another path: a hash of the path it was first seen
	// under and of its first line, so that reading the same tree again gives the same ids. It is unique among the
	// files that are followed.
	ID string
	// Path is where the file was when the stream was opened, absolute.
	Path string
	// Name is the last element of Path.
	Name string
	// ModTime is the file's modification time when the stream was opened.
	ModTime time.Time
	// Compressed is true if Path is a compressed file; lines and offsets are those of its content.
	Compressed bool
	// Offset is where the first delivered line begins or later: 0 for a whole file, the acknowledged offset for a file that is
	// opened again or whose beginning start_at: end skipped.
	Offset int64
	// State is the last state of the stream's consumer, of this process or an earlier one; see [Stateful].
	State []byte
	// Restated is true if lines may repeat the content of earlier ones in another state: documents that are rewritten, and
	// rows. Their offsets are no positions in a file: only their content shows what was acknowledged before a restart.
	// Acknowledged lines are replayed as they are now ([Line.Replayed]), so they may contain more than was acknowledged.
	Restated bool
	// Afresh is true if a stream that was closed as idle continues, if it does, with new lines only and without a replay.
	Afresh bool
	// Outside reports whether the file lies outside of the folders that the patterns begin in, behind a link that leads
	// there. Nil: it does not. It asks the file system.
	Outside func() bool
	// Changed marks the stream dirty: a consumer whose State changed by itself may call it at any time and from any goroutine,
	// and the source saves the state soon.
	Changed func()
}

// Line is one line as it was read.
type Line = lines.Line

// Handler opens consumers. It is called from several goroutines, for different files.
type Handler interface {
	// Open is called before the first line of a file. A file without a line is never opened. After an error the source
	// retries with back-off.
	Open(ctx context.Context, s Stream) (Consumer, error)
}

// Consumer receives the lines of one stream, from one goroutine at a time.
type Consumer interface {
	// Lines returns nil to acknowledge the lines; only then the offset moves. After an error the same lines are delivered
	// again, with back-off, and perhaps in other batches.
	Lines(ctx context.Context, lines []Line) error
	// Idle is called each time that the end of the file is reached, after the last lines. After an error it is called again.
	Idle(ctx context.Context) error
	// Close is the last call. Its error goes to the [Observer] and has no other effect.
	Close(ctx context.Context, reason CloseReason) error
}

// Stateful is a [Consumer] with a state that is passed back when its stream is opened again, also by a later process.
type Stateful interface {
	// State is called after Lines, Idle and Close have returned, by the goroutine that called them. Pending is true if the
	// consumer has pending output that needs no further line: the stream is opened again at start, also if its file has
	// not grown.
	State() (state []byte, pending bool)
}

// CloseReason says why a consumer is closed.
type CloseReason uint8

// The reasons.
const (
	// CloseReasonUnlinked: the file was deleted or moved to where no pattern matches, and read to its end as far as it was open.
	CloseReasonUnlinked CloseReason = iota + 1
	// CloseReasonRewritten: the content before the offset is not what was read. The present content is a new stream, from its
	// beginning.
	CloseReasonRewritten
	// CloseReasonIdle: nothing came for IdleClose. The stream is opened again when the file grows.
	CloseReasonIdle
	// CloseReasonEnd: a compressed file has been read whole.
	CloseReasonEnd
	// CloseReasonShutdown: the source stops.
	CloseReasonShutdown
)

// String returns the reason as in logs and attributes.
func (r CloseReason) String() string {
	switch r {
	case CloseReasonUnlinked:
		return "unlinked"
	case CloseReasonRewritten:
		return "rewritten"
	case CloseReasonIdle:
		return "idle"
	case CloseReasonEnd:
		return "end"
	case CloseReasonShutdown:
		return "shutdown"
	default:
		return "unknown"
	}
}

// Suspender is a [Consumer] that can release the state that its lines rebuild.
type Suspender interface {
	// Suspend is called when nothing came for long (SuspendAfter of the settings), by the goroutine that calls the others. If it
	// returns true, all acknowledged lines are replayed before the next one, marked [Line.Replayed]. Close may be called
	// without them, and so may State.
	Suspend() bool
}
