// Package usage reads the usage objects of providers. It maps their keys to counts.
//
// A provider has a [Map] for each form of its usage objects. It converts the [Counts] into the arithmetic that all
// providers share with its own equation: input includes cached tokens, output includes reasoning.
package usage

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Field is a count of a usage object.
type Field uint8

// The counts. Those up to Reasoning correspond to fields of events.Tokens.
const (
	Input Field = iota
	Output
	CacheRead
	CacheWrite
	CacheWrite5m
	CacheWrite1h
	Reasoning
	Total
	Prompt // input, if a format has two counts of it
	Tool   // input of tools that run on the server
	fieldEnd
)

// Map maps keys to counts. A key of a nested object is written with the key of that object and a dot: "cache.read".
type Map map[string]Field

// maxKey is the maximum length of a nested key in a map, in bytes.
const maxKey = 96

// Counts holds the counts of one usage object.
type Counts struct {
	count [fieldEnd]int64
	has   uint16
}

// Of returns a count, or 0 if the object lacks it.
func (c *Counts) Of(f Field) int64 { return c.count[f] }

// Has reports whether the object has the count f.
func (c *Counts) Has(f Field) bool { return c.has&(1<<f) != 0 }

// Tokens returns the counts in the provider's own arithmetic.
func (c *Counts) Tokens() events.Tokens {
	return events.Tokens{
		Input: c.count[Input], Output: c.count[Output], CacheRead: c.count[CacheRead], CacheWrite: c.count[CacheWrite],
		CacheWrite5m: c.count[CacheWrite5m], CacheWrite1h: c.count[CacheWrite1h], Reasoning: c.count[Reasoning],
	}
}

func (c *Counts) set(f Field, n int64) {
	c.count[f] = n
	c.has |= 1 << f
}

// Read reads the usage object that is next in s. It skips any other value and returns false.
func (m Map) Read(s *scan.Scanner) (c Counts, ok bool) {
	if s.Peek() != scan.KindObject {
		s.Skip()
		return c, false
	}
	for s.Object(); s.Key(); {
		m.Key(s, &c)
	}
	return c, true
}

// Key reads the value of the current key of s, or skips it if the key is not in the map.
func (m Map) Key(s *scan.Scanner, c *Counts) {
	if f, ok := m[string(s.Name())]; ok {
		c.set(f, s.Count())
		return
	}
	if s.Peek() != scan.KindObject {
		s.Skip()
		return
	}
	var buf [maxKey]byte
	prefix := append(append(buf[:0], s.Name()...), '.')
	for s.Object(); s.Key(); {
		if f, ok := m[string(append(prefix, s.Name()...))]; ok {
			c.set(f, s.Count())
		} else {
			s.Skip()
		}
	}
}

// Members returns the counts among the members of an object.
func (m Map) Members(of scan.Members) (c Counts) {
	for i := range of {
		if f, ok := m[string(of[i].Name)]; ok {
			c.set(f, of[i].Value.Count())
		}
	}
	return c
}
