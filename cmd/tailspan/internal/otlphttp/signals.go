package otlphttp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// signals records which signals servers accept. An endpoint that accepts one signal but has no path for another (status 404 or
// 405, UNIMPLEMENTED of gRPC), as Jaeger for log records, lacks that signal. An endpoint without any path has a wrong address, so
// the data is kept.
type signals struct {
	mu      sync.Mutex
	takes   map[string]bool // by base address: it accepts some signal
	absent  map[string]bool // signals that are not sent
	foreign sync.Map        // by base address: what was reported of its answers, which are not OTLP
}

// taken records that a server accepts a signal.
func (s *signals) taken(r request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.takes == nil {
		s.takes = map[string]bool{}
	}
	s.takes[r.to.base()] = true
}

// endpoint returns the endpoint of a signal, or nil if it has none.
func (e *Exporter) endpoint(signal string) *Endpoint {
	e.signals.mu.Lock()
	defer e.signals.mu.Unlock()
	to := e.settings.Endpoints.of(signal)
	if to.URL == "" || e.signals.absent[signal] {
		return nil
	}
	return to
}

// lacks reports whether an endpoint without a path for the signal of a request accepts another signal. If so, it reports all
// missing signals in one line, and they are sent no more. If nothing was accepted yet, an empty request of each signal decides.
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

// answers are the responses of a server to empty requests: the signals that it accepts, those that it lacks, and the errors of
// all failed ones.
type answers struct {
	takes, absent []string
	missing, errs []error
}

// ask sends a server an empty request of each signal that it should receive and that is requested.
func (e *Exporter) ask(ctx context.Context, base string, of func(signal string) bool) (all answers) {
	for _, signal := range allSignals {
		to := e.settings.Endpoints.of(signal)
		if to.URL == "" || to.base() != base || !of(signal) {
			continue
		}
		no := e.try(ctx, request{signal: signal, to: to})
		err := fmt.Errorf("send %s: %w", signal, no.err)
		switch no.kind {
		case refusalNone:
			all.takes = append(all.takes, signal)
		case refusalNoPath:
			all.absent, all.missing = append(all.absent, signal), append(all.missing, err)
		default:
			all.errs = append(all.errs, err)
		}
	}
	return all
}

// Probe sends each server one empty request of each signal. Its error names the servers that accept none, and why, and those that
// answer something other than OTLP; lacks names the signals missing on servers that accept others.
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
		if problem, ok := e.signals.foreign.Load(to.base()); ok {
			errs = append(errs, fmt.Errorf("%s", problem))
		}
	}
	return nouns(absent), errors.Join(errs...)
}

// nouns name the elements of a signal, as used after "no".
func nouns(signals []string) string {
	names := make([]string, len(signals))
	for i, signal := range signals {
		names[i] = noun(signal)
	}
	return strings.Join(names, " and no ")
}
