// Package scan reads one line of JSON in one pass, without allocation.
//
// The results are raw spans of the line: keys and values, still escaped. A [Scanner] is a cursor that the caller moves
// through the document. It enters the objects and arrays that the caller wants and returns all others as one span.
// Since keys come in any order, a parser collects the spans that it may need and interprets them after the whole line
// has proved valid. Nothing is scanned twice.
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
// A [Quoted] reads the members of an object whose JSON is the text of a string in the line, without unescaping all of it.
//
// # What is checked
//
// Structure, balance, literals and the shape of numbers are checked everywhere, including in skipped values, to any
// depth: a model can write arguments that are nested deeper than the 10,000 levels of encoding/json, and such a call must
// be reported too. The inside of strings is not checked: a raw control character or an unknown escape passes. Therefore
// every line that encoding/json accepts is read, with the same spans, and every line that is rejected here is rejected
// there; fuzz tests check both. Torn lines are always rejected.
//
// # Lifetime
//
// Spans point into the line and are valid as long as it is. The results of [AppendString] and of the conversions of
// [Strings] are copies.
//
// # Speed
//
// An index marks the unescaped quotes of 512 bytes at a time. It covers many short strings, so that finding the end of one
// needs no loop with an unpredictable end. Quotes and backslashes are marked 64 bytes at a time: with SSE2 on amd64 and NEON
// on arm64, and on other processors (or with the build tag purego) in plain Go on words of eight bytes, with the same
// result. The marks of a block show which quotes are escaped, without looking back. Skipping a container needs no recursion
// and, to a depth of 64, no allocation: bits in the Scanner hold the kinds of the open brackets. Texts are decoded with the
// same marks. [TextLen] returns the length of the result of [AppendString] without decoding.
package scan
