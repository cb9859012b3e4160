// Package fields reads the objects of a format whose keys are known into variables, as package flag reads a command line.
//
// A [Table] is made once, of pairs of a path and a target:
//
//	fields.New("id", &r.id, "time.start", &r.start, "input", &r.input, "part", r.readPart)
//
// The part of a path behind a dot is a key of the object before it. A target is a *scan.Value, a *scan.Members for the
// members of an object, or a func(*scan.Scanner) that takes the value. What has no target is skipped; where the value before
// a dot is no object, the targets behind it stay as they are. One goroutine at a time.
package fields

import (
	"fmt"
	"strings"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Table says where the values of an object go.
type Table struct {
	list   []field
	places [slots]uint8 // places in list, counted from 1
}

type field struct {
	name    string
	value   *scan.Value
	members *scan.Members
	take    func(*scan.Scanner)
	in      *Table
}

// slots is the size of the table of names; an object of a format has half as many keys at most.
const slots = 64

// New makes a Table of pairs of a path and a target.
func New(pairs ...any) *Table {
	f := &Table{}
	for i := 0; i < len(pairs); i += 2 {
		f.add(pairs[i].(string), pairs[i+1])
	}
	return f
}

func (f *Table) add(path string, target any) {
	name, rest, nested := strings.Cut(path, ".")
	to := f.find([]byte(name))
	if to == nil {
		at := slotOf([]byte(name))
		for f.places[at] != 0 {
			at = (at + 1) % slots
		}
		f.list = append(f.list, field{name: name})
		f.places[at] = uint8(len(f.list))
		to = &f.list[len(f.list)-1]
	}
	if nested {
		if to.in == nil {
			to.in = &Table{}
		}
		to.in.add(rest, target)
		return
	}
	switch target := target.(type) {
	case *scan.Value:
		to.value = target
	case *scan.Members:
		to.members = target
	case func(*scan.Scanner):
		to.take = target
	default:
		panic(fmt.Sprintf("fields: path %q has a target of type %T", path, target))
	}
}

func slotOf(name []byte) uint {
	n := len(name)
	if n == 0 {
		return 0
	}
	return (uint(n) + 5*uint(name[0]) + 11*uint(name[n-1])) % slots
}

func (f *Table) find(name []byte) *field {
	for at := slotOf(name); f.places[at] != 0; at = (at + 1) % slots {
		if to := &f.list[f.places[at]-1]; to.name == string(name) {
			return to
		}
	}
	return nil
}

// Read takes the object that comes next; anything else is skipped, and it reports false.
func (f *Table) Read(s *scan.Scanner) bool {
	if !scan.Enter(s) {
		return false
	}
	for s.Key() {
		to := f.find(s.Name())
		switch {
		case to == nil:
			s.Skip()
		case to.take != nil:
			to.take(s)
		case (to.in != nil || to.members != nil) && s.Peek() == scan.KindObject:
			to.object(s)
		case to.value != nil:
			*to.value = s.Value()
		default:
			s.Skip()
		}
	}
	return true
}

// object takes an object whose members are wanted.
func (to *field) object(s *scan.Scanner) {
	start := s.Offset()
	if to.in != nil {
		to.in.Read(s)
	} else {
		*to.members = s.Members((*to.members)[:0])
	}
	if to.value != nil {
		*to.value = scan.Value{Kind: scan.KindObject, Raw: s.Since(start)}
	}
}
