package stream

import (
	"reflect"
	"time"
)

// SkipReason is why a line was skipped.
type SkipReason uint8

// The reasons for skipping a line.
const (
	// SkipReasonTooLong: the line is longer than MaxLineSize.
	SkipReasonTooLong SkipReason = 1
	// SkipReasonIncomplete: a document is not one complete object or array, and does not change.
	SkipReasonIncomplete SkipReason = 2
)

// String returns the wire value.
func (r SkipReason) String() string {
	switch r {
	case SkipReasonTooLong:
		return "too_long"
	case SkipReasonIncomplete:
		return "incomplete"
	}
	return "unknown"
}

// Observer receives counts of what happens. Functions may be nil; they are called concurrently and must be quick.
type Observer struct {
	// Files reports how many files are known and how many are open.
	Files func(known, open int)
	// Read reports what was read and acknowledged.
	Read func(path string, lines int, bytes int64)
	// Skipped reports a skipped line and its size in bytes.
	Skipped func(path string, reason SkipReason, bytes int64)
	// Refused reports that the consumer refused lines, and when they will be delivered again.
	Refused func(path string, err error, retryIn time.Duration)
	// Failed reports that a file was unreadable and when it will be tried again, or that closing a consumer failed, which is
	// not retried.
	Failed func(path string, err error, retryIn time.Duration)
	// Behind reports how many bytes of a stream's file are not acknowledged yet, when that number changed.
	Behind func(stream string, bytes int64)
	// Saved reports that a checkpoint was saved.
	Saved func()
	// Unsaved reports that a file's checkpoint could not be saved.
	Unsaved func(path string, err error)
	// Unusable reports a stored value that can't be read: ErrNewer, ErrOlder or ErrBroken of package checkpoint. Its file is
	// read as if there were no value.
	Unusable func(key string, err error)
	// Closed reports that a stream ended.
	Closed func(path string, reason CloseReason)
	// WatchRefused reports a folder that can't be watched and is polled instead.
	WatchRefused func(folder string, err error)
}

// WithDefaults returns the Observer with each nil function replaced by one that does nothing.
func (o Observer) WithDefaults() Observer {
	orNoop(&o.Files, func(int, int) {})
	orNoop(&o.Read, func(string, int, int64) {})
	orNoop(&o.Skipped, func(string, SkipReason, int64) {})
	orNoop(&o.Refused, func(string, error, time.Duration) {})
	orNoop(&o.Failed, func(string, error, time.Duration) {})
	orNoop(&o.Behind, func(string, int64) {})
	orNoop(&o.Saved, func() {})
	orNoop(&o.Unsaved, func(string, error) {})
	orNoop(&o.Unusable, func(string, error) {})
	orNoop(&o.Closed, func(string, CloseReason) {})
	orNoop(&o.WatchRefused, func(string, error) {})
	return o
}

func orNoop[F any](f *F, noop F) {
	if reflect.ValueOf(*f).IsNil() {
		*f = noop
	}
}
