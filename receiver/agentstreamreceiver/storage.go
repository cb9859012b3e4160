package agentstreamreceiver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/tailspan/tailspan/tail"
	"github.com/tailspan/tailspan/telemetry"
)

// openStorage returns a client of the storage extension that the settings name.
func openStorage(ctx context.Context, host component.Host, id, receiver component.ID) (storage.Client, error) {
	extension, found := host.GetExtensions()[id]
	if !found {
		return nil, fmt.Errorf("storage: no extension %q; configure it and list it in service::extensions", id)
	}
	store, ok := extension.(storage.Extension)
	if !ok {
		return nil, fmt.Errorf("storage: extension %q is not a storage extension", id)
	}
	client, err := store.GetClient(ctx, component.KindReceiver, receiver, "")
	if err != nil {
		return nil, fmt.Errorf("get client of storage %q: %w%s", id, err, hintOn(err))
	}
	return client, nil
}

// hintOn returns advice for an error of file_storage that ends in a text of its database (bbolt 1.5, package errors): a lock
// timeout, or a corrupt file.
func hintOn(err error) string {
	text := err.Error()
	if strings.HasSuffix(text, "timeout") {
		return ": its directory is in use by another collector; stop that one, or give each a separate directory"
	}
	for _, broken := range []string{"invalid database", "version mismatch", "checksum error"} {
		if strings.HasSuffix(text, broken) {
			return ": the file of this receiver in its directory is corrupt; move it away to start without positions (docs/delivery.md)"
		}
	}
	return ""
}

// storeOf adapts a client to a store, with Walk if the client has it.
func storeOf(client storage.Client) tail.Store {
	if w, ok := client.(storage.Walker); ok {
		return walkingStore{batchingStore{client}, w}
	}
	return batchingStore{client}
}

type batchingStore struct{ storage.Client }

// WriteAll implements [tail.Batcher].
func (s batchingStore) WriteAll(ctx context.Context, values map[string][]byte) error {
	operations := make([]*storage.Operation, 0, len(values))
	for key, value := range values {
		if value == nil {
			operations = append(operations, storage.DeleteOperation(key))
		} else {
			operations = append(operations, storage.SetOperation(key, value))
		}
	}
	return s.Batch(ctx, operations...)
}

type walkingStore struct {
	batchingStore
	walker storage.Walker
}

// Walk calls f with each key and its value.
func (s walkingStore) Walk(ctx context.Context, f func(key string, value []byte) error) error {
	return s.walker.Walk(ctx, func(key string, value []byte) ([]*storage.Operation, error) { return nil, f(key, value) })
}

// stateVersion is the version of stored states. A stream with a state of another version is replayed without it; a newer state
// of the registry is an error.
const stateVersion = 4

// registryKey is the storage key of the registry's state.
const registryKey = "registry"

// registryState is the stored state of the registry.
type registryState struct {
	Version int                     `json:"version"`
	State   telemetry.RegistryState `json:"state"`
}

// restoreRegistry restores the registry. An unreadable state is an error, because pipeline spans would be exported twice.
func (r *agentStream) restoreRegistry(ctx context.Context) error {
	value, err := r.storage.Get(ctx, registryKey)
	if err != nil {
		return fmt.Errorf("read %q from storage: %w", registryKey, err)
	}
	if value == nil {
		return nil
	}
	var s registryState
	if err := json.Unmarshal(value, &s); err != nil {
		return fmt.Errorf("decode %q from storage: %w", registryKey, err)
	}
	if s.Version > stateVersion {
		return fmt.Errorf("decode %q from storage: format %d was written by a newer version, known up to %d", registryKey, s.Version, stateVersion)
	}
	r.registry.Restore(s.State)
	r.keptPipelines = lastOf(s.State.Pipelines)
	return nil
}

// recallFiles passes to the registry what each stored file first contained, including complete files, which are not replayed.
// Files whose state was stored before the fork window are skipped.
func (r *agentStream) recallFiles(ctx context.Context, store tail.Store) error {
	walker, ok := store.(tail.Walker)
	if !ok {
		return nil
	}
	since := time.Now().Add(-r.config.Telemetry.ForkWindow)
	defer r.registry.Recalled()
	return tail.EachState(ctx, walker, func(stream string, saved time.Time, value []byte) {
		var state struct { // without what only an opened file needs, which is most of a streamState
			Version   int `json:"version"`
			Telemetry struct {
				Ties telemetry.Ties `json:"ties"`
			} `json:"telemetry"`
		}
		if saved.Before(since) || json.Unmarshal(value, &state) != nil || state.Version != stateVersion {
			return // reported when the file is opened
		}
		r.registry.Recall(stream, &state.Telemetry.Ties)
	})
}

// keepRegistry stores the registry's state after its output was acknowledged.
func (r *agentStream) keepRegistry(ctx context.Context) error {
	if r.storage == nil {
		return nil
	}
	value, err := json.Marshal(registryState{stateVersion, r.registry.State()})
	if err == nil {
		err = r.storage.Set(ctx, registryKey, value)
	}
	if err != nil {
		return fmt.Errorf("write %q to storage: %w", registryKey, err)
	}
	return nil
}
