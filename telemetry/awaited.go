package telemetry

import "github.com/tailspan/tailspan/session/account"

// awaited is the account whose end the pending events of a stream waited for last.
type awaited struct {
	account *account.Account
	run     bool   // a run waits, not the work of a sub-agent:
	from    origin // the one that begins here
}

// holds reports whether a run waits yet. What comes behind its beginning changes nothing of that, so none of it has to be
// looked at again with each event.
func (a *awaited) contains(from origin) bool {
	return a != nil && a.run && a.from == from && !a.account.Over()
}

// waits reports whether the run that waiting begins with has to wait for the end of the first account of it.
func (s *Stream) waits(key *runKey, waiting []pendingEvent) bool {
	standing, first := s.stand(s.idSession(sessionOf(waiting)), key, waiting)
	if standing != account.Second || first == nil || !s.await(first) {
		return false
	}
	s.links.awaited.run, s.links.awaited.from = true, waiting[0].origin
	return true
}

// await has the stream wait for the end of an account, unless it is over.
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
