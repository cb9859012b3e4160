package report

import (
	"bytes"
	"encoding/json"
	"strings"
)

// arguments formats the arguments of a call for people: one line for each member of an object, with multi-line texts below. A
// string is shown unquoted, anything else unchanged.
func arguments(input []byte) string {
	var text string
	if json.Unmarshal(input, &text) == nil && len(input) > 0 && input[0] == '"' {
		return text
	}
	d := json.NewDecoder(bytes.NewReader(input))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return string(input)
	}
	var b strings.Builder
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return string(input)
		}
		key, _ := name.(string)
		b.WriteString(key + ":" + argument(value) + "\n")
	}
	if _, err := d.Token(); err != nil || d.More() {
		return string(input)
	}
	return strings.TrimRight(b.String(), "\n")
}

// argument formats a member's value: a string unquoted, anything else as JSON.
func argument(value json.RawMessage) string {
	var text string
	switch {
	case json.Unmarshal(value, &text) != nil || string(value) == "null":
		return " " + string(value)
	case strings.ContainsAny(text, "\r\n"):
		return "\n  " + strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\n", "\n  ")
	default:
		return " " + text
	}
}
