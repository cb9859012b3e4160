package checkpoint

import "context"

// Store keeps a value for each key over a restart. It is called from several goroutines. The caller owns what a call returns.
type Store interface {
	// Get returns nil if there is no value.
	Get(ctx context.Context, key string) ([]byte, error)
	Set(ctx context.Context, key string, value []byte) error
	// Delete of a key without a value is no error.
	Delete(ctx context.Context, key string) error
}

// Walker is a [Store] that can list its keys. With it a file that was renamed while no process ran is found again; without it,
// only a file that kept its path.
type Walker interface {
	// Walk calls f for each key, in no order, until f returns an error, which it returns. f may not call the store.
	Walk(ctx context.Context, f func(key string, value []byte) error) error
}
