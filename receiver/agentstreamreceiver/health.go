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

// health tells the collector how the receiver is, once for each change:
//
//	what                                                       status
//	----                                                       ------
//	it can't work at all                                       an error of Start
//	a consumer refuses, also for good: the next may be taken   recoverable, until one is accepted
//	a position can't be kept                                   recoverable, until one is
//	a pipe can't be opened, or its input not be kept           recoverable, until it is
//	standard input, or a spool, can't be read any more         permanent: only a restart begins anew
//
// The collector's state machine has no way back from a permanent error, so after one nothing else is told. A file that
// can't be read is neither: others can, and it is counted and logged.
type health struct {
	host component.Host // nil: nobody to tell

	mu    sync.Mutex
	lost  bool // a permanent error was told
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

// permanent tells that something is wrong which only a restart can mend.
func (h *health) permanent(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost || h.host == nil {
		return
	}
	h.lost = true
	componentstatus.ReportStatus(h.host, componentstatus.NewPermanentErrorEvent(err))
}

func (h *health) tell() {
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
