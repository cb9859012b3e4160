// Package scan reads one line of JSON in one pass, without allocation.
//
// In goes the line, out come raw spans of it: keys and values as they stand, still escaped. A [Scanner] is a cursor
// that the caller pulls through the document: it steps into the objects and arrays that it wants and takes all others
// as one span. Since keys come in any order, a parser collects the spans that it may need on the way, and looks at them
// when the line has proved whole; nothing is read twice.
//
//	var s scan.Scanner
//	s.Reset(line)
//	for s.Object(); s.Key(); {
//		switch string(s.Name()) {
//		case "type":
//			kind = s.Value()
//		default:
//			s.Skip()
//		}
//	}
//	whole := s.Err() == nil
//
// A [Quoted] reads the members of an object whose JSON is the text of a string in the line, where it stands.
//
// # What is checked
//
// Structure, balance, literals and the shape of numbers are checked everywhere, in skipped values too, to any depth: a
// model can write arguments that are nested deeper than the 10,000 levels of encoding/json, and such a call is a call all
// the same. The inside of strings is not checked: a raw control character or an escape that JSON does not know
// passes. So every line that encoding/json holds valid is read, with the same spans, and every line that is refused here
// is refused there; fuzz tests hold both. Torn lines are always refused.
//
// # Lifetime
//
// Spans point into the line and live as long as it does. [AppendString] and the conversions of [Strings] give memory of
// their own.
//
// # Speed
//
// An index holds the offsets of the quotes that end a string, 512 bytes at a time. It holds the ends of many short strings,
// so that finding one takes no loop whose end the processor has to guess. Quotes and backslashes are marked 64 bytes at
// once: by SSE2 on amd64 and NEON on arm64, and on all other processors (and with the build tag purego) by plain Go on words
// of eight bytes, with the same marks. Which quotes are escaped is worked out of the marks of a block, not by looking back.
// Skipping a container takes no recursion and, to a depth of 64, no allocation: the kinds of its open brackets are bits
// in the Scanner. Texts are made by the same marks, and [TextLen] counts what [AppendString] would make without making it.
package scan
