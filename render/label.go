package render

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
)

// maxIdentity is how many bytes of each part of an identity are kept.
const maxIdentity = 256

// shortPart is how many runes of an id are in a label if they distinguish it.
const shortPart = 8

// identity is whose a stream is, as far as a label can say it.
type identity struct{ pipeline, run, step, stepRun, session string }

func identityOf(o Origin) identity {
	id := identity{capped(o.Pipeline), capped(o.Run), capped(o.Step), capped(o.StepRun), ""}
	if id.step == "" && id.pipeline == "" {
		id = identity{session: capped(o.Session)}
	}
	return id
}

// capped keeps what a long value begins with.
func capped(s string) string {
	s = strings.TrimSpace(s)
	if len(s) <= maxIdentity {
		return s
	}
	end := maxIdentity
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.Clone(s[:end])
}

// base is what the label of a stream is if no other one has the same.
func (id *identity) base() string {
	switch {
	case id.step != "":
		return brief(id.step)
	case id.pipeline != "":
		return brief(id.pipeline)
	default:
		return shortOf(id.session)
	}
}

// shortOf is the part of an id that distinguishes it as a rule.
func shortOf(id string) string {
	if isTimeOrdered(id) {
		return "…" + id[len(id)-shortPart:]
	}
	return prefix(id, shortPart)
}

// isTimeOrdered reports whether an id is a UUID of version 7, whose beginning is the minute in which it was made (RFC 9562),
// as Codex's are: two that were made together differ only in their end.
func isTimeOrdered(id string) bool {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[14] != '7' || id[18] != '-' || id[23] != '-' {
		return false
	}
	return strings.Trim(id, "0123456789abcdefABCDEF-") == ""
}

// label is what a stream is called in a log of several: the shortest that distinguishes it from the others that are open.
type label struct {
	identity   identity
	group      *labelGroup // nil where there is nothing to call it by
	text       string      // as of change
	change     int
	introduced bool // a heading had its name in full
}

// labelGroup are the labels of open streams that would be the same.
type labelGroup struct {
	base    string
	members []*label
	change  int // grows when a member comes or goes
}

// labels are those of the open streams of a log.
type labels struct {
	groups map[string]*labelGroup // by base
}

// add makes the label of a stream.
func (a *labels) add(o Origin) *label {
	l := &label{identity: identityOf(o)}
	base := l.identity.base()
	if base == "" {
		return l
	}
	if a.groups == nil {
		a.groups = map[string]*labelGroup{}
	}
	g := a.groups[base]
	if g == nil {
		g = &labelGroup{base: base}
		a.groups[base] = g
	}
	g.members = append(g.members, l)
	g.change++
	l.group = g
	return l
}

// remove forgets the label of a stream that is closed.
func (a *labels) remove(l *label) {
	g := l.group
	if g == nil {
		return
	}
	g.members = slices.DeleteFunc(g.members, func(o *label) bool { return o == l })
	g.change++
	if len(g.members) == 0 {
		delete(a.groups, g.base)
	}
}

// others reports whether a stream of another identity is open.
func (a *labels) others(than *label) bool {
	for _, g := range a.groups {
		for _, l := range g.members {
			if l.identity != than.identity {
				return true
			}
		}
	}
	return false
}

// name is the label's present text.
func (l *label) name() string {
	if l.group == nil {
		return ""
	}
	if l.change != l.group.change {
		l.change = l.group.change
		l.text = l.distinguished()
	}
	return l.text
}

// full is the label that a reader who knows nothing yet can place: with the pipeline.
func (l *label) full() string {
	name, pipeline := l.name(), brief(l.identity.pipeline)
	if pipeline == "" || l.identity.step == "" || strings.HasPrefix(name, pipeline+"/") {
		return name
	}
	return pipeline + "/" + name
}

// distinguished is the least that no other member of the group has: the pipeline, its run, the run of the step, in this
// order; of the id of a session more than its beginning.
func (l *label) distinguished() string {
	id := &l.identity
	var pipelines, runs, stepRuns, sessions distinction
	for _, m := range l.group.members {
		o := &m.identity
		switch {
		case id.session != "" || o.session != "":
			sessions.compare(id.session, o.session)
		case o.pipeline != id.pipeline:
			pipelines.compare(id.pipeline, o.pipeline)
		case o.run != id.run:
			runs.compare(id.run, o.run)
		default:
			stepRuns.compare(id.stepRun, o.stepRun)
		}
	}
	if sessions.differs {
		return sessions.of(id.session)
	}
	parts := []string{"", runs.of(id.run), l.group.base, stepRuns.of(id.stepRun)}
	if pipelines.differs && id.step != "" {
		parts[0] = brief(id.pipeline)
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "/")
}

// distinction is how a value differs from others.
type distinction struct {
	differs bool
	common  int // bytes that some other one begins with too
}

func (d *distinction) compare(value, other string) {
	if value == other {
		return
	}
	d.differs = true
	n := 0
	for n < len(value) && n < len(other) && value[n] == other[n] {
		n++
	}
	d.common = max(d.common, n)
}

// of is the beginning of a value that none of the others has, empty where none differs.
func (d *distinction) of(value string) string {
	if !d.differs {
		return ""
	}
	if value == "" {
		return "-"
	}
	return prefix(value, max(shortPart, utf8.RuneCountInString(value[:d.common])+1))
}

// prefix is what a value begins with, safe to show.
func prefix(value string, runes int) string {
	clean := []rune(brief(value))
	if len(clean) <= runes || runes >= events.SummaryRunes {
		return string(clean)
	}
	return strings.TrimRight(string(clean[:runes]), "-_./ ")
}
