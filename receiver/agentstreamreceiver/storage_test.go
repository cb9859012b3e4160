package agentstreamreceiver_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// disk is a storage extension and its only client; its content outlives receivers.
type disk struct {
	component.StartFunc
	component.ShutdownFunc

	mu     sync.Mutex
	values map[string][]byte
	fail   error
	asked  []string
	open   int
}

func (d *disk) GetClient(_ context.Context, kind component.Kind, id component.ID, name string) (storage.Client, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, fmt.Sprint(kind, " ", id, " ", name))
	d.open++
	return d, d.fail
}

func (d *disk) Get(_ context.Context, key string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.values[key], d.fail
}

func (d *disk) Set(_ context.Context, key string, value []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail == nil {
		d.values[key] = value
	}
	return d.fail
}

func (d *disk) Delete(_ context.Context, key string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail == nil {
		delete(d.values, key)
	}
	return d.fail
}

func (d *disk) Batch(_ context.Context, operations ...*storage.Operation) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail != nil {
		return d.fail
	}
	for _, o := range operations {
		switch o.Type {
		case storage.Get:
			o.Value = d.values[o.Key]
		case storage.Set:
			d.values[o.Key] = o.Value
		case storage.Delete:
			delete(d.values, o.Key)
		}
	}
	return nil
}

func (d *disk) Close(context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open--
	return nil
}

func (d *disk) Walk(_ context.Context, f storage.WalkFunc) error {
	d.mu.Lock()
	values := maps.Clone(d.values)
	d.mu.Unlock()
	for key, value := range values {
		if _, err := f(key, value); err != nil {
			return err
		}
	}
	return d.fail
}

func (d *disk) setFail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = err
}

// machine is a host with a disk that records the status of the receiver.
type machine struct {
	component.Host
	*disk
	mu     sync.Mutex
	events []*componentstatus.Event
}

var diskID = component.MustNewID("disk")

func newMachine() *machine {
	return &machine{Host: componenttest.NewNopHost(), disk: &disk{values: map[string][]byte{}}}
}

func (m *machine) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{diskID: m.disk, component.MustNewID("nop"): struct {
		component.StartFunc
		component.ShutdownFunc
	}{}}
}

func (m *machine) Report(e *componentstatus.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events = append(m.events, e)
}

func (m *machine) statuses() []componentstatus.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []componentstatus.Status
	for _, e := range m.events {
		list = append(list, e.Status())
	}
	return list
}

func (d *disk) copy() map[string][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.values)
}

// TestStorageHints: the advice is shown if a storage waits in vain for its lock, or if its file is corrupt.
func TestStorageHints(t *testing.T) {
	for _, tt := range []struct{ fail, want string }{
		{"timeout", "timeout: its directory is in use by another collector; stop that one, or give each a separate directory"},
		{"invalid database", "invalid database: the file of this receiver in its directory is corrupt; move it away to start without positions (docs/delivery.md)"},
		{"disk full", "disk full"},
	} {
		m := newMachine()
		m.disk.fail = errors.New(tt.fail)
		factory := agentstreamreceiver.NewFactory()
		r, err := factory.CreateLogs(t.Context(), receivertest.NewNopSettings(factory.Type()), stored(filepath.Join(t.TempDir(), "*")), consumertest.NewNop())
		require.NoError(t, err)
		assert.EqualError(t, r.Start(t.Context(), m), fmt.Sprintf("get client of storage %q: %s", diskID, tt.want))
		require.NoError(t, r.Shutdown(t.Context()))
	}
}

func TestStorageErrors(t *testing.T) {
	for name, test := range map[string]struct {
		id   component.ID
		disk func(*disk)
		want string
	}{
		"no such extension": {id: component.MustNewIDWithName("file_storage", "x"), want: `no extension "file_storage/x"`},
		"another kind":      {id: component.MustNewID("nop"), want: `extension "nop" is not a storage extension`},
		"no client":         {id: diskID, disk: func(d *disk) { d.fail = errors.New("locked") }, want: `get client of storage "disk": locked`},
		"newer state": {
			id: diskID, disk: func(d *disk) { d.values["registry"] = []byte(`{"version":1000}`) }, want: "newer version",
		},
		"broken state": {id: diskID, disk: func(d *disk) { d.values["registry"] = []byte(`{`) }, want: `decode "registry"`},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine()
			if test.disk != nil {
				test.disk(m.disk)
			}
			cfg := stored(filepath.Join(t.TempDir(), "*"))
			cfg.Storage = &test.id
			factory := agentstreamreceiver.NewFactory()
			r, err := factory.CreateLogs(t.Context(), receivertest.NewNopSettings(factory.Type()), cfg, consumertest.NewNop())
			require.NoError(t, err)
			assert.ErrorContains(t, r.Start(t.Context(), m), test.want)
			assert.NoError(t, r.Shutdown(t.Context()))
		})
	}
}
