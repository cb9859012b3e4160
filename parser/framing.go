package parser

import (
	"bytes"
	"strings"
)

// Framing says what a parser receives as one line: each line of an input, or the whole input. The path decides,
// otherwise the first lines do: pass them to Line one by one until the framing is decided.
//
//	from       on                                            to
//	undecided  a blank line                                  undecided
//	undecided  a line that is an opening bracket alone       opened
//	undecided  any other line                                lines
//	opened     a blank line                                  opened
//	opened     a line that continues the opened value        document
//	opened     any other line: the first one was torn        lines
//
// An input that ends undecided consists of lines.
type Framing uint8

// The framings. A caller only needs to know whether one is Decided and then whether it is FramingDocument.
const (
	FramingUndecided Framing = iota
	framingObject            // "{" was alone
	framingArray             // "[" was alone
	FramingLines
	FramingDocument
)

// documentEndings are the endings of paths that hold one document. Streams and transcripts of lines end in .jsonl.
var documentEndings = [...]string{".json", ".json.gz", ".json.zst"}

// FramingOf decides by the path alone: a known ending means a document, any other is undecided. Standard input is "-".
func FramingOf(path string) Framing {
	path = strings.ToLower(path)
	for _, ending := range documentEndings {
		if strings.HasSuffix(path, ending) {
			return FramingDocument
		}
	}
	return FramingUndecided
}

// IsDocument reports whether a path is that of one document, which its writer may rewrite in place.
func IsDocument(path string) bool { return FramingOf(path) == FramingDocument }

// Decided reports whether the framing is known, so that no more lines are needed.
func (f Framing) Decided() bool { return f == FramingLines || f == FramingDocument }

// Line returns the framing after the next line of the input. The line may include its newline.
func (f Framing) Line(line []byte) Framing {
	if f == FramingUndecided {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	line = bytes.TrimSpace(line)
	if f.Decided() || len(line) == 0 {
		return f
	}
	switch f {
	case framingObject: // a member, or the end; a separate record would begin with a brace
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
