package codex

// doneInvocation reads a call that the API or the program did at once, of which call and result stand on one line: the
// response item, the item and the event of its end tell it under different names.
func (p *Parser) doneInvocation(kind string, m members) *invocation {
	inv := &invocation{id: m.either("call_id", "id"), item: m.get("id")}
	switch kind {
	case "web_search_call", "web_search_end", "WebSearch":
		inv.name, inv.readOnly = "web_search", true
		inv.input = m.get("action")
		if inv.target = p.strings.Text(m.get("query")); inv.target == "" {
			p.args = readMembers(&p.inner, p.args, inv.input)
			inv.target = p.strings.Text(p.args.either("query", "url", "pattern"))
		}
	case "view_image_tool_call", "ImageView":
		inv.name, inv.readOnly = "view_image", true
		inv.input = m.get("path")
		inv.target = p.strings.Text(inv.input)
	default:
		inv.name = "image_generation"
		inv.input = m.get("revised_prompt")
	}
	return inv
}

// once gives a call and its result, unless another line told them. Without an id nothing tells a repeat.
func (p *Parser) once(inv *invocation, o *outcome) {
	if c, _ := p.callOf(inv.id); c.called {
		return
	}
	p.begin(inv)
	o.name = inv.name
	p.end(inv.id, o)
}
