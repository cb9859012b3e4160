package main

import (
	"slices"
	"strings"
)

// lookup returns the type with a name. It also finds a qualified name by its last parts, since files import each other
// under names of their own.
func (d declarations) lookup(name string) *shape {
	for {
		if s := d[name]; s != nil {
			return s
		}
		_, rest, ok := strings.Cut(name, ".")
		if !ok {
			return nil
		}
		name = rest
	}
}

// object is one of the objects that a type can be: its members, from all parts of an intersection.
type object map[string][]*shape

// maxObjects limits the objects of one type; a union of unions can have very many.
const maxObjects = 10_000

// objects returns the objects that a type can be.
func (d declarations) objects(s *shape) []object {
	q := query{declarations: d, known: map[*shape][]object{}}
	return q.objects(s)
}

// query is one search for the objects of a type. It visits each type once: within itself a type is empty.
type query struct {
	declarations
	known map[*shape][]object
}

func (q *query) objects(s *shape) []object {
	if s == nil || s == other {
		return nil
	}
	if all, seen := q.known[s]; seen {
		return all
	}
	q.known[s] = nil
	var all []object
	switch s.form {
	case formRef:
		all = q.objects(q.lookup(s.name))
	case formObject:
		o := object{}
		for name, member := range s.members {
			o[name] = []*shape{member}
		}
		all = []object{o}
	case formUnion:
		for _, part := range s.parts {
			if all = append(all, q.objects(part)...); len(all) > maxObjects {
				all = all[:maxObjects]
			}
		}
	case formBoth:
		all = []object{{}}
		for _, part := range s.parts {
			if others := q.objects(part); len(others) > 0 && len(all)*len(others) <= maxObjects {
				all = merge(all, others)
			}
		}
	}
	q.known[s] = all
	return all
}

// merge combines each of some objects with each of others.
func merge(some, others []object) (all []object) {
	for _, a := range some {
		for _, b := range others {
			o := object{}
			for name, members := range a {
				o[name] = slices.Clone(members)
			}
			for name, members := range b {
				o[name] = append(o[name], members...)
			}
			all = append(all, o)
		}
	}
	return all
}

// literals returns the strings that a type can be.
func (d declarations) literals(s *shape) []string {
	var all []string
	seen := map[*shape]bool{}
	var look func(*shape)
	look = func(s *shape) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		switch s.form {
		case formLiteral:
			all = append(all, s.name)
		case formRef:
			look(d.lookup(s.name))
		case formUnion:
			for _, part := range s.parts {
				look(part)
			}
		}
	}
	look(s)
	return all
}

// names returns the strings at a path of members in the objects that a type can be. If a first member must have a value,
// it ignores objects where it cannot.
func (d declarations) names(s *shape, path []string, where map[string]string) (all []string) {
	if len(path) == 0 {
		return d.literals(s)
	}
	for _, o := range d.objects(s) {
		if !d.fits(o, where) {
			continue
		}
		for _, member := range o[path[0]] {
			all = append(all, d.names(member, path[1:], nil)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (d declarations) fits(o object, where map[string]string) bool {
	for name, value := range where {
		if !slices.ContainsFunc(o[name], func(s *shape) bool { return slices.Contains(d.literals(s), value) }) {
			return false
		}
	}
	return true
}

// keys returns the members of the objects that a type can be.
func (d declarations) keys(s *shape) (all []string) {
	for _, o := range d.objects(s) {
		for name := range o {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
