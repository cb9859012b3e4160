package redact

import (
	"errors"
	"strings"
	"sync"

	"github.com/tailspan/tailspan/redact/internal/find"
	"github.com/tailspan/tailspan/redact/internal/secret"
	"github.com/tailspan/tailspan/redact/internal/text"
)

// maxPasses limits the number of passes over a text. Each pass except the last finds something.
const maxPasses = 8

// Redactor removes secrets from texts and events. Any number of goroutines may use one.
type Redactor struct {
	search *find.Search
	rules  []rule

	dropInput, dropOutput      bool
	skipReasoning, skipPrompts bool

	buffers sync.Pool // of *[]byte, for texts without their controls
}

// maxPooled is the maximum size of a buffer that is kept, in bytes.
const maxPooled = 64 << 10

// NewRedactor returns a Redactor. The error joins all errors in the settings.
func NewRedactor(s Settings) (*Redactor, error) {
	rules, errRules := compileRules(s.Rules)
	names, words, errNames := compileNames(s.Names)
	allow, errAllow := compileAllow(s.Allow)
	if err := errors.Join(errRules, errNames, errAllow); err != nil {
		return nil, err
	}
	search, err := find.NewSearch(names, words, allow)
	if err != nil {
		return nil, err
	}
	return &Redactor{
		search: search, rules: rules,
		dropInput: s.DropInput, dropOutput: s.DropOutput, skipReasoning: s.SkipReasoning, skipPrompts: s.SkipPrompts,
	}, nil
}

// String returns s with a marker in place of each secret, or s itself if there is none.
func (r *Redactor) String(s string) string {
	out, _ := r.redact(s, 0, false)
	return out
}

// Bytes returns b with a marker in place of each secret, or b itself if there is none. It does not modify b.
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

// Contains reports whether s contains a secret.
func (r *Redactor) Contains(s string) bool {
	_, n := r.redact(s, 0, false)
	return n > 0
}

// dirty reports whether s may contain a secret. Most texts do not, and nothing else is done with them.
func dirty[T text.Bytes](r *Redactor, s T) bool {
	if len(s) < secret.MinPassword && len(r.rules) == 0 {
		return false
	}
	var f find.Finder[T]
	f.Init(r.search, s, false)
	if isDocument(s) {
		// The strings of a document are searched decoded; this only decides whether to search.
		return f.Anchored() || escapesControl(s) || ruleApplies(r, s)
	}
	_, found := f.Next(0)
	return found || f.Again() || ruleApplies(r, s)
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

// pass searches the text once in each applicable way.
func (r *Redactor) pass(s string, depth int, cut bool) (string, int) {
	if isDocument(s) && depth < maxDepth && validDocument(s) {
		return redactDocument(r, s, depth)
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

// plain replaces what the finder finds. again reports whether the decoded text must be searched too.
func (r *Redactor) plain(s string, cut bool) (out string, count int, again bool) {
	var f find.Finder[string]
	f.Init(r.search, s, cut)
	var b strings.Builder
	last := 0
	for {
		sp, ok := f.Next(last)
		if !ok {
			break
		}
		b.WriteString(s[last:sp.Start])
		b.WriteString(sp.Quote)
		b.WriteString(text.Marker(sp.Kind))
		b.WriteString(sp.Quote)
		last = sp.End
		count++
	}
	if count == 0 {
		return s, 0, f.Again()
	}
	b.WriteString(s[last:])
	return b.String(), count, f.Again()
}
