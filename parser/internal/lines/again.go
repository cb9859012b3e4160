package lines

import (
	"bytes"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Again caches the text of an ID that usually repeats from line to line or within a line: that of a session, or of a
// call and its result. It creates a new string only if the ID changes.
type Again struct{ last string }

// Text returns the text of a string value, and "" for all other kinds.
func (g *Again) Text(a *scan.Strings, v scan.Value) string {
	body := v.Body()
	switch {
	case len(body) == 0:
		return ""
	case bytes.IndexByte(body, '\\') >= 0: // escaped: the text differs from the bytes
		return a.Text(v)
	case string(body) != g.last:
		g.last = a.Text(v)
	}
	return g.last
}
