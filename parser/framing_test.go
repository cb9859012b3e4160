package parser_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/parser"
)

func TestFraming(t *testing.T) {
	for _, tc := range []struct {
		name, path, head string
		want             parser.Framing
	}{
		{name: "path of a document", path: "chats/session-x.json", want: parser.FramingDocument},
		{name: "path of a packed document", path: "session.json.gz", head: `{"type":"init"}`, want: parser.FramingDocument},
		{name: "path in capitals", path: "OUT.JSON", want: parser.FramingDocument},
		{name: "path of lines, content of lines", path: "s.jsonl", head: `{"type":"init"}` + "\n", want: parser.FramingLines},
		{name: "packed lines", path: "s.jsonl.gz", head: `{"type":"init"}` + "\n", want: parser.FramingLines},
		{name: "pretty-printed object", path: "-", head: "{\n  \"a\": 1\n}\n", want: parser.FramingDocument},
		{name: "pretty-printed array", path: "-", head: "[\n  {\n", want: parser.FramingDocument},
		{name: "array of objects at the margin", path: "-", head: "[\n{\"a\":1},\n{\"a\":2}\n]", want: parser.FramingDocument},
		{name: "blank lines and carriage returns before", path: "-", head: "\r\n\n{\r\n\r\n\t\"a\": 1\r\n}", want: parser.FramingDocument},
		{name: "byte order mark", path: "-", head: "\xef\xbb\xbf{\n\"a\": 1}", want: parser.FramingDocument},
		{name: "empty pretty object", path: "-", head: "{\n}\n", want: parser.FramingDocument},
		{name: "whole object on the first line", path: "-", head: "{}\n{}\n", want: parser.FramingLines},
		{name: "first line torn", path: "-", head: "{\"type\":\"in\n{\"type\":\"init\"}\n", want: parser.FramingLines},
		{name: "first line torn behind its brace", path: "-", head: "{\n{\"type\":\"init\"}\n", want: parser.FramingLines},
		{name: "words first", path: "-", head: "Using saved sign-in.\n{\n", want: parser.FramingLines},
		{name: "words behind a bracket", path: "-", head: "[\nwords\n", want: parser.FramingLines},
		{name: "nothing", path: "-", head: "\n\n", want: parser.FramingUndecided},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := parser.FramingOf(tc.path)
			for line := range strings.Lines(tc.head) {
				f = f.Line([]byte(line))
			}
			assert.Equal(t, tc.want, f)
			assert.Equal(t, tc.want != parser.FramingUndecided, f.Decided())
		})
	}
}
