package tail

import (
	"context"
	"time"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/files/stream"
)

// What a source delivers, and to whom.
type (
	// Stream describes the file, document or session that a handler opens a consumer for.
	Stream = stream.Stream
	// Line is one line as it was read.
	Line = lines.Line
	// Handler opens consumers.
	Handler = stream.Handler
	// Consumer receives the lines of one stream, from one goroutine at a time.
	Consumer = stream.Consumer
	// Stateful is a [Consumer] with a state that is passed back when its stream is opened again, also by a later process.
	Stateful = stream.Stateful
	// Suspender is a [Consumer] that can release the state that its lines rebuild.
	Suspender = stream.Suspender
	// CloseReason says why a consumer is closed.
	CloseReason = stream.CloseReason
	// Observer receives counts of what happens.
	Observer = stream.Observer
	// SkipReason says why a line was skipped.
	SkipReason = stream.SkipReason
)

// The reasons to close a consumer.
const (
	CloseReasonUnlinked  = stream.CloseReasonUnlinked
	CloseReasonRewritten = stream.CloseReasonRewritten
	CloseReasonIdle      = stream.CloseReasonIdle
	CloseReasonEnd       = stream.CloseReasonEnd
	CloseReasonShutdown  = stream.CloseReasonShutdown
)

// The reasons to skip a line.
const (
	SkipReasonTooLong    = stream.SkipReasonTooLong
	SkipReasonIncomplete = stream.SkipReasonIncomplete
)

// Descriptors are the file descriptors that sources share. While they hold more than their part, or the system has none left,
// files that were kept open are closed.
type Descriptors = openfile.Descriptors

// NewDescriptors makes Descriptors with a quarter of the limit that the system has set for the process.
func NewDescriptors() *Descriptors { return openfile.NewDescriptors() }

// Where checkpoints are stored.
type (
	// Store keeps a value for each key over a restart.
	Store = checkpoint.Store
	// Walker is a [Store] that can list its keys. With it a file that was renamed while no process ran is found again; without
	// it, only a file that kept its path.
	Walker = checkpoint.Walker
)

// What a stored value may be that can't be read.
var (
	ErrNewer  = checkpoint.ErrNewer
	ErrOlder  = checkpoint.ErrOlder
	ErrBroken = checkpoint.ErrBroken
)

// EachState calls f for each checkpoint that has a consumer's state: the id of the stream, when it was written, and the state.
// Values that can't be read are left out; the source reports them when it restores them.
func EachState(ctx context.Context, store Walker, f func(stream string, saved time.Time, state []byte)) error {
	return checkpoint.EachState(ctx, store, f)
}
