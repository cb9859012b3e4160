package guard

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/ledger"
)

// maxRunning bounds the models whose running totals are remembered.
const maxRunning = 1024

// Spending is the usage of the runs of one stream so far.
type Spending struct {
	prices  *ledger.Prices
	whole   bool       // estimate only if all tokens are known
	past    ledger.Sum // of ended runs
	now     ledger.Ledger
	running ledger.Running // totals that a process or a session reports
}

// NewSpending returns a Spending with a list of prices, which may be empty. Its estimate is a lower bound: the output of a call
// counts as none if it is unknown.
func NewSpending(prices ledger.Prices) *Spending {
	s := &Spending{prices: &prices, running: ledger.NewRunning(maxRunning)}
	s.begin()
	return s
}

// NewAccount returns a Spending to show for a stream: its estimate equals that of its spans.
func NewAccount(prices ledger.Prices) *Spending {
	s := NewSpending(prices)
	s.whole = true
	return s
}

func (s *Spending) begin() { s.now = ledger.Ledger{Prices: s.prices} }

// Add adds the usage of an event and reports whether it has any.
func (s *Spending) Add(ev *events.DisplayEvent) bool {
	switch ev.Kind {
	case events.KindUsage:
		if ev.Usage == nil || ev.Copied || !ev.Usage.Tokens.Plausible() {
			return false
		}
		s.use(ev)
		return true
	case events.KindSessionEnded, events.KindTurnDone, events.KindTurnAborted:
		if ev.ParentID == "" {
			total := s.now.Total()
			s.past.AddAll(&total)
			s.begin()
		}
	}
	return false
}

func (s *Spending) use(ev *events.DisplayEvent) {
	switch u := ev.Usage; u.Scope {
	case events.UsageScopeCall:
		s.now.AddCall(ev.Model, u, !s.whole)
	case events.UsageScopeProcess, events.UsageScopeSession:
		key := ledger.RunningKey{Model: ev.Model}
		if u.Scope == events.UsageScopeSession {
			key.Session = ev.SessionID
		}
		before, _, _ := s.running.Swap(key, u)
		part := u.Since(&before)
		s.now.AddTotal(ev.Model, &part)
	default:
		s.now.AddTotal(ev.Model, u)
	}
}

// Usage returns [Spending.Sum] as the usage of a run.
func (s *Spending) Usage() events.Usage {
	sum := s.Sum()
	return sum.Usage()
}

// Sum returns the usage so far.
func (s *Spending) Sum() ledger.Sum {
	sum := s.past
	now := s.now.Total()
	sum.AddAll(&now)
	return sum
}
