// Package fields reads objects with known keys into variables, as package flag reads a command line.
//
// Create a [Table] once, from pairs of a path and a target:
//
//	fields.New("id", &r.id, "time.start", &r.start, "input", &r.input, "part", r.readPart)
//
// After a dot, a path names a key of the object before the dot. A target is a *scan.Value, a *scan.Members for the members of
// an object, or a func(*scan.Scanner) that reads the value. A path may have a *scan.Value in addition to *scan.Members or to
// paths with a dot. Values without a target are skipped, or appended to the *scan.Members of the path "*". If the value
// before a dot is not an object, the targets after the dot are unchanged. A Table must be used by one goroutine at a time.
package fields

import (
	"fmt"
	"strings"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Table maps the keys of an object to targets.
type Table struct {
	list   []field
	places [slots]uint8 // indexes into list, counted from 1
	rest   *scan.Members
}

type field struct {
	name    string
	take    func(*scan.Scanner)
	value   *scan.Value
	members *scan.Members
	in      *Table
}

// slots is the size of the hash table of names; at most half of it is used.
const slots = 64

// New returns a Table from pairs of a path and a target.
func New(pairs ...any) *Table {
	t := &Table{list: make([]field, 0, len(pairs)/2)}
	for i := 0; i < len(pairs); i += 2 {
		t.add(pairs[i].(string), pairs[i+1])
	}
	return t
}

func (t *Table) add(path string, to any) {
	if path == "*" {
		t.rest = to.(*scan.Members)
		return
	}
	name, rest, nested := strings.Cut(path, ".")
	f := t.find([]byte(name))
	if f == nil {
		at := slotOf([]byte(name))
		for t.places[at] != 0 {
			at = (at + 1) % slots
		}
		t.list = append(t.list, field{name: name})
		t.places[at] = uint8(len(t.list))
		f = &t.list[len(t.list)-1]
	}
	if nested {
		if f.in == nil {
			f.in = &Table{}
		}
		f.in.add(rest, to)
		return
	}
	switch to := to.(type) {
	case *scan.Value:
		f.value = to
	case *scan.Members:
		f.members = to
	case func(*scan.Scanner):
		f.take = to
	default:
		panic(fmt.Sprintf("fields: path %q has a target of type %T", path, to))
	}
}

// slotOf returns the first slot of a name.
func slotOf(name []byte) uint {
	n := len(name)
	if n == 0 {
		return 0
	}
	return (uint(n) + 5*uint(name[0]) + 11*uint(name[n-1])) % slots
}

func (t *Table) find(name []byte) *field {
	for at := slotOf(name); t.places[at] != 0; at = (at + 1) % slots {
		if f := &t.list[t.places[at]-1]; f.name == string(name) {
			return f
		}
	}
	return nil
}

// Read reads the next value if it is an object. It skips any other value and returns false.
func (t *Table) Read(s *scan.Scanner) bool {
	if !scan.Enter(s) {
		return false
	}
	for s.Key() {
		f := t.find(s.Name())
		switch {
		case f == nil && t.rest == nil:
			s.Skip()
		case f == nil:
			*t.rest = s.Keep(*t.rest)
		case f.take != nil:
			f.take(s)
		case (f.in != nil || f.members != nil) && s.Peek() == scan.KindObject:
			f.object(s)
		case f.value != nil:
			*f.value = s.Value()
		default:
			s.Skip()
		}
	}
	return true
}

// object reads an object whose members are wanted.
func (f *field) object(s *scan.Scanner) {
	start := s.Offset()
	if f.in != nil {
		f.in.Read(s)
	} else {
		*f.members = s.Members((*f.members)[:0])
	}
	if f.value != nil {
		*f.value = scan.Value{Kind: scan.KindObject, Raw: s.Since(start)}
	}
}
