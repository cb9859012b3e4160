// Package storagetest has a storage extension for tests: a [Disk] whose content outlives the receivers that use it.
package storagetest

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// ID is the ID of the extension.
var ID = component.MustNewID("disk")

// Disk is a storage extension and its only client. It is safe for concurrent use.
type Disk struct {
	component.StartFunc
	component.ShutdownFunc

	mu     sync.Mutex
	values map[string][]byte
	fail   error
	asked  []string
	open   int
}

// New returns an empty disk.
func New() *Disk { return &Disk{values: map[string][]byte{}} }

// Values returns a copy of the content.
func (d *Disk) Values() map[string][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.values)
}

// Restore replaces the content by a copy of values.
func (d *Disk) Restore(values map[string][]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.values = maps.Clone(values)
}

// Fail makes all operations fail from now on; nil ends that.
func (d *Disk) Fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = err
}

// Asked returns the kind, ID and name of each client.
func (d *Disk) Asked() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked[:len(d.asked):len(d.asked)]
}

// Open returns the number of clients that are not closed.
func (d *Disk) Open() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open
}

// GetClient returns the disk itself.
func (d *Disk) GetClient(_ context.Context, kind component.Kind, id component.ID, name string) (storage.Client, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, fmt.Sprint(kind, " ", id, " ", name))
	d.open++
	return d, d.fail
}

// Get returns the value of a key, or nil.
func (d *Disk) Get(_ context.Context, key string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.values[key], d.fail
}

// Set stores a value.
func (d *Disk) Set(ctx context.Context, key string, value []byte) error {
	return d.Batch(ctx, storage.SetOperation(key, value))
}

// Delete removes a key.
func (d *Disk) Delete(ctx context.Context, key string) error {
	return d.Batch(ctx, storage.DeleteOperation(key))
}

// Batch applies all operations, or none.
func (d *Disk) Batch(_ context.Context, operations ...*storage.Operation) error {
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

// Close keeps the content.
func (d *Disk) Close(context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open--
	return nil
}

// Walk calls f for each value.
func (d *Disk) Walk(_ context.Context, f storage.WalkFunc) error {
	for key, value := range d.Values() {
		if _, err := f(key, value); err != nil {
			return err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fail
}
