package opencode

// Limits of what a parser remembers, in entries. The oldest is evicted first; then a repeat of it is taken for new.
const (
	maxParts     = 1 << 16 // parts, to leave out repeats and to pair a call's states
	maxOpenCalls = 1 << 12 // calls without a result
	maxMessages  = 1 << 14 // messages, for role, model and turn of their parts
	maxSessions  = 1 << 12 // sessions, and tasks whose session is not known
)

// The domains of hashes, so that a message never meets a session.
const (
	domainPart byte = iota
	domainCall
	domainMessage
	domainSession
	domainTask
)

// partKey is the key of a part; false if it has no id, so that it can be no repeat.
func (p *Parser) partKey(pt *part) (uint64, bool) {
	if len(pt.id.Body()) > 0 {
		return p.Keys.ID(domainPart, pt.id.Body()), true
	}
	return 0, false
}

// first reports whether this is the first sight of a part that is emitted once, and remembers it.
func (p *Parser) first(pt *part) bool {
	key, ok := p.partKey(pt)
	if !ok {
		return true
	}
	return p.parts.Add(key)
}
