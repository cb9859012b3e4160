package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A program that is published as a bundle of JavaScript has no declarations. Bundlers keep sets of strings and the names of
// methods, so the names are read from these.

// bundle says where the names are in a program's bundle.
type bundle struct {
	set  string // name of a variable that holds a set of strings
	call string // name of a method whose first argument is the name
}

// empty reports whether the names are in declarations instead.
func (b bundle) empty() bool { return b == bundle{} }

// mark returns a text that occurs in every file that contains the names.
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

// names returns the names in the files of a bundle.
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

// member matches a member of a set: a string, or another set that is included.
var member = regexp.MustCompile(`"(\w+)"|\.\.\.(\w+)`)

// addSet adds the strings of a set, and of the sets that it includes. A variable is assigned before it is used.
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

// bundleMarks returns the marks of all checks: only files of a bundle that contain one are kept.
func bundleMarks() (marks []string) {
	for _, c := range checks() {
		if !c.bundle.empty() {
			marks = append(marks, c.bundle.mark())
		}
	}
	return marks
}
