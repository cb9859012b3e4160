package telemetry

import "github.com/tailspan/tailspan/session/account"

// awaited is the account whose end the stream's pending events last waited for.
type awaited struct {
	account *account.Account
	run     bool   // a run waits, not the work of a sub-agent
	from    origin // the first event of that run
}

// contains reports whether the run that begins at from is still waiting. Later events do not change that, so they need
// not be checked one by one.
func (a *awaited) contains(from origin) bool {
	return a != nil && a.run && a.from == from && !a.account.Over()
}

// waits reports whether the run that begins with waiting has to wait for the end of its first account.
func (s *Stream) waits(key *runKey, waiting []pendingEvent) bool {
	standing, first := s.classifyRun(s.idSession(sessionOf(waiting)), key, waiting)
	if standing != account.Second || first == nil || !s.await(first) {
		return false
	}
	s.links.awaited.run, s.links.awaited.from = true, waiting[0].origin
	return true
}

// await makes the stream wait for the end of an account and reports whether it has to.
func (s *Stream) await(first *account.Account) bool {
	if !s.registry.accounts.Await(s, first) {
		return false
	}
	s.links.awaited = &awaited{account: first}
	return true
}

// awaitsAccount reports whether the pending events of the stream wait for the end of a first account.
func (s *Stream) awaitsAccount() bool {
	return len(s.pending) > 0 && s.links.awaited != nil && !s.links.awaited.account.Over()
}
