package reader

import (
	"time"

	"github.com/tailspan/tailspan/internal/files/stream"
)

// Settings configures how files are read. The values and their defaults come from the Tailer.
type Settings struct {
	// Include are the patterns that files match.
	Include []string
	// MaxLineSize is the size in bytes above which a line is abridged or skipped.
	MaxLineSize int
	// BatchBytes and BatchLines bound one call of the consumer.
	BatchBytes, BatchLines int
	// IdleFlush is the time after which an unterminated last line is delivered if it is one complete JSON object. Negative: never.
	IdleFlush time.Duration
	// IdleClose is the time without a line after which a consumer is closed. 0: never.
	IdleClose time.Duration
	// SuspendAfter is the time without a line after which a consumer is suspended. Negative: never.
	SuspendAfter time.Duration
	// Replay delivers acknowledged lines again to a consumer that is opened for a file that was read before.
	Replay   bool
	Observer stream.Observer
}
