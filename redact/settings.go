package redact

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/tailspan/tailspan/redact/internal/find"
	"github.com/tailspan/tailspan/redact/internal/text"
)

// Settings configures a [Redactor]. The zero value is the default: the built-in shapes and names.
type Settings struct {
	// Rules are patterns of secrets, in addition to the built-in ones.
	Rules []Rule
	// Names are names whose values are secret, in addition to the built-in ones. Case and separators are ignored, and a
	// name matches if the identifier ends with it: "acme_seal", "acme-seal" and "acme seal" all match ACME_SEAL and
	// x-acme-seal.
	Names []string
	// Allow are RE2 patterns of values to keep: a value that one of them matches anywhere is not redacted.
	Allow []string
	// DropInput and DropOutput drop [events.Tool.Input] and [events.Tool.Output] instead of searching them, for consumers
	// that export neither.
	DropInput  bool
	DropOutput bool
	// SkipReasoning and SkipPrompts leave the texts of such events unredacted, for consumers that export only their length.
	SkipReasoning bool
	SkipPrompts   bool
}

// Rule is a pattern of secrets.
type Rule struct {
	// Name is shown in the marker: "acme" gives "[redacted:acme]". It consists of lower-case letters, digits and "-".
	Name string
	// Pattern is an RE2 expression. If it has a group, only the group is the secret; otherwise the whole match is.
	Pattern string
	// Keyword is a string that every match contains. With a keyword, the pattern costs nothing in texts that
	// lack it; without one, the pattern runs over every text.
	Keyword string
}

// Limits of settings.
const (
	minNameLen  = 3
	maxNameLen  = 80
	maxRuleName = 40
)

// Validate reports all errors in s. Errors name the setting but not its value: patterns and names may be secrets
// themselves, and configuration errors are logged.
func (s *Settings) Validate() error {
	_, err := NewRedactor(*s)
	return err
}

// reason returns what is wrong with a pattern, without the pattern itself.
func reason(err error) error {
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		return errors.New(wrong.Code.String())
	}
	return errors.New("not a valid RE2 expression")
}

// rule is a compiled Rule.
type rule struct {
	name, keyword string
	pattern       *regexp.Regexp
}

func compileRules(rules []Rule) ([]rule, error) {
	var out []rule
	var errs []error
	for i, r := range rules {
		if !validRuleName(r.Name) {
			errs = append(errs, fmt.Errorf("rules[%d].name must be 1 to %d of a-z, 0-9 and -, got %d bytes", i, maxRuleName, len(r.Name)))
			continue
		}
		re, err := regexp.Compile(r.Pattern)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("parse rules[%d].pattern: %w", i, reason(err)))
		case re.NumSubexp() > 1:
			errs = append(errs, fmt.Errorf("rules[%d].pattern must have at most one group, got %d", i, re.NumSubexp()))
		case re.MatchString(""):
			errs = append(errs, fmt.Errorf("rules[%d].pattern must not match the empty text", i))
		default:
			out = append(out, rule{name: r.Name, keyword: r.Keyword, pattern: re})
		}
	}
	return out, errors.Join(errs...)
}

// ruleApplies reports whether a rule of the settings matches in s.
func ruleApplies[T text.Bytes](r *Redactor, s T) bool {
	for i := range r.rules {
		u := &r.rules[i]
		switch s := any(s).(type) {
		case string:
			if strings.Contains(s, u.keyword) && u.pattern.MatchString(s) {
				return true
			}
		case []byte:
			if bytes.Contains(s, []byte(u.keyword)) && u.pattern.Match(s) {
				return true
			}
		}
	}
	return false
}

// apply replaces what the rule finds. It keeps a match that is a marker or begins in one, so that a wide
// pattern terminates.
func (u *rule) apply(s string, r *Redactor) (string, int) {
	if !strings.Contains(s, u.keyword) {
		return s, 0
	}
	var b strings.Builder
	last, count := 0, 0
	for _, m := range u.pattern.FindAllStringSubmatchIndex(s, -1) {
		sp := text.Span{Start: m[len(m)-2], End: m[len(m)-1]}
		f := text.Input[string]{S: s}
		if sp.Start < last || sp.End <= sp.Start || f.IsMarker(sp.Start, sp.End) || insideMarker(s, sp) || find.Allows(r.search, s, sp) {
			continue
		}
		b.WriteString(s[last:sp.Start] + text.Marker(u.name))
		last = sp.End
		count++
	}
	if count == 0 {
		return s, 0
	}
	b.WriteString(s[last:])
	return b.String(), count
}

// insideMarker reports whether sp touches a marker that begins before it.
func insideMarker(s string, sp text.Span) bool {
	from := max(0, sp.Start-len(text.MarkerStart)-1-maxRuleName)
	at := strings.LastIndex(s[from:sp.Start+min(len(text.MarkerStart), sp.End-sp.Start)], text.MarkerStart)
	return at >= 0 && !strings.Contains(s[from+at:sp.Start], "]")
}

func validRuleName(s string) bool {
	if s == "" || len(s) > maxRuleName {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-') {
			return false
		}
	}
	return true
}

func compileAllow(patterns []string) ([]*regexp.Regexp, error) {
	var out []*regexp.Regexp
	var errs []error
	for i, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			errs = append(errs, fmt.Errorf("parse allow[%d]: %w", i, reason(err)))
			continue
		}
		out = append(out, re)
	}
	return out, errors.Join(errs...)
}

// compileNames returns the names in the form that Classify compares, and the words to search for: the longest part of each.
func compileNames(names []string) (normal, words []string, err error) {
	var errs []error
	for i, n := range names {
		lower, longest := "", ""
		word := ""
		for j := 0; j <= len(n); j++ {
			if j < len(n) && text.IsAlnum(n[j]) {
				lower += string(text.ToLower(n[j]))
				word += string(text.ToLower(n[j]))
				continue
			}
			if len(word) > len(longest) {
				longest = word
			}
			word = ""
		}
		if len(longest) < minNameLen || len(n) > maxNameLen {
			const short = "names[%d] must have a part of %d letters or more and at most %d bytes, got %d and %d"
			errs = append(errs, fmt.Errorf(short, i, minNameLen, maxNameLen, len(longest), len(n)))
			continue
		}
		normal, words = append(normal, lower), append(words, longest)
	}
	return normal, words, errors.Join(errs...)
}
