package agentstreamreceiver

import (
	"bytes"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/poll/opencodedb"
	"github.com/tailspan/tailspan/tail"
)

// notParsedDatabase is the reason for bytes of a database that are no lines.
const notParsedDatabase = "database"

// besideDatabase are the beginnings of the files that SQLite keeps beside a database: its write-ahead log in either byte
// order, and the index of that (https://sqlite.org/fileformat2.html, https://sqlite.org/walformat.html, 2026-11).
var besideDatabase = [][]byte{{0x37, 0x7f, 0x06, 0x82}, {0x37, 0x7f, 0x06, 0x83}, {0x18, 0xe2, 0x2d, 0x00}}

// isDatabaseContent recognises a file of a database by its beginning.
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

// skipDatabase reports whether the lines are bytes of a database under a name of its own. Those are skipped and counted, with
// one warning per file.
func (s *stream) skipDatabase(lines []tail.Line) bool {
	if len(lines) == 0 || s.source.restated {
		return false
	}
	if first := &lines[0]; first.Offset == 0 && isDatabaseContent(first.Data) && !s.database {
		s.database = true
		if opencodedb.Is(first.Data) {
			s.receiver.logger.Warn("skipping SQLite database, which has no lines; list OpenCode's under databases and any other under exclude", zap.String("path", s.source.path))
		}
	}
	if s.database {
		s.receiver.meter.notParsed(notParsedDatabase, len(lines))
	}
	return s.database
}
