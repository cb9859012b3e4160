package pipelinefuzz

import (
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/tailspan/tailspan/internal/storagetest"
)

// machine is a host with a disk.
type machine struct {
	component.Host
	disk *storagetest.Disk
}

func newMachine() component.Host {
	return machine{componenttest.NewNopHost(), storagetest.New()}
}

// GetExtensions returns only the disk.
func (m machine) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{storagetest.ID: m.disk}
}
