package render

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
)

// TestLooksAreComplete holds that every kind has a decided look in every style.
func TestLooksAreComplete(t *testing.T) {
	for _, k := range events.Kinds() {
		row, ok := looks[k]
		if k == events.KindText {
			assert.False(t, ok, "text has code of its own")
			continue
		}
		assert.True(t, ok, "kind %s has no row", k)
		for s := range styleEnd {
			assert.NotNil(t, row.verbose[s], "kind %s has no look in style %s", k, s)
		}
	}
	assert.Len(t, looks, len(events.Kinds())-1, "a row of no known kind")
}

// TestToolsAreComplete holds that every tool of the table can be worded in every style.
func TestToolsAreComplete(t *testing.T) {
	for name, tool := range tools {
		assert.Same(t, tool, lookUp(name), "%q is not in lower case", name)
		assert.NotEmpty(t, tool.label, name)
		if tool.field == fieldNone {
			assert.Empty(t, tool.doing+tool.done+tool.noun, "%q has words that nothing shows", name)
			continue
		}
		assert.NotEmpty(t, tool.done, name)
		assert.NotEmpty(t, tool.noun, name)
		assert.True(t, tool.doing != "" || tool.field == fieldCommand, "%q has no verb", name)
	}
}

func TestBaseName(t *testing.T) {
	tests := []struct{ path, want string }{
		{"calc.go", "calc.go"}, {"/home/dev/calc.go", "calc.go"}, {"src/", "src"}, {`C:\src\calc.go`, "calc.go"},
		{"/", "/"}, {"", ""}, {".", "."},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, baseName(tt.path), "baseName(%q)", tt.path)
	}
}

func TestCallMemory(t *testing.T) {
	m := callMemory{limit: 2}
	for _, id := range []string{"", "a", "b", "c"} {
		m.remember(&events.Tool{ID: id, Name: "read", Target: id})
	}
	assert.Equal(t, call{}, m.answer(&events.Tool{ID: "a"}), "the oldest is forgotten")
	assert.Equal(t, call{name: "read", target: "b"}, m.answer(&events.Tool{ID: "b"}))
	assert.Equal(t, call{}, m.answer(&events.Tool{ID: "b"}), "an answer is given once")
	assert.Equal(t, call{name: "Grep", target: "c"}, m.answer(&events.Tool{ID: "c", Name: "Grep"}), "the result's own word wins")
	m.remember(&events.Tool{ID: "d", Name: "bash"})
	assert.False(t, m.inBackground(&events.Tool{ID: "d"}))
	m.goesOn(&events.Tool{ID: "d"})
	m.goesOn(&events.Tool{ID: "never seen"})
	assert.True(t, m.inBackground(&events.Tool{ID: "d"}))
	assert.False(t, m.inBackground(&events.Tool{ID: "never seen"}))
	for range 1000 {
		m.remember(&events.Tool{ID: "x", Name: "read"})
		m.answer(&events.Tool{ID: "x"})
	}
	assert.LessOrEqual(t, len(m.order), 4, "answered calls do not pile up")
}
