package source

import (
	"context"
	"time"
)

// Stream says which file a handler is asked to take.
type Stream struct {
	// ID names the file for as long as it lives, also under another path: a hash of the path it was first seen
	// under and of its first line, so that reading the same tree again gives the same ids. It is unique among the
	// files that are followed.
	ID string
	// Path is where the file was when the stream was opened, absolute.
	Path string
	// Name is the last element of Path.
	Name string
	// ModTime is the file's modification time when the stream was opened.
	ModTime time.Time
	// Compressed tells that Path is a compressed file; lines and offsets are those of its content.
	Compressed bool
	// Offset is where the first line handed over begins or later: 0 for a whole file, the position for a file
	// that is opened again or that [StartAtEnd] skipped the beginning of.
	Offset int64
	// State is what the stream's consumer gave before, in this process or an earlier one; see [Stateful].
	State []byte
	// Restated tells that lines may tell again, in another state, what earlier ones told: documents that are rewritten,
	// and rows. Their offsets are no positions: what was accepted of them before a restart only their content tells.
	// Lines of an earlier process come [Line.Replayed] as they are now, so they may tell more than was accepted.
	Restated bool
	// Afresh tells that a stream that is closed since it was idle goes on, if it does, with what comes then alone.
	Afresh bool
	// Outside reports whether the file lies outside of the folders that the patterns begin in, behind a link that leads
	// there. Nil: it does not. It asks the file system.
	Outside func() bool
	// Changed may be called, at any time and from any goroutine, by a consumer whose State has changed by itself: the
	// source asks for it soon.
	Changed func()
}

// Handler takes streams. It is called from several goroutines, for different files.
type Handler interface {
	// Open is called before the first line of a file. A file without a line is never opened. An error means: not
	// now; the source tries again with back-off.
	Open(ctx context.Context, s Stream) (Consumer, error)
}

// Consumer takes the lines of one stream, from one goroutine at a time.
type Consumer interface {
	// Lines returns nil when everything downstream has accepted the lines; only then the position moves. An error
	// means not accepted: the same lines come again, with back-off, and perhaps in other batches.
	Lines(ctx context.Context, lines []Line) error
	// Idle tells that everything that was there has been read. It follows the last lines each time that the end
	// of the file is reached. An error makes it come again.
	Idle(ctx context.Context) error
	// Close is the last call. Its error is told to the [Observer] and has no other effect.
	Close(ctx context.Context, reason CloseReason) error
}

// Stateful is a [Consumer] that wants something back when its stream is opened again, also by a later process.
type Stateful interface {
	// State is asked after Lines, Idle and Close have returned, by the goroutine that called them. Open tells that the
	// consumer owes something that needs no further line: the stream is opened again at start, also if its file has
	// not grown.
	State() (state []byte, open bool)
}

// CloseReason says why a consumer is closed.
type CloseReason uint8

// The reasons.
const (
	// CloseReasonGone: the file was deleted or moved out of sight, and read to its end as far as it was open.
	CloseReasonGone CloseReason = iota + 1
	// CloseReasonRewritten: what stood before the position is not what was read. What the file holds now comes as
	// a new stream from its beginning.
	CloseReasonRewritten
	// CloseReasonIdle: nothing came for [Settings.IdleClose]. The stream is opened again when the file grows.
	CloseReasonIdle
	// CloseReasonEnd: a compressed file has been read whole.
	CloseReasonEnd
	// CloseReasonShutdown: the source stops.
	CloseReasonShutdown
)

// String gives the reason as it is spelled in logs and attributes.
func (r CloseReason) String() string {
	switch r {
	case CloseReasonGone:
		return "gone"
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
