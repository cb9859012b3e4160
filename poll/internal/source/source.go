package source

import (
	"context"
	"encoding/json"
	"time"

	"github.com/tailspan/tailspan/internal/files/lines"
)

// Source is polled for lines.
type Source interface {
	// Changed reports, cheaply, whether Next may have something.
	Changed() bool
	// Next returns the next lines, and the same ones again until they are acknowledged; none if there is nothing new. An error
	// may be temporary.
	Next(ctx context.Context) (Batch, error)
	// Acknowledge records that the consumer accepted the last lines.
	Acknowledge()
	// Release records that a stream was closed.
	Release(key string)
	// Move follows a file to another path, if it can.
	Move(path string) bool
	// Position is how far a stream was acknowledged, for a later process.
	Position(key string) json.RawMessage
	Close() error
}

// Batch is lines of one stream of a source.
type Batch struct {
	Key   string // of the stream within the source; empty if it has but one
	Lines []lines.Line
	Bytes int64
	// Changed is when the stream was written to last, where the file's time does not show that; else zero.
	Changed time.Time
	// Replayed is true if an earlier process acknowledged them all.
	Replayed bool
}
