package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func source(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("testdata/types.d.ts")
	require.NoError(t, err)
	return string(data)
}

func TestNames(t *testing.T) {
	d := declare(source(t))
	for _, tc := range []struct {
		name, root string
		path       []string
		where      map[string]string
		want       []string
	}{
		{name: "types of a union", root: "Message", path: []string{"type"}, want: []string{"assistant", "notice", "system", "user"}},
		{name: "subtypes of one type", root: "Message", path: []string{"subtype"}, where: map[string]string{"type": "system"}, want: []string{"boundary", "init"}},
		{name: "all subtypes", root: "Message", path: []string{"subtype"}, want: []string{"boundary", "init", "not_of_system"}},
		{name: "an enum among literals", root: "Status", want: []string{"notice", "later", "done"}},
		{name: "a type that names itself", root: "Loop", path: []string{"type"}, want: []string{"loop"}},
		{name: "below members", root: "Bus", path: []string{"payload", "type"}, want: []string{"plain.event", "sync"}},
		{name: "further below", root: "Bus", path: []string{"payload", "inner", "type"}, want: []string{"kept.event.1"}},
		{name: "no array's element", root: "AssistantMessage", path: []string{"content", "type"}},
		{name: "no such member", root: "Message", path: []string{"nothing"}},
	} {
		t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.want, d.names(d[tc.root], tc.path, tc.where)) })
	}
	assert.Equal(t, []string{"extra", "message", "on", "type"}, d.keys(d["UserMessage"]))
	assert.Nil(t, d["Commented"])
	assert.Nil(t, d["NotRead"])
}

func TestPublished(t *testing.T) {
	for _, tc := range []struct {
		check check
		want  []string
		err   string
	}{
		{check: check{root: "Message", path: typePath}, want: []string{"assistant", "notice", "system", "user"}},
		{check: check{root: "Common", keys: true}, want: []string{"id", "session"}},
		{check: check{root: "Bus", path: []string{"payload", "inner", "type"}, version: true}, want: []string{"kept.event"}},
		{check: check{pkg: "p", file: "f.d.ts", root: "Moved", path: typePath}, err: "read f.d.ts of p: no type Moved"},
		{check: check{pkg: "p", file: "f.d.ts", root: "Common", path: typePath}, err: "read f.d.ts of p: type Common names nothing"},
		{check: check{bundle: bundle{set: "KNOWN"}}, want: []string{"a", "b", "c"}},
		{check: check{bundle: bundle{call: "emit"}}, want: []string{"first", "second"}},
		{check: check{bundle: bundle{set: "MOVED"}}, err: "read bundle of p 1: MOVED names nothing"},
	} {
		p := &pack{name: "p", version: "1", files: map[string]string{
			tc.check.file: source(t), "chunks/a.js": "var OTHER = /* @__PURE__ */ new Set([\n  \"c\"\n]);\nvar KNOWN = new Set([\n  \"a\",\n  \"b\",\n  ...OTHER\n]);",
			"chunks/b.js": "this.emit(\"first\", {});\nemit(\n  \"second\"\n); emit(third)",
		}}
		names, err := tc.check.published(p)
		if tc.err != "" {
			assert.EqualError(t, err, tc.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, tc.want, names)
	}
}

// FuzzDeclare checks that parsing terminates for any bytes, and that its result can be queried.
func FuzzDeclare(f *testing.F) {
	f.Add(source(f))
	f.Add("type A = B & {type: 'x' | A}; interface B extends A, B<A> {type: A}")
	f.Add("type A = " + strings.Repeat("(", 2*maxNesting))
	f.Add("enum A { B = 'c'")
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 4<<10 {
			t.Skip("long")
		}
		d := declare(source)
		for name, root := range d {
			require.NotEmpty(t, name)
			d.names(root, typePath, nil)
			d.keys(root)
		}
	})
}
