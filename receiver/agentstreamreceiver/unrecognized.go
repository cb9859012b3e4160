package agentstreamreceiver

import (
	"bytes"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/files/lines"
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
func (u *unrecognized) discards(s *stream, count int) bool {
	if !u.decided {
		u.decided, u.discard = true, discardReasonOf(s)
	}
	if !u.warned && !s.pipeline.At.Replay {
		u.warned = true
		if u.discard != "" {
			s.receiver.logger.Warn(discardMessages[u.discard], zap.String("path", s.source.path), zap.Int("lines", count))
		} else if s.source.provider == parser.Auto {
			s.receiver.logger.Warn("no known agent in the first lines of a file, exporting them as tailspan.raw; set provider, or unrecognized: drop",
				zap.String("path", s.source.path), zap.Int("lines", count))
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

// The reasons for streams that are not lines of UTF-8.
const (
	notParsedDatabase = "database"
	notParsedUTF16    = "utf16"
)

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

// foreign detects a stream that is not lines of UTF-8: bytes of a database under an unusual name, or UTF-16.
type foreign struct{ reason string }

// skips reports whether lines are of such a stream. They are skipped and counted, with one warning per file.
func (f *foreign) skips(s *stream, in []tail.Line) bool {
	if f.reason == "" && len(in) > 0 && in[0].Offset == 0 {
		f.detect(s, in[0].Data)
	}
	if f.reason == "" {
		return false
	}
	if len(in) > 0 && !in[0].Replayed {
		s.receiver.meter.NotParsed(f.reason, len(in))
	}
	return true
}

func (f *foreign) detect(s *stream, head []byte) {
	path := zap.String("path", s.source.path)
	switch {
	case lines.IsUTF16(head):
		f.reason = notParsedUTF16
		s.receiver.logger.Warn("skipping input in UTF-16, as > of Windows PowerShell writes it", path, zap.String("advice", lines.AdviceUTF16))
	case !s.source.restated && isDatabaseContent(head):
		f.reason = notParsedDatabase
		if opencodedb.Is(head) {
			s.receiver.logger.Warn("skipping SQLite database, which has no lines; list OpenCode's under databases and any other under exclude", path)
		}
	}
}
