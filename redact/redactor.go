package redact

import (
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/tailspan/tailspan/events"
)

// markerStart begins every marker.
const markerStart = "[redacted"

func markerOf(kind string) string {
	if kind == "" {
		return markerStart + "]"
	}
	return markerStart + ":" + kind + "]"
}

// maxPasses bounds how often a text is searched. Each pass but the last found something.
const maxPasses = 8

// Redactor takes secrets out of texts and events. Any number of goroutines may use one.
type Redactor struct {
	index index
	rules []rule
	names []string
	allow []*regexp.Regexp

	dropInput, dropOutput      bool
	skipReasoning, skipPrompts bool

	buffers sync.Pool // of *[]byte, for texts without their controls
}

// maxPooled is the longest buffer that is kept, in bytes.
const maxPooled = 64 << 10

// NewRedactor makes a Redactor. The error joins everything that is wrong with the settings.
func NewRedactor(s Settings) (*Redactor, error) {
	rules, errRules := compileRules(s.Rules)
	names, words, errNames := compileNames(s.Names)
	allow, errAllow := compileAllow(s.Allow)
	if err := errors.Join(errRules, errNames, errAllow); err != nil {
		return nil, err
	}
	x, err := builtIn()
	if len(words) > 0 && err == nil {
		all, _ := anchors()
		for _, w := range words {
			all = append(all, anchor{word: w, fold: true, kind: anchorName})
		}
		x = newIndex(all)
	}
	if err != nil {
		return nil, err
	}
	return &Redactor{
		index: x, rules: rules, names: names, allow: allow,
		dropInput: s.DropInput, dropOutput: s.DropOutput, skipReasoning: s.SkipReasoning, skipPrompts: s.SkipPrompts,
	}, nil
}

// String is s with a marker in place of each secret; s itself if there is none.
func (r *Redactor) String(s string) string {
	out, _ := r.redact(s, 0, false)
	return out
}

// Bytes is b with a marker in place of each secret; b itself if there is none. b is not written to.
func (r *Redactor) Bytes(b []byte) []byte {
	if !dirty(r, b) {
		return b
	}
	out, n := r.redact(string(b), 0, false)
	if n == 0 {
		return b
	}
	return []byte(out)
}

// Contains reports whether a secret is found in s.
func (r *Redactor) Contains(s string) bool {
	_, n := r.redact(s, 0, false)
	return n > 0
}

// dirty reports whether s may hold a secret. Most texts don't, and this is all that is done with them.
func dirty[T text](r *Redactor, s T) bool {
	if len(s) < minPassword && len(r.rules) == 0 {
		return false
	}
	f := finder[T]{r: r, s: s}
	if isDocument(s) {
		// The strings of a document are searched decoded; here is only decided whether to.
		return f.anchored() || escapesControl(s) || ruleApplies(r, s)
	}
	_, found := f.next(0)
	return found || f.controls || f.escapes || ruleApplies(r, s)
}

// redact replaces secrets until it finds none, and counts them.
func (r *Redactor) redact(s string, depth int, cut bool) (out string, count int) {
	if !cut && !dirty(r, s) {
		return s, 0
	}
	for range maxPasses {
		next, n := r.pass(s, depth, cut)
		if n == 0 {
			break
		}
		s, count = next, count+n
	}
	return s, count
}

// pass searches the text once in each way that applies.
func (r *Redactor) pass(s string, depth int, cut bool) (string, int) {
	if isDocument(s) && depth < maxDepth && validDocument(s) {
		return r.document(s, depth)
	}
	out, n, again := r.plain(s, cut)
	if again {
		var more int
		out, more = r.decoded(out, cut)
		n += more
	}
	for i := range r.rules {
		var more int
		out, more = r.rules[i].apply(out, r)
		n += more
	}
	return out, n
}

// plain replaces what the finder finds. again reports that the text has to be searched decoded, too.
func (r *Redactor) plain(s string, cut bool) (out string, count int, again bool) {
	f := finder[string]{r: r, s: s, cut: cut}
	var b strings.Builder
	last := 0
	for {
		sp, ok := f.next(last)
		if !ok {
			break
		}
		b.WriteString(s[last:sp.start])
		b.WriteString(sp.quote)
		b.WriteString(markerOf(sp.kind))
		b.WriteString(sp.quote)
		last = sp.end
		count++
	}
	if count == 0 {
		return s, 0, f.controls || f.escapes
	}
	b.WriteString(s[last:])
	return b.String(), count, f.controls || f.escapes
}

// decoded searches s without its control sequences, which a renderer removes, and with its escapes decoded, and replaces
// in s what is found.
func (r *Redactor) decoded(s string, cut bool) (string, int) {
	buf, _ := r.buffers.Get().(*[]byte)
	if buf == nil {
		buf = new([]byte)
	}
	bare := (*buf)[:0]
	for i := 0; i < len(s); {
		plain := i
		for i < len(s) && !is(s[i], cUnit) {
			i++
		}
		if bare = append(bare, s[plain:i]...); i == len(s) {
			break
		}
		c, n, hidden := unitAt(s, i)
		if !hidden {
			bare = append(bare, c)
		}
		i += n
	}
	f := finder[[]byte]{r: r, s: bare, cut: cut}
	var b strings.Builder
	last, lastBare, count := 0, 0, 0
	at, atBare := 0, 0 // the same place in s and in bare
	locate := func(want int) (start, end int) {
		for {
			_, n, hidden := unitAt(s, at)
			switch {
			case hidden:
				at += n
				continue
			case atBare == want:
				return at, at + n
			}
			at += n
			atBare++
		}
	}
	for {
		sp, ok := f.next(lastBare)
		if !ok {
			break
		}
		start, _ := locate(sp.start)
		b.WriteString(s[last:start])
		b.WriteString(sp.quote + markerOf(sp.kind) + sp.quote)
		_, last = locate(sp.end - 1)
		lastBare = sp.end
		count++
	}
	if cap(bare) <= maxPooled {
		*buf = bare
		r.buffers.Put(buf)
	}
	if count == 0 {
		return s, 0
	}
	b.WriteString(s[last:])
	return b.String(), count
}

// unitAt is the unit at i of a text: a byte, a decoded escape, or a control sequence, which is hidden.
func unitAt(s string, i int) (c byte, n int, hidden bool) {
	if !is(s[i], cUnit) {
		return s[i], 1, false
	}
	if n := hiddenLen(s, i); n > 0 {
		return 0, n, true
	}
	if c, n := escapeAt(s, i); n > 0 {
		return c, n, false
	}
	return s[i], 1, false
}

// hiddenLen is the length of the control sequence, or of the character that is not seen, at i; line breaks and tabs are none.
func hiddenLen(s string, i int) int {
	if n := invisibleLen(s, i); n > 0 {
		return n
	}
	if !controlAt(s, i) {
		return 0
	}
	return events.EscapeLen(s[i:])
}

// allowed reports whether the settings let a value stay.
func allowed[T text](r *Redactor, s T, sp span) bool {
	for _, re := range r.allow {
		if re.MatchString(string(s[sp.start:sp.end])) {
			return true
		}
	}
	return false
}
