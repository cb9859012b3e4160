package delivery

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
)

// Trouble is a temporary error of the receiver.
type Trouble string

// The troubles of a receiver; see also [TroublePipe].
const (
	TroubleTraces  Trouble = "traces"  // the consumer of traces refuses
	TroubleLogs    Trouble = "logs"    // the consumer of logs refuses
	TroubleStorage Trouble = "storage" // offsets are not stored
)

// TroublePipe returns the trouble of a pipe whose input is not readable or does not fit into its spool.
func TroublePipe(path string) Trouble { return Trouble("pipe " + path) }

// Health reports the component status to the collector, once per change:
//
//	event                                            status
//	-----                                            ------
//	the receiver does not start                      an error of Start
//	a consumer refuses a batch, also permanently     recoverable error, until it accepts one
//	an offset is not stored                          recoverable error, until one is
//	a pipe is not opened, or its input is dropped    recoverable error, until it is read again
//	standard input or a spool is not readable        permanent error: only a restart helps
//
// The collector's state machine has no way back from a permanent error, so nothing is reported after one. An unreadable file
// is no error of the receiver: others are read, and it is counted and logged.
type Health struct {
	mu    sync.Mutex
	host  component.Host // nil: nothing is reported
	lost  bool           // a permanent error was reported
	wrong map[Trouble]error
}

// Start sets the host to report to.
func (h *Health) Start(host component.Host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.host = host
}

// Trouble reports a temporary error.
func (h *Health) Trouble(of Trouble, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wrong[of] == nil {
		if h.wrong == nil {
			h.wrong = map[Trouble]error{}
		}
		h.wrong[of] = err
		h.reportLocked()
	}
}

// Well reports that an error is over.
func (h *Health) Well(of Trouble) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wrong[of] != nil {
		delete(h.wrong, of)
		h.reportLocked()
	}
}

// Permanent reports an error that only a restart resolves.
func (h *Health) Permanent(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost || h.host == nil {
		return
	}
	h.lost = true
	componentstatus.ReportStatus(h.host, componentstatus.NewPermanentErrorEvent(err))
}

func (h *Health) reportLocked() {
	if h.host == nil || h.lost {
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
