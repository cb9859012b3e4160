package parser

import (
	"bytes"
	"strings"
)

// Framing is what the parser of an input receives as one line: each of its lines, or all of it. It is found by the path,
// else by the first lines, which are passed to Line one after the other until it is decided.
//
//	from       on                                            to
//	undecided  a blank line                                  undecided
//	undecided  a line that is an opening bracket alone       opened
//	undecided  any other line                                lines
//	opened     a blank line                                  opened
//	opened     a line that goes on with what was opened      document
//	opened     any other line: the first one was torn        lines
//
// An input that ends undecided is lines.
type Framing uint8

// The framings. A caller needs to know only whether it is Decided, and then whether it is FramingDocument.
const (
	FramingUndecided Framing = iota
	framingObject            // "{" was alone
	framingArray             // "[" was alone
	FramingLines
	FramingDocument
)

// documentEndings are those of paths that hold one document. Streams and transcripts of lines end in .jsonl.
var documentEndings = [...]string{".json", ".json.gz", ".json.zst"}

// FramingOf decides by the path alone: a document by its ending, else undecided. Standard input has the path "-".
func FramingOf(path string) Framing {
	path = strings.ToLower(path)
	for _, ending := range documentEndings {
		if strings.HasSuffix(path, ending) {
			return FramingDocument
		}
	}
	return FramingUndecided
}

// Decided reports whether no more lines are needed.
func (f Framing) Decided() bool { return f == FramingLines || f == FramingDocument }

// Line is the framing after the next line of the input, with or without its newline.
func (f Framing) Line(line []byte) Framing {
	if f == FramingUndecided {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	line = bytes.TrimSpace(line)
	if f.Decided() || len(line) == 0 {
		return f
	}
	switch f {
	case framingObject: // a member, or the end; a line of its own would begin with a brace
		return f.when(line[0] == '"' || line[0] == '}')
	case framingArray: // an element, or the end
		return f.when(bytes.IndexByte([]byte(`{["]-0123456789tfn`), line[0]) >= 0)
	}
	switch string(line) {
	case "{":
		return framingObject
	case "[":
		return framingArray
	}
	return FramingLines
}

func (Framing) when(document bool) Framing {
	if document {
		return FramingDocument
	}
	return FramingLines
}
