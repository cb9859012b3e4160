package telemetry

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// ParseTraceParent reads a traceparent value (W3C Trace Context, level 1): "00-{trace id}-{span id}-{flags}". A version
// that we do not know is read like 00, as the specification asks. An empty value is no parent. Errors don't show the value,
// since somebody may have put something else there.
func ParseTraceParent(value string) (Parent, error) {
	if value == "" {
		return Parent{}, nil
	}
	parts := strings.Split(value, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || len(parts[1]) != 32 || len(parts[2]) != 16 || len(parts[3]) != 2 ||
		parts[0] == "ff" || parts[0] == "00" && len(parts) != 4 {
		return Parent{}, fmt.Errorf("parse traceparent: want 00-<32 hex digits>-<16 hex digits>-<2 hex digits>, got %d bytes in %d parts", len(value), len(parts))
	}
	var p Parent
	for _, field := range []struct {
		into []byte
		text string
	}{{p.TraceID[:], parts[1]}, {p.SpanID[:], parts[2]}, {make([]byte, 1), parts[3]}} {
		if strings.ToLower(field.text) != field.text {
			return Parent{}, errors.New("parse traceparent: hex digits must be lower case")
		}
		if _, err := hex.Decode(field.into, []byte(field.text)); err != nil {
			return Parent{}, errors.New("parse traceparent: ids must be hex digits")
		}
	}
	if p.Empty() {
		return Parent{}, errors.New("parse traceparent: ids of zeros only")
	}
	return p, nil
}
