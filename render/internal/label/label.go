package label

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailspan/tailspan/render/internal/text"
)

// shortPart is the number of runes of an ID in a label if they distinguish it.
const shortPart = 8

// Identity identifies a stream as far as a label can express it. Two streams with one identity have one label.
type Identity struct{ pipeline, run, step, stepRun, session string }

// IdentityOf returns an identity with bounded parts. It uses the session only if step and pipeline are unknown.
func IdentityOf(pipeline, run, step, stepRun, session string) Identity {
	id := Identity{text.Capped(pipeline), text.Capped(run), text.Capped(step), text.Capped(stepRun), ""}
	if id.step == "" && id.pipeline == "" {
		id = Identity{session: text.Capped(session)}
	}
	return id
}

// NamesStep reports whether the identity names a step or pipeline, and not a session.
func (id *Identity) NamesStep() bool { return id.session == "" }

// base returns the label of a stream if no other one has the same.
func (id *Identity) base() string {
	switch {
	case id.step != "":
		return text.Brief(id.step)
	case id.pipeline != "":
		return text.Brief(id.pipeline)
	default:
		return text.ShortID(id.session)
	}
}

// Label is the name of a stream in a log of several: the shortest one that distinguishes it from the other open streams.
type Label struct {
	// Identity identifies the stream.
	Identity Identity
	// Introduced: a heading has shown the full name.
	Introduced bool

	group  *group // nil if the stream has no name
	text   string // valid for change
	change int
}

// group holds the labels of open streams that would otherwise be equal.
type group struct {
	base    string
	members []*Label
	change  int // grows when a member is added or removed
}

// Set holds the labels of the open streams of a log.
type Set struct {
	groups map[string]*group // by base
}

// Add returns the label of a stream that opens.
func (a *Set) Add(id Identity) *Label {
	l := &Label{Identity: id}
	base := id.base()
	if base == "" {
		return l
	}
	if a.groups == nil {
		a.groups = map[string]*group{}
	}
	g := a.groups[base]
	if g == nil {
		g = &group{base: base}
		a.groups[base] = g
	}
	g.members = append(g.members, l)
	g.change++
	l.group = g
	return l
}

// Remove drops the label of a stream that is closed.
func (a *Set) Remove(l *Label) {
	g := l.group
	if g == nil {
		return
	}
	g.members = slices.DeleteFunc(g.members, func(o *Label) bool { return o == l })
	g.change++
	if len(g.members) == 0 {
		delete(a.groups, g.base)
	}
}

// Others reports whether a stream with another identity is open.
func (a *Set) Others(than *Label) bool {
	for _, g := range a.groups {
		for _, l := range g.members {
			if l.Identity != than.Identity {
				return true
			}
		}
	}
	return false
}

// Named reports whether the stream has a name.
func (l *Label) Named() bool { return l.group != nil }

// Name returns the current text of the label.
func (l *Label) Name() string {
	if l.group == nil {
		return ""
	}
	if l.change != l.group.change {
		l.change = l.group.change
		l.text = l.distinguished()
	}
	return l.text
}

// Full returns the label including the pipeline, for a reader who sees the stream for the first time.
func (l *Label) Full() string {
	name, pipeline := l.Name(), text.Brief(l.Identity.pipeline)
	if pipeline == "" || l.Identity.step == "" || strings.HasPrefix(name, pipeline+"/") {
		return name
	}
	return pipeline + "/" + name
}

// distinguished returns the shortest text that no other member of the group has: the pipeline, its run, the run of the
// step, in this order; or more than the beginning of a session ID.
func (l *Label) distinguished() string {
	id := &l.Identity
	var pipelines, runs, stepRuns, sessions distinction
	for _, m := range l.group.members {
		o := &m.Identity
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
		parts[0] = text.Brief(id.pipeline)
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "/")
}

// distinction shows how a value differs from others.
type distinction struct {
	differs bool
	common  int // length of the longest common prefix with another value, in bytes
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

// of returns the beginning of a value that none of the others has, or "" if none differs.
func (d *distinction) of(value string) string {
	if !d.differs {
		return ""
	}
	if value == "" {
		return "-"
	}
	return text.Prefix(value, max(shortPart, utf8.RuneCountInString(value[:d.common])+1))
}
