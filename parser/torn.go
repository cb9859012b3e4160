package parser

import (
	"bytes"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
)

// mend adds to the events of a torn line those of the whole records that follow. Both count as lines; the status is that
// of the torn record.
func (s *Source) mend(line []byte, torn []events.DisplayEvent) []events.DisplayEvent {
	at := lines.BehindTorn(line)
	if at == len(line) {
		return torn
	}
	s.mended = s.mended[:0]
	for _, e := range torn {
		e.Tool.Output = bytes.Clone(e.Tool.Output) // the parser's next line would overwrite it
		s.mended = append(s.mended, e)
	}
	s.stats.Lines++
	s.mended = append(s.mended, s.parseWhole(line[at:])...)
	s.status = events.LineMalformed
	return s.mended
}
