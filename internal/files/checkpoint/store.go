package checkpoint

import "context"

// Store keeps a value for each key across restarts. It must be safe for concurrent use. The caller owns returned values.
type Store interface {
	// Get returns nil if there is no value.
	Get(ctx context.Context, key string) ([]byte, error)
	Set(ctx context.Context, key string, value []byte) error
	// Delete of a key without a value is not an error.
	Delete(ctx context.Context, key string) error
}

// Walker is a [Store] that can list its keys. With it, a file that was renamed while no process ran is found again; without
// it, only a file that kept its path is.
type Walker interface {
	// Walk calls f for each key, in no particular order, until f returns an error, which Walk returns. f must not call the store.
	Walk(ctx context.Context, f func(key string, value []byte) error) error
}

// Batcher is a [Store] that can write many values in one transaction, which costs little more than one value.
type Batcher interface {
	// WriteAll sets each key to its value, and deletes each key whose value is nil. After an error, any of them may be written.
	WriteAll(ctx context.Context, values map[string][]byte) error
}
