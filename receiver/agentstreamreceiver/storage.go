package agentstreamreceiver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/tailspan/tailspan/source"
	"github.com/tailspan/tailspan/telemetry"
)

// openStorage gets a client of the storage extension that the settings name.
func openStorage(ctx context.Context, host component.Host, id, receiver component.ID) (storage.Client, error) {
	extension, found := host.GetExtensions()[id]
	if !found {
		return nil, fmt.Errorf("storage: no extension %q; it must be configured and stand in service::extensions", id)
	}
	store, ok := extension.(storage.Extension)
	if !ok {
		return nil, fmt.Errorf("storage: extension %q is no storage", id)
	}
	client, err := store.GetClient(ctx, component.KindReceiver, receiver, "")
	if err != nil {
		return nil, fmt.Errorf("get client of storage %q: %w%s", id, err, hintOn(err))
	}
	return client, nil
}

// hintOn says what to do about an error of file_storage. It hands on the texts of its database (bbolt 1.5, errors package):
// of a lock that it waited for in vain, and of a file that is no database any more.
func hintOn(err error) string {
	text := err.Error()
	if strings.HasSuffix(text, "timeout") {
		return ": its directory is in use by another collector, which must be stopped, or have a directory of its own"
	}
	for _, broken := range []string{"invalid database", "version mismatch", "checksum error"} {
		if strings.HasSuffix(text, broken) {
			return ": the file of this receiver in its directory is corrupt; move it away to start without positions (docs/delivery.md)"
		}
	}
	return ""
}

// storeOf makes a client the source's store: one that can tell all that it holds, if the client can.
func storeOf(client storage.Client) source.Store {
	if w, ok := client.(storage.Walker); ok {
		return walkingStore{client, w}
	}
	return client
}

type walkingStore struct {
	storage.Client
	walker storage.Walker
}

// Walk gives each key and its value.
func (s walkingStore) Walk(ctx context.Context, f func(key string, value []byte) error) error {
	return s.walker.Walk(ctx, func(key string, value []byte) ([]*storage.Operation, error) { return nil, f(key, value) })
}

// stateVersion is the version of stored states. A stream's state of another version is logged and not used, a newer registry's too.
const stateVersion = 2

// registryKey is where the registry's state is.
const registryKey = "registry"

// registryState is the registry's state as it is stored.
type registryState struct {
	Version int                     `json:"version"`
	State   telemetry.RegistryState `json:"state"`
}

// restoreRegistry gives the registry what it knew. What can't be read is an error: spans of pipelines would come twice.
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

// recallFiles tells the registry of what each file told first that the storage knows: also of those that are complete, and
// so are not folded again. What was written before the fork window is left out.
func (r *agentStream) recallFiles(ctx context.Context, store source.Store) error {
	walker, ok := store.(source.Walker)
	if !ok {
		return nil
	}
	since := time.Now().Add(-r.config.Telemetry.ForkWindow)
	defer r.registry.Recalled()
	return source.EachState(ctx, walker, func(stream string, saved time.Time, value []byte) {
		var state streamState
		if saved.Before(since) || json.Unmarshal(value, &state) != nil || state.Version != stateVersion {
			return // it is reported when the file is opened
		}
		r.registry.Recall(stream, &state.Fold)
	})
}

// keepRegistry stores the registry's state, once what it gave has been accepted.
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
