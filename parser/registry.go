package parser

import (
	"fmt"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/claude"
)

// The names that stand for no provider of their own.
const (
	// Auto finds out who wrote the stream.
	Auto = "auto"
	// None passes all lines on as they are.
	None = "none"
)

// provider is one entry of the registry.
type provider struct {
	name   string
	new    func() events.DisplayEventSource
	detect func(firstLines [][]byte) bool
}

// providers are asked in this order, so one that writes a form of another's format stands before it.
var providers = [...]provider{
	{claude.Name, func() events.DisplayEventSource { return claude.New() }, claude.Detect},
}

// Names lists what New accepts: the providers, then "auto" and "none".
func Names() []string {
	names := make([]string, 0, len(providers)+2)
	for _, p := range providers {
		names = append(names, p.name)
	}
	return append(names, Auto, None)
}

// New returns the source for one stream of a provider, or of "auto" or "none".
func New(name string) (*Source, error) {
	switch name {
	case Auto:
		return &Source{state: stateUndecided}, nil
	case None:
		return &Source{state: statePassing}, nil
	}
	for _, p := range providers {
		if p.name == name {
			return &Source{state: stateParsing, provider: p.name, parser: p.new()}, nil
		}
	}
	return nil, fmt.Errorf("provider %q is not known, want one of %s", name, strings.Join(Names(), ", "))
}

// Detect tells from the first lines of a stream who wrote it.
func Detect(lines [][]byte) (name string, ok bool) {
	for _, p := range providers {
		if p.detect(lines) {
			return p.name, true
		}
	}
	return "", false
}

// newParser returns the parser of a provider that Detect named.
func newParser(name string) events.DisplayEventSource {
	for _, p := range providers {
		if p.name == name {
			return p.new()
		}
	}
	return nil
}
