package delivery_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/delivery"
)

// host keeps the reported statuses.
type host struct {
	component.Host
	events []*componentstatus.Event
}

func newHost() *host { return &host{Host: componenttest.NewNopHost()} }

func (h *host) Report(e *componentstatus.Event) { h.events = append(h.events, e) }

func (h *host) statuses() (list []componentstatus.Status) {
	for _, e := range h.events {
		list = append(list, e.Status())
	}
	return list
}

// TestPermanentIsTheEnd: after a permanent error the collector allows only the end.
func TestPermanentIsTheEnd(t *testing.T) {
	m := newHost()
	h := &delivery.Health{}
	h.Permanent(errors.New("no host to report to"))
	h.Start(m)
	h.Trouble(delivery.TroubleLogs, errors.New("refuses"))
	h.Permanent(errors.New("gone"))
	h.Permanent(errors.New("gone too"))
	h.Well(delivery.TroubleLogs)
	h.Trouble(delivery.TroubleTraces, errors.New("refuses"))
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError, componentstatus.StatusPermanentError}, m.statuses())
}

// TestTroubles are reported together, and each ends separately.
func TestTroubles(t *testing.T) {
	m := newHost()
	h := &delivery.Health{}
	h.Start(m)
	h.Trouble(delivery.TroublePipe("/a"), errors.New("full"))
	h.Trouble(delivery.TroublePipe("/a"), errors.New("full again"))
	h.Trouble(delivery.TroubleStorage, errors.New("no room"))
	h.Well(delivery.TroublePipe("/b"))
	h.Well(delivery.TroubleStorage)
	h.Well(delivery.TroublePipe("/a"))
	require.Len(t, m.events, 4)
	assert.EqualError(t, m.events[1].Err(), "full\nno room")
	assert.EqualError(t, m.events[2].Err(), "full")
	assert.Equal(t, componentstatus.StatusOK, m.events[3].Status())
}
