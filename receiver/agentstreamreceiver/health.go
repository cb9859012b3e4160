package agentstreamreceiver

import (
	"errors"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
)

// trouble is something that may be wrong with the receiver and get well again.
type trouble uint8

const (
	troubleTraces  trouble = iota // the consumer of traces refuses
	troubleLogs                   // the consumer of logs refuses
	troubleStorage                // positions can't be kept
	troubleEnd
)

// health tells the collector how the receiver is: a recoverable error while something is wrong, once for each change.
// That the receiver can't work at all, Start tells.
type health struct {
	host component.Host // nil: nobody to tell

	mu    sync.Mutex
	wrong [troubleEnd]error
}

// trouble notes that something is wrong.
func (h *health) trouble(of trouble, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wrong[of] == nil {
		h.wrong[of] = err
		h.tell()
	}
}

// well notes that something is not wrong (any more).
func (h *health) well(of trouble) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wrong[of] != nil {
		h.wrong[of] = nil
		h.tell()
	}
}

func (h *health) tell() {
	if h.host == nil {
		return
	}
	event := componentstatus.NewEvent(componentstatus.StatusOK)
	if err := errors.Join(h.wrong[:]...); err != nil {
		event = componentstatus.NewRecoverableErrorEvent(err)
	}
	componentstatus.ReportStatus(h.host, event)
}
