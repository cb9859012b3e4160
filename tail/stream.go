package tail

import (
	"context"
	"time"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/files/stream"
)

// What a source delivers, and to which consumer.
type (
	// Stream describes the file, document or session for which a handler opens a consumer.
	Stream = stream.Stream
	// Checkpoint is the stored checkpoint of a stream.
	Checkpoint = stream.Checkpoint
	// Line is one line as read.
	Line = lines.Line
	// Handler opens consumers.
	Handler = stream.Handler
	// Consumer receives the lines of one stream, from one goroutine at a time.
	Consumer = stream.Consumer
	// Finisher is a [Consumer] that can process the last lines of a file together with the end after them.
	Finisher = stream.Finisher
	// Stateful is a [Consumer] whose state is passed back when its stream is opened again, even by a later process.
	Stateful = stream.Stateful
	// Suspender is a [Consumer] that can release the state that its lines rebuild.
	Suspender = stream.Suspender
	// Waiter is a [Consumer] that is not idle while other streams work for it.
	Waiter = stream.Waiter
	// CloseReason is why a consumer is closed.
	CloseReason = stream.CloseReason
	// Observer receives counts of what happens.
	Observer = stream.Observer
	// SkipReason is why a line was skipped.
	SkipReason = stream.SkipReason
)

// The reasons for closing a consumer.
const (
	CloseReasonUnlinked  = stream.CloseReasonUnlinked
	CloseReasonRewritten = stream.CloseReasonRewritten
	CloseReasonIdle      = stream.CloseReasonIdle
	CloseReasonEnd       = stream.CloseReasonEnd
	CloseReasonShutdown  = stream.CloseReasonShutdown
)

// The reasons for skipping a line.
const (
	SkipReasonTooLong    = stream.SkipReasonTooLong
	SkipReasonIncomplete = stream.SkipReasonIncomplete
)

// Descriptors counts the file descriptors that sources share. While they exceed their share, or the system has none left,
// files that were kept open are closed.
type Descriptors = openfile.Descriptors

// NewDescriptors returns Descriptors whose share is a quarter of the process limit.
func NewDescriptors() *Descriptors { return openfile.NewDescriptors() }

// Where checkpoints are stored.
type (
	// Store keeps a value for each key across restarts.
	Store = checkpoint.Store
	// Walker is a [Store] that can list its keys. With it, a file that was renamed while no process ran is found again;
	// without it, only a file that kept its path is.
	Walker = checkpoint.Walker
	// Batcher is a [Store] that can write many values in one transaction, which costs little more than one value.
	Batcher = checkpoint.Batcher
)

// The reasons why a stored value can't be read.
var (
	ErrNewer  = checkpoint.ErrNewer
	ErrOlder  = checkpoint.ErrOlder
	ErrBroken = checkpoint.ErrBroken
)

// EachState calls f for each checkpoint that holds a consumer's state, with the stream ID, the time of writing and the state.
// It skips values that can't be read; the source reports them when it restores them.
func EachState(ctx context.Context, store Walker, f func(stream string, saved time.Time, state []byte)) error {
	return checkpoint.EachState(ctx, store, f)
}
