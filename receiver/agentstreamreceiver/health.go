package agentstreamreceiver

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
)

// trouble is something that may be wrong with the receiver and get well again.
type trouble string

const (
	troubleTraces  trouble = "traces"  // the consumer of traces refuses
	troubleLogs    trouble = "logs"    // the consumer of logs refuses
	troubleStorage trouble = "storage" // positions can't be kept
)

// troublePipe is that the input of a pipe can't be read or kept.
func troublePipe(path string) trouble { return trouble("pipe " + path) }

// health tells the collector how the receiver is: a recoverable error while something is wrong, once for each change.
// That the receiver can't work at all, Start tells.
type health struct {
	host component.Host // nil: nobody to tell

	mu    sync.Mutex
	wrong map[trouble]error
}

// trouble notes that something is wrong.
func (h *health) trouble(of trouble, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wrong[of] == nil {
		if h.wrong == nil {
			h.wrong = map[trouble]error{}
		}
		h.wrong[of] = err
		h.tell()
	}
}

// well notes that something is not wrong (any more).
func (h *health) well(of trouble) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wrong[of] != nil {
		delete(h.wrong, of)
		h.tell()
	}
}

func (h *health) tell() {
	if h.host == nil {
		return
	}
	event := componentstatus.NewEvent(componentstatus.StatusOK)
	var all []error
	for _, of := range slices.Sorted(maps.Keys(h.wrong)) {
		all = append(all, h.wrong[of])
	}
	if err := errors.Join(all...); err != nil {
		event = componentstatus.NewRecoverableErrorEvent(err)
	}
	componentstatus.ReportStatus(h.host, event)
}
