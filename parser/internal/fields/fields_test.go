package fields_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/parser/internal/fields"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

func TestTable(t *testing.T) {
	var id, input, start, end, time scan.Value
	var args scan.Members
	taken := 0
	f := fields.New(
		"id", &id, "time", &time, "time.start", &start, "time.at.end", &end, "input", &input, "input", &args,
		"part", func(s *scan.Scanner) { taken++; s.Skip() },
	)
	tests := []struct {
		name, line                  string
		object                      bool
		id, start, end, time, input string
		args, taken                 int
		malformed                   bool
	}{
		{name: "all", line: `{"x":[{}],"id":"a","time":{"start":1,"at":{"end":2}},"part":{"id":"b"},"input":{"k":1,"l":{}}}`, object: true,
			id: `"a"`, start: `1`, end: `2`, time: `{"start":1,"at":{"end":2}}`, input: `{"k":1,"l":{}}`, args: 2, taken: 1},
		{name: "no object where one is", line: `{"time":7,"input":"text","id":{}}`, object: true, id: `{}`, time: `7`, input: `"text"`},
		{name: "equal keys", line: `{"id":1,"id":2}`, object: true, id: `2`},
		{name: "no object", line: `["id"]`},
		{name: "torn", line: `{"id":"a","time":{"start":1`, object: true, id: `"a"`, start: `1`, malformed: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			id, input, start, end, time, args, taken = scan.Value{}, scan.Value{}, scan.Value{}, scan.Value{}, scan.Value{}, args[:0], 0
			var s scan.Scanner
			s.Reset([]byte(tt.line))
			assert.Equal(t, tt.object, f.Read(&s))
			assert.Equal(t, tt.malformed, s.Err() != nil)
			if tt.malformed {
				return
			}
			got := []string{string(id.Raw), string(start.Raw), string(end.Raw), string(time.Raw), string(input.Raw)}
			assert.Equal(t, []string{tt.id, tt.start, tt.end, tt.time, tt.input}, got)
			assert.Equal(t, tt.args, len(args))
			assert.Equal(t, tt.taken, taken)
		})
	}
}
