package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A program that is published as a bundle of JavaScript has no declarations. Bundlers leave sets of strings, and the names of
// methods, as they are: names are read from these.

// bundle says where in a program's bundle the names stand.
type bundle struct {
	set  string // a variable that holds a set of strings
	call string // a method whose first argument is the name
}

// empty reports whether there are no names here, since declarations have them.
func (b bundle) empty() bool { return b == bundle{} }

// mark is a text that every file has which holds the names.
func (b bundle) mark() string {
	if b.set != "" {
		return b.set + " = "
	}
	return b.call + "("
}

func (b bundle) String() string {
	if b.set != "" {
		return b.set
	}
	return b.call + "()"
}

// names are those in the files of a bundle.
func (b bundle) names(files map[string]string) ([]string, error) {
	found := map[string]bool{}
	for _, source := range files {
		if b.set != "" {
			addSet(found, source, b.set)
		} else {
			for _, m := range regexp.MustCompile(regexp.QuoteMeta(b.call)+`\(\s*"(\w+)"`).FindAllStringSubmatch(source, -1) {
				found[m[1]] = true
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s names nothing", b)
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// member is one of a set: a string, or another set that it takes in.
var member = regexp.MustCompile(`"(\w+)"|\.\.\.(\w+)`)

// addSet adds the strings of a set, and of those that it takes in; a variable is assigned before it is used.
func addSet(found map[string]bool, source, name string) {
	before, rest, _ := strings.Cut(source, " "+name+" = ")
	_, rest, _ = strings.Cut(rest, "new Set([")
	list, _, _ := strings.Cut(rest, "])")
	for _, m := range member.FindAllStringSubmatch(list, -1) {
		if m[1] != "" {
			found[m[1]] = true
		} else {
			addSet(found, before, m[2])
		}
	}
}

// bundleMarks are the marks of all checks: of a bundle no other files are kept.
func bundleMarks() (marks []string) {
	for _, c := range checks() {
		if !c.bundle.empty() {
			marks = append(marks, c.bundle.mark())
		}
	}
	return marks
}
