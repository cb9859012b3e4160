package source

import (
	"context"
	"encoding/json"
	"time"

	"github.com/tailspan/tailspan/internal/files/lines"
)

// Source is polled for lines.
type Source interface {
	// Changed reports, cheaply, whether Next may return something.
	Changed() bool
	// Next returns the next lines, and the same ones again until they are acknowledged; none if nothing is new. An error may
	// be temporary.
	Next(ctx context.Context) (Batch, error)
	// Acknowledge records that the consumer acknowledged the last lines.
	Acknowledge()
	// Release records that a stream was closed.
	Release(key string)
	// Move follows a file to another path, if possible.
	Move(path string) bool
	// Position returns how far a stream was acknowledged, for a later process.
	Position(key string) json.RawMessage
	Close() error
}

// Batch is a batch of lines of one stream of a source.
type Batch struct {
	Key   string // identifies the stream within the source; empty if it has only one
	Lines []lines.Line
	Bytes int64
	// Changed is when the stream was last written, if the file's time does not show that; otherwise zero.
	Changed time.Time
	// Replayed is true if an earlier process acknowledged all of them.
	Replayed bool
}
