package agentstreamreceiver_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/internal/storagetest"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// machine is a host with a disk that records the status of the receiver.
type machine struct {
	component.Host
	*storagetest.Disk
	mu     sync.Mutex
	events []*componentstatus.Event
}

func newMachine() *machine {
	return &machine{Host: componenttest.NewNopHost(), Disk: storagetest.New()}
}

func (m *machine) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{storagetest.ID: m.Disk, component.MustNewID("nop"): struct {
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

// TestStorageHints: the advice is shown if a storage waits in vain for its lock, or if its file is corrupt.
func TestStorageHints(t *testing.T) {
	for _, tt := range []struct{ fail, want string }{
		{"timeout", "timeout: its directory is in use by another collector; stop that one, or give each a separate directory"},
		{"invalid database", "invalid database: the file of this receiver in its directory is corrupt; move it away to start without positions (docs/delivery.md)"},
		{"disk full", "disk full"},
	} {
		m := newMachine()
		m.Fail(errors.New(tt.fail))
		factory := agentstreamreceiver.NewFactory()
		r, err := factory.CreateLogs(t.Context(), receivertest.NewNopSettings(factory.Type()), stored(filepath.Join(t.TempDir(), "*")), consumertest.NewNop())
		require.NoError(t, err)
		assert.EqualError(t, r.Start(t.Context(), m), fmt.Sprintf("get client of storage %q: %s", storagetest.ID, tt.want))
		require.NoError(t, r.Shutdown(t.Context()))
	}
}

// holds returns a function that stores one value.
func holds(key, value string) func(*storagetest.Disk) {
	return func(d *storagetest.Disk) { d.Restore(map[string][]byte{key: []byte(value)}) }
}

func TestStorageErrors(t *testing.T) {
	for name, test := range map[string]struct {
		id   component.ID
		disk func(*storagetest.Disk)
		want string
	}{
		"no such extension": {id: component.MustNewIDWithName("file_storage", "x"), want: `no extension "file_storage/x"`},
		"another kind":      {id: component.MustNewID("nop"), want: `extension "nop" is not a storage extension`},
		"no client":         {id: storagetest.ID, disk: func(d *storagetest.Disk) { d.Fail(errors.New("locked")) }, want: `get client of storage "disk": locked`},
		"newer state": {
			id: storagetest.ID, disk: holds("registry", `{"version":1000}`), want: "newer version",
		},
		"broken state": {id: storagetest.ID, disk: holds("registry", `{`), want: `decode "registry"`},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine()
			if test.disk != nil {
				test.disk(m.Disk)
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
