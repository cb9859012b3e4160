package openai

import (
	"cmp"
	"slices"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// body takes a whole chat completion.
func (p *Parser) body(r *record) {
	p.close()
	p.begin()
	p.about(r)
	a := &p.answer
	p.identify(a)
	var reason scan.Value
	said := false
	a.failure = p.failureOf(r)
	sortChoices(r.choices)
	for i := range r.choices {
		c := &r.choices[i]
		if c.whole.there {
			p.sayWhole(&c.whole)
		}
		if finishes(c.finish) {
			reason = worse(reason, c.finish)
			p.cutShort(c.finish.Body())
		}
		if f := p.readFailure(c.failure); f.failed && !a.failure.failed {
			a.failure = f
		}
		said = said || c.whole.there || finishes(c.finish)
	}
	counts := p.countsOf(r)
	p.tokens(&counts)
	a.failure.failed = a.failure.failed || failingFinish(reason.Body())
	if said || a.failure.failed {
		p.ended(reason, a.failure, counts.duration)
	}
	a.open = false
}

// sortChoices puts the choices of a body in the order of their indexes; one without an index goes by its place.
func sortChoices(choices []choice) {
	for i := range choices {
		choices[i].place = int64(i)
		if v := choices[i].index; v.Kind == scan.KindNumber {
			choices[i].place = v.Int()
		}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(a.place, b.place) })
}
