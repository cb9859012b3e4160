package scan_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

func TestMembers(t *testing.T) {
	var s scan.Scanner
	s.Reset([]byte(`{"a":1,"b":{"a":2},"a":"last","c":null} {"d":[]}`))
	m := s.Members(nil)
	assert.NoError(t, s.Err())
	assert.Len(t, m, 4)
	assert.Equal(t, "last", string(m.Get("a").Body()), "of equal keys the last one counts")
	assert.Equal(t, `{"a":2}`, string(m.Get("b").Raw))
	assert.Equal(t, scan.KindNull, m.Get("c").Kind)
	assert.False(t, m.Get("d").Exists())

	m = s.Members(m)
	assert.Len(t, m, 5, "the next object is appended")
	assert.Equal(t, scan.KindArray, m.Get("d").Kind)
}

func TestMembersOfOtherKinds(t *testing.T) {
	var s scan.Scanner
	assert.Empty(t, s.MembersOf(scan.Value{}, nil))
	assert.Empty(t, s.MembersOf(scan.Value{Kind: scan.KindArray, Raw: []byte(`[{"a":1}]`)}, nil))
	s.Reset([]byte(`[{"a":1}] {"b":2}`))
	assert.Empty(t, s.Members(nil), "what is no object is skipped")
	assert.Len(t, s.Members(nil), 1)
}

func TestMembersAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range scan.MaxMembers + 10 {
		b.WriteString(`,"k` + strconv.Itoa(i) + `":0`)
	}
	var s scan.Scanner
	s.Reset([]byte(`{` + b.String()[1:] + `}{"next":1}`))
	m := s.Members(nil)
	assert.Len(t, m, scan.MaxMembers)
	assert.NoError(t, s.Err(), "all of it is read")
	assert.Equal(t, "1", string(s.Members(nil).Get("next").Raw))
}

func TestFirstAndAnyOf(t *testing.T) {
	var s scan.Scanner
	s.Reset([]byte(`{"id":"own","x":null,"id":"of the API","y":1}`))
	m := s.Members(nil)
	assert.Equal(t, `"own"`, string(m.First("id").Raw))
	assert.Equal(t, `"of the API"`, string(m.Get("id").Raw))
	assert.Equal(t, "1", string(m.AnyOf("none", "x", "y").Raw))
	assert.False(t, m.AnyOf("none", "x").Exists())
	assert.False(t, m.First("none").Exists())
}
