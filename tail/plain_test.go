package tail_test

import "github.com/tailspan/tailspan/internal/files/abridge"

// kept is what is kept of a line over the limit.
func kept(line string) string {
	var a abridge.Abridger
	a.Reset()
	a.Write([]byte(line))
	short, ok := a.Line()
	if !ok {
		return ""
	}
	return string(short)
}
