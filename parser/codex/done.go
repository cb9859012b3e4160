package codex

import "github.com/tailspan/tailspan/parser/internal/scan"

// doneInvocation reads a call that the API or the program did at once, of which call and result are on one line: the
// response item, the item and the event of its end have it under different names.
func (p *Parser) doneInvocation(kind string, m scan.Members) invocation {
	inv := invocation{id: m.AnyOf("call_id", "id"), item: m.Get("id")}
	switch kind {
	case "web_search_call", "web_search_end", "WebSearch":
		inv.name, inv.readOnly = "web_search", true
		inv.input = m.Get("action")
		if inv.target = p.Strings.Text(m.Get("query")); inv.target == "" {
			p.args = p.Scanner.MembersOf(inv.input, p.args[:0])
			inv.target = p.Strings.Text(p.args.AnyOf("query", "url", "pattern"))
		}
	case "view_image_tool_call", "ImageView":
		inv.name, inv.readOnly = "view_image", true
		inv.input = m.Get("path")
		inv.target = p.Strings.Text(inv.input)
	default:
		inv.name = "image_generation"
		inv.input = m.Get("revised_prompt")
	}
	return inv
}

// done gives such a call and its result.
func (p *Parser) done(kind string, m scan.Members) {
	inv := p.doneInvocation(kind, m)
	p.once(&inv, &outcome{})
}

// once emits a call and its result, unless another line had them. Without an id a repeat cannot be recognised.
func (p *Parser) once(inv *invocation, o *outcome) {
	if p.callOf(inv.id).wasCalled() {
		return
	}
	p.begin(inv)
	o.name = inv.name
	p.end(inv.id, o)
}
