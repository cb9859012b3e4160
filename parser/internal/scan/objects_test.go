package scan_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

func TestObjects(t *testing.T) {
	var s scan.Scanner
	var m scan.Members
	for _, tt := range []struct {
		name, list, want string
	}{
		{"objects among others", `[{"a":1},2,[3],{"a":4}]`, "14"},
		{"no list", `{"a":1}`, ""},
		{"torn", `[{"a":1},{"a"`, "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, got := scan.Value{Kind: scan.KindArray, Raw: []byte(tt.list)}, ""
			if tt.list[0] == '{' {
				v.Kind = scan.KindObject
			}
			for object := range scan.Objects(&s, v, &m) {
				got += string(object.Get("a").Raw)
			}
			assert.Equal(t, tt.want, got)
		})
	}
}
