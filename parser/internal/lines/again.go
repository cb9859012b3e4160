package lines

import (
	"bytes"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Again is the last text that a parser made of an id which mostly comes on line after line, or twice on one: that of a
// session, of a call and its result. It makes a text only when another one comes.
type Again struct{ last string }

// Text gives the text of a string value; "" for all other kinds.
func (g *Again) Text(a *scan.Strings, v scan.Value) string {
	body := v.Body()
	switch {
	case len(body) == 0:
		return ""
	case bytes.IndexByte(body, '\\') >= 0: // the text differs from the bytes
		return a.Text(v)
	case string(body) != g.last:
		g.last = a.Text(v)
	}
	return g.last
}
