package opencode

import (
	"slices"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
)

// maxStarts limits the starts that are pending. The oldest goes for one without room.
const maxStarts = 64

// start is the start of a sub-agent's session whose call is not known yet. OpenCode makes the session some milliseconds
// before the row of the call has its arguments (1.18, subagent.log), and after a restart the row of the session can be read
// before that of its call, which was written since. The start is pending until the first message of the session: only a
// session that no call made starts something.
type start struct {
	key     uint64 // of the session
	task    uint64 // of the call; see taskKey
	head    lines.Head
	session events.Session
}

// awaitCall keeps the start of a sub-agent's session.
func (p *Parser) awaitCall(s start) {
	if len(p.starts) >= maxStarts {
		p.releaseStart(0)
	}
	p.starts = append(p.starts, s)
}

// enterSession is called before a message or part of a session is handled.
func (p *Parser) enterSession(key uint64) {
	if i := slices.IndexFunc(p.starts, func(s start) bool { return s.key == key }); i >= 0 {
		p.releaseStart(i)
	}
}

// releaseStart gives a start that is pending, unless the call of its session is known by now.
func (p *Parser) releaseStart(i int) {
	s := p.starts[i]
	p.starts = slices.Delete(p.starts, i, i+1)
	in, _ := p.sessions.Get(s.key)
	if in.call == "" {
		if in.call, _ = p.tasks.Get(s.task); in.call != "" {
			p.sessions.Set(s.key, in)
		}
	}
	if in.call == "" {
		p.Head = s.head
		p.Emit(events.KindSessionStarted).Session = &s.session
	}
}

// releaseStarts gives all starts that are pending.
func (p *Parser) releaseStarts() {
	for len(p.starts) > 0 {
		p.releaseStart(0)
	}
}
