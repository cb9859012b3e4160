package config

import (
	"bytes"
	"encoding/json"
)

// InBand is what the first line of a stream may tell of it in our own words:
//
//	{"type":"tailspan","attributes":{"cicd.pipeline.name":"nightly"},"traceparent":"00-..."}
//
// It is for runners that write a step's file themselves. Settings and path have precedence over it.
type InBand struct {
	// Attributes are resource attributes.
	Attributes map[string]string
	// TraceParent is the span that the stream's work hangs under.
	TraceParent string
}

// ParseInBand reads a stream's first line; ok is false for a line of any other kind.
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
		default: // a run id may be written as a number
			if raw, err := json.Marshal(v); err == nil {
				in.Attributes[key] = string(raw)
			}
		}
	}
	return in, true
}
