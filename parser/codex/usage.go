package codex

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/usage"
)

// totals is what is known of the tokens of a thread. Two kinds of rows report them, and a response can be in both. After
// the first token_usage_record, only those rows count (antiburn/antiburn#505, case 204).
type totals struct {
	responses memory.Table[struct{}] // responses that were counted
	records   bool                   // the thread has token_usage_record rows
	unpaired  events.Tokens          // what the last token_count added, whose record may still come (case 227)
	total     events.Tokens          // running total of the last token_count
	known     bool
}

// tokenCounts are the keys of a usage object. Codex uses the normalised arithmetic:
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

// tokens reads a usage object that was kept whole, in one pass. It returns false if v is not one.
func (lg *ledger) tokens(v scan.Value) (t events.Tokens, ok bool) {
	if v.Kind != scan.KindObject {
		return t, false
	}
	lg.Scanner.Reset(v.Raw)
	return readTokens(&lg.Scanner)
}

// readTokens reads the next value of s if it is a usage object, and skips anything else.
func readTokens(s *scan.Scanner) (events.Tokens, bool) {
	c, ok := tokenCounts.Read(s)
	return c.Tokens(), ok
}

// ledger counts the tokens of a thread exactly once.
type ledger struct {
	*line
	totals totals
}

// begins clears what is known of the previous thread, except the responses, which may be repeated.
func (lg *ledger) begins() { lg.totals = totals{responses: lg.totals.responses} }

func (lg *ledger) emitUsage(scope events.UsageScope, t events.Tokens) *events.DisplayEvent {
	e := lg.Emit(events.KindUsage)
	e.Model = lg.thread.model
	e.Usage = &events.Usage{Scope: scope, Tokens: t, Provider: t}
	return e
}

// threadUsage emits the usage of turn.completed: the total of the thread over all its runs, including a fork's parent.
func (lg *ledger) threadUsage(v scan.Value) {
	if t, ok := lg.tokens(v); ok {
		lg.emitUsage(events.UsageScopeSession, t)
	}
}

// responseUsage reports the tokens of one model response (R4), under the message ID of its items.
func (lg *ledger) responseUsage(m scan.Members, copied bool) {
	unpaired := lg.totals.unpaired
	lg.totals.records, lg.totals.unpaired = true, events.Tokens{}
	id := m.Get("response_id")
	if len(id.Body()) > 0 {
		// A server may reuse an ID; a repetition also has the same total for the thread.
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

// tokenCount reports what a token_count adds. In 0.29 it has the tokens of one response, in later versions the total of
// the thread, twice for each response.
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

// grown updates the total and returns the increase. The total of a fork continues that of its origin, that of a sub-agent
// may continue its parent's (goesOn), and a total that fell has restarted. In these cases the increase is that of the
// last response.
func (u *totals) grown(total, last events.Tokens, goesOn bool) events.Tokens {
	if !total.Plausible() {
		return total // implausible: the next total is compared with the previous one
	}
	before, known := u.total, u.known
	u.total, u.known = total, true
	grown := total.Sub(before)
	if goesOn && !known && last != (events.Tokens{}) || !grown.Plausible() {
		return last
	}
	return grown
}
