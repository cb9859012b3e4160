package codex

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// usage is what is known of the tokens of a thread.
type usage struct {
	responses memory.Memory[struct{}] // that were counted
	total     events.Tokens           // the running total that was told last
	known     bool
}

// tokensOf reads one usage object. Codex's arithmetic is the normalised one:
//
//	input  = input_tokens, of which cached_input_tokens and cache_write_input_tokens
//	output = output_tokens, of which reasoning_output_tokens
func tokensOf(m scan.Members) events.Tokens {
	count := func(name string) int64 { return m.Get(name).Count() }
	return events.Tokens{
		Input:      count("input_tokens"),
		Output:     count("output_tokens"),
		CacheRead:  count("cached_input_tokens"),
		CacheWrite: count("cache_write_input_tokens"),
		Reasoning:  count("reasoning_output_tokens"),
	}
}

// tokens reads a usage object that was kept whole; ok is false if there is none.
func (p *Parser) tokens(v scan.Value) (t events.Tokens, ok bool) {
	if v.Kind != scan.KindObject {
		return t, false
	}
	p.nested = p.scanner.MembersOf(v, p.nested[:0])
	return tokensOf(p.nested), true
}

func (p *Parser) emitUsage(scope events.UsageScope, t events.Tokens) *events.DisplayEvent {
	e := p.emit(events.KindUsage)
	e.Model = p.thread.model
	e.Usage = &events.Usage{Scope: scope, Tokens: t, Provider: t}
	return e
}

// threadUsage tells what turn.completed does: the total of the thread over all its runs, in a fork also its parent's.
func (p *Parser) threadUsage(v scan.Value) {
	if t, ok := p.tokens(v); ok {
		p.emitUsage(events.UsageScopeSession, t)
	}
}

// responseUsage tells the tokens of one model response (R4), under the message that its items were given to.
func (p *Parser) responseUsage(m scan.Members, copied bool) {
	if total, ok := p.tokens(m.Get("thread_token_usage")); ok {
		p.usage.total, p.usage.known = total, true
	}
	id := m.Get("response_id")
	if len(id.Body()) > 0 {
		key := p.keys.ID(domainResponse, id.Body())
		if _, seen := p.usage.responses.Get(key); seen {
			return
		}
		p.usage.responses.Set(key, struct{}{})
	}
	t, ok := p.tokens(m.Get("usage"))
	if !ok || copied {
		return
	}
	e := p.emitUsage(events.UsageScopeCall, t)
	e.MessageID, e.ItemID = p.response, p.strings.Text(id)
	p.response = ""
}

// tokenCount tells what a token_count adds. 0.29 tells the tokens of one response there, later versions the total of the
// thread, twice for each response; in R4 it is one behind token_usage_record and tells nothing more.
func (p *Parser) tokenCount(m scan.Members, copied bool) {
	info := m.Get("info")
	if info.Kind != scan.KindObject {
		if m.Get("input_tokens").Kind == scan.KindNumber && !copied {
			p.emitUsage(events.UsageScopeCall, tokensOf(m))
		}
		return
	}
	p.args = p.scanner.MembersOf(info, p.args[:0])
	last, _ := p.tokens(p.args.Get("last_token_usage"))
	total, ok := p.tokens(p.args.Get("total_token_usage"))
	if !ok {
		return
	}
	grown := p.usage.grown(total, last, p.thread.forked)
	if !copied && !p.thread.paginated && grown != (events.Tokens{}) {
		p.emitUsage(events.UsageScopeCall, grown)
	}
}

// grown moves the total on and gives what was added. A fork goes on counting where its parent was, and a counter that
// falls has begun anew; in both cases the last response is what was added.
func (u *usage) grown(total, last events.Tokens, forked bool) events.Tokens {
	before, known := u.total, u.known
	u.total, u.known = total, true
	grown := total.Sub(before)
	if forked && !known || min(grown.Input, grown.Output, grown.CacheRead, grown.CacheWrite, grown.Reasoning) < 0 {
		return last
	}
	return grown
}
