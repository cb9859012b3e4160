package stream

import (
	"context"
	"time"

	"github.com/tailspan/tailspan/internal/files/lines"
)

// Stream describes the file, document or session for which a handler opens a consumer.
type Stream struct {
	// ID names the file for its lifetime, even under another path. It is a hash of the first line and of the path where the
	// file was first seen, so reading the same tree again yields the same IDs. It is unique among the followed files.
	ID string
	// Path is the absolute path of the file when the stream was opened.
	Path string
	// Name is the last element of Path.
	Name string
	// Session is the ID of the session if the file is a database, which has a stream for each; otherwise "".
	Session string
	// ModTime is the file's modification time when the stream was opened.
	ModTime time.Time
	// Compressed is true if Path is a compressed file; lines and offsets are those of its content.
	Compressed bool
	// Offset is at or before the beginning of the first delivered line: 0 for a whole file, or the acknowledged offset for a
	// file that is opened again or whose beginning start_at: end skipped.
	Offset int64
	// State is the last state of the stream's consumer, from this process or an earlier one; see [Stateful].
	State []byte
	// Restated is true if lines may repeat the content of earlier ones in another state: rewritten documents, and rows. Their
	// offsets are not positions in a file, so only their content shows what was acknowledged before a restart. Acknowledged
	// lines are replayed as they are now ([Line.Replayed]), so they may contain more than was acknowledged.
	Restated bool
	// Afresh is true if a stream that was closed as idle continues, if at all, with new lines only and without a replay.
	Afresh bool
	// Outside reports whether the file is behind a link that leads out of the folders that the patterns begin in. Nil means
	// that it is not. It asks the file system.
	Outside func() bool
	// Changed marks the stream dirty, so that the source saves its state soon. A consumer whose State changes without a line
	// may call it at any time and from any goroutine.
	Changed func()
	// Checkpoint is the stored checkpoint, or nil if none is stored.
	Checkpoint Checkpoint
}

// Checkpoint is the stored checkpoint of a stream. With it, a consumer stores what it is about to send without a line, since a
// restart would otherwise send the same content in another form. Any goroutine may call it.
type Checkpoint interface {
	// Covers reports whether the checkpoint has the lines up to an offset. If that can't be found out it reports true, because
	// waiting would not help.
	Covers(ctx context.Context, offset int64) bool
	// Amend replaces the stored state of the consumer, marks it as pending, and returns when it is written.
	Amend(ctx context.Context, state []byte) error
}

// Line is one line as read.
type Line = lines.Line

// Handler opens consumers. It is called concurrently for different files.
type Handler interface {
	// Open is called before the first line of a file, and never for a file without a line. After an error the source retries
	// with back-off.
	Open(ctx context.Context, s Stream) (Consumer, error)
}

// Consumer receives the lines of one stream, from one goroutine at a time.
type Consumer interface {
	// Lines returns nil to acknowledge the lines; only then does the offset move. After an error the same lines are delivered
	// again with back-off, perhaps in other batches.
	Lines(ctx context.Context, lines []Line) error
	// Idle is called each time the end of the file is reached, after the last lines, unless LastLines of a [Finisher] has processed the
	// end. After an error it is called again.
	Idle(ctx context.Context) error
	// Close is the last call. Its error goes to the [Observer] and has no other effect.
	Close(ctx context.Context, reason CloseReason) error
}

// Finisher is a [Consumer] that can process the last lines of a file together with the end after them. Lines and Idle are still called
// where the end is not known with the lines.
type Finisher interface {
	// LastLines is Lines, followed by Idle if ended is true; otherwise Idle has to be called. An error means that neither the lines nor
	// the end were acknowledged.
	LastLines(ctx context.Context, lines []Line) (ended bool, err error)
}

// Stateful is a [Consumer] whose state is passed back when its stream is opened again, even by a later process.
type Stateful interface {
	// State is called after Lines, LastLines, Idle and Close have returned, on the same goroutine. Pending is true if the consumer has
	// pending output that needs no further line: the stream is then opened again at start, even if its file has not grown.
	State() (state []byte, pending bool)
}

// Waiter is a [Consumer] that is not idle while other streams work for it.
type Waiter interface {
	// Moved returns when another stream last worked for this one; a time long ago if none did. A consumer is closed as idle
	// ([CloseReasonIdle]) only IdleClose after that, too. It is called on the goroutine of the other calls.
	Moved() time.Time
}

// MovedOf returns when another stream last worked for that of a consumer; a time long ago if none did.
func MovedOf(c Consumer) time.Time {
	if w, ok := c.(Waiter); ok {
		return w.Moved()
	}
	return time.Time{}
}

// CloseReason is why a consumer is closed.
type CloseReason uint8

// The reasons.
const (
	// CloseReasonUnlinked: the file was deleted, or moved to where no pattern matches; what could be read of it was read.
	CloseReasonUnlinked CloseReason = iota + 1
	// CloseReasonRewritten: the content before the offset differs from what was read. The present content is a new stream,
	// read from its beginning.
	CloseReasonRewritten
	// CloseReasonIdle: no line arrived for IdleClose, nor of what a [Waiter] waits for. The stream is opened again when the file grows.
	CloseReasonIdle
	// CloseReasonEnd: a compressed file was read whole.
	CloseReasonEnd
	// CloseReasonShutdown: the source stops.
	CloseReasonShutdown
)

// String returns the reason as used in logs and attributes.
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
	// Suspend is called after a long time without lines (SuspendAfter of the settings), on the goroutine of the other calls.
	// If it returns true, all acknowledged lines are replayed before the next one, marked [Line.Replayed]. Close and State may
	// be called without that replay.
	Suspend() bool
}
