package otlphttp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// signals is what is known of the signals that servers take. An endpoint that takes one signal and has no path for another (status 404
// or 405, UNIMPLEMENTED of gRPC), as Jaeger has none for log records, does not have that. One that has a path for none of them is
// no endpoint: its address is wrong, and what was to be sent is not lost for that.
type signals struct {
	mu     sync.Mutex
	takes  map[string]bool // by the base of the address: it takes a signal
	absent map[string]bool // signals that are not sent
}

// taken notes that a server takes a signal.
func (s *signals) taken(r request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.takes == nil {
		s.takes = map[string]bool{}
	}
	s.takes[r.to.base()] = true
}

// endpoint is where a signal goes; nil if it goes nowhere.
func (e *Exporter) endpoint(signal string) *Endpoint {
	e.signals.mu.Lock()
	defer e.signals.mu.Unlock()
	to := e.settings.Endpoints.of(signal)
	if to.URL == "" || e.signals.absent[signal] {
		return nil
	}
	return to
}

// lacks reports whether an endpoint that has no path for the signal of a request takes another one. If so, all signals that it does
// not have are reported, in one line, and sent no more. Where nothing was accepted yet, an empty request of each signal shows it.
func (e *Exporter) lacks(ctx context.Context, r request, no error) bool {
	s := e.signals
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.absent[r.signal] {
		return true
	}
	base := r.to.base()
	others := e.ask(ctx, base, func(signal string) bool { return signal != r.signal && !s.absent[signal] })
	if len(others.takes) == 0 && !s.takes[base] {
		return false
	}
	if s.absent == nil {
		s.absent = map[string]bool{}
	}
	absent := append([]string{r.signal}, others.absent...)
	ways := make([]string, len(absent))
	for i, signal := range absent {
		s.absent[signal], ways[i] = true, exporterVariables[signal]+"=none"
	}
	e.settings.Report(fmt.Sprintf("the endpoint takes no %s: they are not sent (%v); %s leaves them out",
		nouns(absent), no, strings.Join(ways, " ")))
	return true
}

// answers are those of a server to empty requests: the signals that it takes, those that it does not have, and what is wrong with
// those and with others.
type answers struct {
	takes, absent []string
	missing, errs []error
}

// ask sends a server one empty request of each signal that goes to it and that is asked for.
func (e *Exporter) ask(ctx context.Context, base string, of func(signal string) bool) (all answers) {
	for _, signal := range allSignals {
		to := e.settings.Endpoints.of(signal)
		if to.URL == "" || to.base() != base || !of(signal) {
			continue
		}
		no := e.try(ctx, request{signal: signal, to: to})
		err := fmt.Errorf("send %s: %w", signal, no.err)
		switch {
		case no.err == nil:
			all.takes = append(all.takes, signal)
		case no.noPath:
			all.absent, all.missing = append(all.absent, signal), append(all.missing, err)
		default:
			all.errs = append(all.errs, err)
		}
	}
	return all
}

// Probe sends each server one empty request of each signal. Its error says which servers take none, and why; lacks is what is not
// taken by those that take others.
func (e *Exporter) Probe(ctx context.Context) (lacks string, err error) {
	var errs []error
	var absent []string
	seen := map[string]bool{}
	for _, signal := range allSignals {
		to := e.settings.Endpoints.of(signal)
		if to.URL == "" || seen[to.base()] {
			continue
		}
		seen[to.base()] = true
		all := e.ask(ctx, to.base(), func(string) bool { return true })
		if len(all.takes) == 0 {
			errs = append(errs, append(all.errs, all.missing...)[0])
		} else {
			errs, absent = append(errs, all.errs...), append(absent, all.absent...)
		}
	}
	return nouns(absent), errors.Join(errs...)
}

// nouns is what signals consist of, after a no.
func nouns(signals []string) string {
	names := make([]string, len(signals))
	for i, signal := range signals {
		names[i] = noun(signal)
	}
	return strings.Join(names, " and no ")
}
