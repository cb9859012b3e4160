package codex

import (
	"time"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// replay separates the copied history of a rollout from what its own thread did. Before R4, a forked thread and a sub-agent
// that received its parent's context begin with a copy of the parent's lines:
//
//	session_meta of the thread itself
//	session_meta of the parent, and of its parent    (the mark that a copy follows)
//	the parent's lines, all written anew within some 50 ms: their timestamps are those of the copy
//	session_meta of the thread itself again          (some versions)
//	the thread's own lines
//
// The ids of turns keep the time at which the turn began. Where a rollout has no turn ids (R2), the pause before the
// next prompt must do. Copies that keep their timestamps are older than the thread.
//
//	from     on                                                            to
//	none     session_meta of another thread, in a thread that has a parent  copying
//	copying  session_meta of the thread itself                              none
//	copying  a turn that began after the thread                             none
//	copying  a line after the thread began, behind lines from before        none
//	copying  a pause, if the copied lines have no turns                     none
type replay struct {
	copying bool
	stamped bool // the copied lines keep their timestamps
	turns   bool // the copied lines have the times of their turns
	last    time.Time
}

// replayPause is the longest pause within a copy without turn ids.
const replayPause = time.Second

// begin notes the session_meta of another thread.
func (g *replay) begin(at, created time.Time) {
	*g = replay{copying: true, stamped: !at.IsZero() && at.Before(created), last: at}
}

// copies reports whether a line is copied history.
func (g *replay) copies(r *record, t *thread) bool {
	if !g.copying && !t.forked {
		return false
	}
	at := r.timestamp.Time()
	early := !at.IsZero() && at.Before(t.created)
	if !g.copying {
		return early && !t.paginated
	}
	paused := !at.IsZero() && at.Sub(g.last) >= replayPause
	g.last = at
	copied, known := turnCopied(r, t)
	g.turns = g.turns || known
	switch {
	case known:
		g.copying = copied
	case g.stamped:
		g.copying = early
	case !g.turns && paused:
		g.copying = false
	}
	return g.copying
}

// turnCopied reports, of a line that opens a turn, whether the turn began before the thread. Ids are compared with ids and
// clocks with clocks; started_at has whole seconds, so a turn of the thread's first second is its own.
func turnCopied(r *record, t *thread) (copied, known bool) {
	kind := r.kind.Body()
	start := string(kind) == "event_msg" && isTurnStart(r.body.Get("type").Body())
	if !start && string(kind) != "turn_context" {
		return false, false
	}
	born := idTime(t.id)
	if began := idTime(r.body.Get("turn_id").Body()); !began.IsZero() && !born.IsZero() {
		return began.Before(born), true
	}
	if began := r.body.Get("started_at").Int(); began > 0 && !t.created.IsZero() {
		return began < t.created.Unix(), true
	}
	return false, false
}

func isTurnStart(kind []byte) bool {
	return string(kind) == "task_started" || string(kind) == "turn_started"
}

// idTime is the time that a UUID of version 7 was made at; zero for any other id.
func idTime[ID string | []byte](id ID) time.Time {
	const hyphens = "xxxxxxxx-xxxx-7xxx-xxxx-xxxxxxxxxxxx"
	if len(id) != len(hyphens) || id[14] != '7' {
		return time.Time{}
	}
	millis := int64(0)
	for i := 0; i < 13; i++ {
		if i == 8 {
			if id[i] != '-' {
				return time.Time{}
			}
			continue
		}
		digit := hexDigit(id[i])
		if digit < 0 {
			return time.Time{}
		}
		millis = millis<<4 | int64(digit)
	}
	return time.UnixMilli(millis).UTC()
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	default:
		return -1
	}
}

// copiedLine keeps what the thread's own lines go on from.
func (p *Parser) copiedLine(r *record) {
	switch string(r.kind.Body()) {
	case "token_usage_record":
		p.responseUsage(r.body, true)
	case "event_msg":
		if r.body.Get("type").Is("token_count") {
			p.tokenCount(r.body, true)
		}
	case "turn_context":
		p.setModel(r.body.Get("model"))
	}
}

// setModel notes the model that the next lines are of.
func (p *Parser) setModel(v scan.Value) {
	if len(v.Body()) > 0 {
		p.thread.model = p.Strings.Intern(v)
	}
}
