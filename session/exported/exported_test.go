package exported_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/exported"
)

func newTable() *exported.Table { return exported.NewTable(exported.Limits{IDs: 1000, Items: 3}) }

func TestTable(t *testing.T) {
	x := newTable()
	span := otlp.SpanRef{Trace: otlp.TraceID{1}, Span: otlp.SpanID{2}}
	elsewhere := otlp.SpanRef{Trace: otlp.TraceID{3}, Span: otlp.SpanID{2}}
	assert.False(t, x.HasSpan(span))
	assert.True(t, x.FirstSpan(span))
	assert.False(t, x.FirstSpan(span))
	assert.True(t, x.HasSpan(span))
	assert.True(t, x.FirstSpan(elsewhere), "in another trace")
	assert.True(t, x.FirstRecord([]byte("a")))
	assert.False(t, x.FirstRecord([]byte("a")))
	assert.True(t, x.FirstRecord([]byte("b")))
}

// TestItems checks that each part distinguishes an item, and that its stable hash is the same in every process.
func TestItems(t *testing.T) {
	x := exported.NewTable(exported.Limits{IDs: 10, Items: 1000})
	one := exported.Item{Provider: "p", ID: "i", Line: "l", At: 5, Kind: events.KindText, What: "w", Detail: "d"}
	x.Say(&one)
	assert.True(t, x.Said(&one))
	for _, change := range []func(*exported.Item){
		func(k *exported.Item) { k.Provider = "x" }, func(k *exported.Item) { k.ID = "x" }, func(k *exported.Item) { k.Line = "x" },
		func(k *exported.Item) { k.At++ }, func(k *exported.Item) { k.Kind = events.KindToolUse }, func(k *exported.Item) { k.What = "x" },
		func(k *exported.Item) { k.Detail = "x" }, func(k *exported.Item) { k.What, k.Detail = "wd", "" },
	} {
		other := one
		change(&other)
		assert.False(t, x.Said(&other), "%+v", other)
		assert.NotEqual(t, one.Stable(), other.Stable(), "%+v", other)
	}
	again := one
	assert.Equal(t, one.Stable(), again.Stable())
	assert.Equal(t, uint64(0x8f1cb594f8641e3e), exported.StableHash("a", "b"))
}

func TestSeen(t *testing.T) {
	s := exported.NewSeen(newTable())
	assert.Zero(t, s.Before(&s.Calls, "a", "b"))
	assert.Zero(t, s.Nth(&s.Calls, "a", "b"))
	assert.Equal(t, 1, s.Nth(&s.Calls, "a", "b"))
	assert.Equal(t, 2, s.Before(&s.Calls, "a", "b"))
	assert.Zero(t, s.Nth(&s.Calls, "ab"), "parts are kept apart")
	assert.Zero(t, s.Nth(&s.Runs, "a", "b"), "so are kinds")
	for i := range 10 {
		s.Nth(&s.Messages, fmt.Sprint(i))
	}
	assert.Equal(t, 7, s.TakeEvicted())
	assert.Zero(t, s.TakeEvicted())
}
