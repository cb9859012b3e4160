package config

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Values of Identity.InBand.
const (
	InBandOff      = "off"
	InBandIdentity = "identity"
	InBandAll      = "all"
)

// Limits of an in-band line. Its attributes are on every span and record of the stream.
const (
	maxInBandAttributes = 64
	maxInBandBytes      = 1 << 10 // of an attribute: key and value together
)

// InBand is what the first line of a stream may set, in our own format:
//
//	{"type":"tailspan","attributes":{"cicd.pipeline.name":"nightly"},"traceparent":"00-..."}
//
// It is for runners that write a step's file themselves. Settings and path take precedence over it. The writer of the stream
// also writes this line, so [InBand.Allowed] limits what it may set.
type InBand struct {
	// Attributes are resource attributes.
	Attributes map[string]string
	// TraceParent is the parent span of the stream's work.
	TraceParent string
}

// ParseInBand parses the first line of a stream; ok is false for any other kind of line.
func ParseInBand(line []byte) (in InBand, ok bool) {
	if !bytes.Contains(line, []byte(`"tailspan"`)) {
		return InBand{}, false // nearly every line: one search, no parsing
	}
	var read struct {
		Type        string         `json:"type"`
		Attributes  map[string]any `json:"attributes"`
		TraceParent string         `json:"traceparent"`
	}
	if json.Unmarshal(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), &read) != nil || read.Type != "tailspan" {
		return InBand{}, false
	}
	in.TraceParent = read.TraceParent
	in.Attributes = make(map[string]string, len(read.Attributes))
	for key, value := range read.Attributes {
		switch v := value.(type) {
		case string:
			in.Attributes[key] = v
		case nil:
		default: // a run ID may be written as a number
			if raw, err := json.Marshal(v); err == nil {
				in.Attributes[key] = string(raw)
			}
		}
	}
	return in, true
}

// Allowed returns what a mode allows of the line, and how many of its attributes (including the parent) it drops: those that
// the mode does not allow, those longer than 1 KiB, and those above 64. Identity attributes take precedence over others; each
// group is sorted by key.
func (in InBand) Allowed(mode string) (allowed InBand, dropped int) {
	dropped = len(in.Attributes)
	if mode != InBandOff {
		allowed.TraceParent = in.TraceParent
	} else if in.TraceParent != "" {
		dropped++
	}
	allowed.Attributes = make(map[string]string, min(len(in.Attributes), maxInBandAttributes))
	take := func(keys []string) {
		for _, key := range keys {
			value := in.Attributes[key]
			if len(allowed.Attributes) < maxInBandAttributes && len(key)+len(value) <= maxInBandBytes {
				allowed.Attributes[key] = value
				dropped--
			}
		}
	}
	if mode != InBandOff {
		others := slices.Sorted(maps.Keys(in.Attributes))
		identity := slices.DeleteFunc(slices.Clone(others), func(key string) bool { return !identifies(key) })
		take(identity)
		if mode == InBandAll {
			take(slices.DeleteFunc(others, identifies))
		}
	}
	return allowed, dropped
}

// identifies reports whether an attribute is part of the identity of a stream.
func identifies(key string) bool {
	return strings.HasPrefix(key, "cicd.") || strings.HasPrefix(key, "vcs.") || key == "gen_ai.agent.name"
}
