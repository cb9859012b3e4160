package agentstreamreceiver

import (
	"bytes"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/poll/opencodedb"
	"github.com/tailspan/tailspan/tail"
)

// discardReason is why the lines of a stream of no known provider are not exported. Its values are those of the attribute
// reason of the metric of unparsed lines.
type discardReason string

const (
	discardAgentFolder discardReason = "agent_folder" // an agent's bookkeeping contains prompts
	discardLink        discardReason = "outside_link" // a link leads out of the watched folders
	discardSetting     discardReason = "unrecognized" // unrecognized is set to drop
)

// discardMessages are the warnings, one per file.
var discardMessages = map[discardReason]string{
	discardAgentFolder: "skipping unrecognized file in agent folder",
	discardLink:        "skipping unrecognized file behind a link that leaves the watched folder",
	discardSetting:     "skipping unrecognized file",
}

// unrecognized decides, before the first line would be exported, whether the lines of a stream of no known provider are exported.
type unrecognized struct {
	decided bool
	discard discardReason // empty: they are exported
	warned  bool
}

// discards reports whether lines of a stream are dropped, and warns once.
func (u *unrecognized) discards(s *stream, lines int) bool {
	if !u.decided {
		u.decided, u.discard = true, discardReasonOf(s)
	}
	if !u.warned && !s.pipeline.At.Replay {
		u.warned = true
		if u.discard != "" {
			s.receiver.logger.Warn(discardMessages[u.discard], zap.String("path", s.source.path), zap.Int("lines", lines))
		} else if s.source.provider == parser.Auto {
			s.receiver.logger.Warn("no known agent in the first lines of a file, exporting them as tailspan.raw; set provider, or unrecognized: drop",
				zap.String("path", s.source.path), zap.Int("lines", lines))
		}
	}
	return u.discard != ""
}

func discardReasonOf(s *stream) discardReason {
	switch {
	case s.source.outside != nil && s.source.outside():
		return discardLink
	case s.source.provider != parser.None && parser.IsAgents(s.source.path):
		return discardAgentFolder
	case s.receiver.config.Stream.Unrecognized == config.UnrecognizedDrop:
		return discardSetting
	}
	return ""
}

// passedAs returns the reason under which lines of no known provider are counted.
func (u *unrecognized) passedAs() string {
	if u.discard != "" {
		return string(u.discard)
	}
	return events.LinePassed.String()
}

// notParsedDatabase is the reason for bytes of a database, which are not lines.
const notParsedDatabase = "database"

// besideDatabase are the first bytes of the files that SQLite keeps beside a database: the write-ahead log in either byte
// order, and its index (https://sqlite.org/fileformat2.html, https://sqlite.org/walformat.html, 2026-11).
var besideDatabase = [][]byte{{0x37, 0x7f, 0x06, 0x82}, {0x37, 0x7f, 0x06, 0x83}, {0x18, 0xe2, 0x2d, 0x00}}

// isDatabaseContent reports whether a file that begins with head is a file of a database.
func isDatabaseContent(head []byte) bool {
	if opencodedb.Is(head) {
		return true
	}
	for _, magic := range besideDatabase {
		if bytes.HasPrefix(head, magic) {
			return true
		}
	}
	return false
}

// database detects a stream of database bytes under an unusual name.
type database struct{ found bool }

// skips reports whether lines are such bytes. They are skipped and counted, with one warning per file.
func (d *database) skips(s *stream, lines []tail.Line) bool {
	if len(lines) == 0 || s.source.restated {
		return false
	}
	if first := &lines[0]; first.Offset == 0 && isDatabaseContent(first.Data) && !d.found {
		d.found = true
		if opencodedb.Is(first.Data) {
			s.receiver.logger.Warn("skipping SQLite database, which has no lines; list OpenCode's under databases and any other under exclude", zap.String("path", s.source.path))
		}
	}
	if d.found {
		s.receiver.meter.NotParsed(notParsedDatabase, len(lines))
	}
	return d.found
}
