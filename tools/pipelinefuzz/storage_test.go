package pipelinefuzz

import (
	"context"
	"maps"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// disk is a storage extension and its only client. Its content outlives receivers.
type disk struct {
	component.StartFunc
	component.ShutdownFunc

	mu     sync.Mutex
	values map[string][]byte
}

var diskID = component.MustNewID("disk")

func newDisk() *disk { return &disk{values: map[string][]byte{}} }

// GetClient returns the disk itself.
func (d *disk) GetClient(context.Context, component.Kind, component.ID, string) (storage.Client, error) {
	return d, nil
}

// Get returns the value of a key, or nil.
func (d *disk) Get(_ context.Context, key string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.values[key], nil
}

// Set stores a value.
func (d *disk) Set(_ context.Context, key string, value []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.values[key] = value
	return nil
}

// Delete removes a key.
func (d *disk) Delete(_ context.Context, key string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.values, key)
	return nil
}

// Batch applies operations.
func (d *disk) Batch(_ context.Context, operations ...*storage.Operation) error {
	d.mu.Lock()
	defer d.mu.Unlock()
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

// Close keeps the values.
func (d *disk) Close(context.Context) error { return nil }

// Walk calls f for each value.
func (d *disk) Walk(_ context.Context, f storage.WalkFunc) error {
	d.mu.Lock()
	values := maps.Clone(d.values)
	d.mu.Unlock()
	for key, value := range values {
		if _, err := f(key, value); err != nil {
			return err
		}
	}
	return nil
}

// machine is a host with the disk.
type machine struct {
	component.Host
	disk *disk
}

func newMachine(d *disk) component.Host { return machine{componenttest.NewNopHost(), d} }

// GetExtensions returns only the disk.
func (m machine) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{diskID: m.disk}
}
