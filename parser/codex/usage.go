package codex

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/usage"
)

// totals is what is known of the tokens of a thread. Two kinds of rows report them, and a response can be in both: once a
// token_usage_record came, those alone count (antiburn/antiburn#505, case 204).
type totals struct {
	responses memory.Table[struct{}] // that were counted
	records   bool                   // token_usage_record rows came
	unpaired  events.Tokens          // what the last token_count added, whose record may still come (case 227)
	total     events.Tokens          // the running total of the last token_count
	known     bool
}

// tokenCounts are the keys of a usage object. Codex's arithmetic is the normalised one:
//
//	input  = input_tokens, of which cached_input_tokens and cache_write_input_tokens
//	output = output_tokens, of which reasoning_output_tokens
var tokenCounts = usage.Map{
	"input_tokens":             usage.Input,
	"output_tokens":            usage.Output,
	"cached_input_tokens":      usage.CacheRead,
	"cache_write_input_tokens": usage.CacheWrite,
	"reasoning_output_tokens":  usage.Reasoning,
}

// tokens reads a usage object that was kept whole, in one pass; ok is false if there is none.
func (lg *ledger) tokens(v scan.Value) (t events.Tokens, ok bool) {
	if v.Kind != scan.KindObject {
		return t, false
	}
	lg.Scanner.Reset(v.Raw)
	return readTokens(&lg.Scanner)
}

// readTokens reads the usage object that comes next in s, and skips what is none.
func readTokens(s *scan.Scanner) (events.Tokens, bool) {
	c, ok := tokenCounts.Read(s)
	return c.Tokens(), ok
}

// ledger counts the tokens of a thread, each once.
type ledger struct {
	*line
	totals totals
}

// begins forgets the running total of the thread before.
func (lg *ledger) begins() { lg.totals.total, lg.totals.known = events.Tokens{}, false }

func (lg *ledger) emitUsage(scope events.UsageScope, t events.Tokens) *events.DisplayEvent {
	e := lg.Emit(events.KindUsage)
	e.Model = lg.thread.model
	e.Usage = &events.Usage{Scope: scope, Tokens: t, Provider: t}
	return e
}

// threadUsage emits the usage of turn.completed: the total of the thread over all its runs, in a fork also its parent's.
func (lg *ledger) threadUsage(v scan.Value) {
	if t, ok := lg.tokens(v); ok {
		lg.emitUsage(events.UsageScopeSession, t)
	}
}

// responseUsage reports the tokens of one model response (R4), under the message that its items were given to.
func (lg *ledger) responseUsage(m scan.Members, copied bool) {
	unpaired := lg.totals.unpaired
	lg.totals.records, lg.totals.unpaired = true, events.Tokens{}
	id := m.Get("response_id")
	if len(id.Body()) > 0 {
		// A server may draw an id again; a repeat has the thread's total, too.
		key := lg.Keys.With(lg.Keys.With(lg.Keys.ID(domainResponse, id.Body()), m.Get("usage").Raw), m.Get("thread_token_usage").Raw)
		if _, seen := lg.totals.responses.Get(key); seen {
			return
		}
		lg.totals.responses.Set(key, struct{}{})
	}
	t, ok := lg.tokens(m.Get("usage"))
	if !ok || copied || t == unpaired && t != (events.Tokens{}) {
		return
	}
	e := lg.emitUsage(events.UsageScopeCall, t)
	e.MessageID, e.ItemID = lg.response, lg.Strings.Text(id)
	lg.response = ""
}

// tokenCount reports what a token_count adds. 0.29 has the tokens of one response there, later versions the total of the
// thread, twice for each response.
func (lg *ledger) tokenCount(m scan.Members, copied bool) {
	info := m.Get("info")
	if info.Kind != scan.KindObject {
		if m.Get("input_tokens").Kind == scan.KindNumber && !copied {
			c := tokenCounts.Members(m)
			lg.emitUsage(events.UsageScopeCall, c.Tokens())
		}
		return
	}
	var last, total events.Tokens
	ok := false
	s := &lg.Scanner
	s.Reset(info.Raw)
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "last_token_usage":
			last, _ = readTokens(s)
		case "total_token_usage":
			total, ok = readTokens(s)
		default:
			s.Skip()
		}
	}
	if !ok {
		return
	}
	grown := lg.totals.grown(total, last, lg.thread.forked || lg.thread.agent != "")
	if copied || lg.totals.records || grown == (events.Tokens{}) {
		return
	}
	lg.totals.unpaired = grown
	lg.emitUsage(events.UsageScopeCall, grown)
}

// grown moves the total on and gives what was added. The total of a fork goes on from that of its origin, that of a
// sub-agent may go on from its parent's (goesOn), and a counter that falls has begun anew. Then the last response is what
// was added.
func (u *totals) grown(total, last events.Tokens, goesOn bool) events.Tokens {
	if !total.Plausible() {
		return total // to be ignored: the next total is compared with the one before
	}
	before, known := u.total, u.known
	u.total, u.known = total, true
	grown := total.Sub(before)
	if goesOn && !known && last != (events.Tokens{}) || !grown.Plausible() {
		return last
	}
	return grown
}
