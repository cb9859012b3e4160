// Package reorder restores the order of numbered items of many streams that arrive out of order, such as log records from a
// sender with parallel consumers.
//
// An item passes at once if its number is the next of its stream, or lower. An item that is ahead is held until those before
// it have passed, or for [Settings.Window]. Then it passes with all items held before it, and missing ones count as lost. A
// stream starts at 1. Ordered input is thus never delayed, and a gap delays by at most one window.
//
// A [Buffer] is for use by one goroutine at a time. It has no clock or timer; its owner has.
package reorder

import (
	"container/heap"
	"container/list"
	"time"
)

// Settings bounds a Buffer.
type Settings struct {
	// Window is the maximum time that an item is held.
	Window time.Duration
	// MaxBytes bounds what is held, as measured by the owner; above it, the item held longest passes.
	MaxBytes int64
	// MaxStreams bounds the streams whose next number is known; the one first seen longest ago is evicted.
	MaxStreams int
}

// Buffer holds items that are ahead.
type Buffer[T any] struct {
	settings Settings
	deliver  func(T)
	next     map[uint64]int64 // by stream
	seen     []uint64         // streams in the order of their first item, as a ring
	oldest   int              // index in seen
	queues   map[uint64]*queue[T]
	arrivals *list.List // of *item[T], held longest first
	bytes    int64
}

// item is a held item.
type item[T any] struct {
	value    T
	stream   uint64
	number   int64
	arrival  int64 // keeps items with the same number in order of arrival
	bytes    int64
	deadline time.Time
	element  *list.Element
}

// New returns a Buffer that passes held items to deliver.
func New[T any](s Settings, deliver func(T)) *Buffer[T] {
	return &Buffer[T]{
		settings: s, deliver: deliver, next: map[uint64]int64{}, queues: map[uint64]*queue[T]{}, arrivals: list.New(),
	}
}

// Due reports whether an item passes at once. The owner then delivers it and calls Passed.
func (b *Buffer[T]) Due(stream uint64, number int64) bool { return number <= b.nextOf(stream) }

func (b *Buffer[T]) nextOf(stream uint64) int64 {
	if next, ok := b.next[stream]; ok {
		return next
	}
	return 1
}

// Passed records that an item was delivered, and delivers what waited for it.
func (b *Buffer[T]) Passed(stream uint64, number int64) {
	b.advance(stream, number)
	q := b.queues[stream]
	if q == nil {
		return
	}
	for q.Len() > 0 && q.items[0].number <= b.nextOf(stream) {
		b.release(q)
	}
}

// advance records the next number of a stream.
func (b *Buffer[T]) advance(stream uint64, number int64) {
	next, known := b.next[stream]
	if number < next {
		return
	}
	b.next[stream] = number + 1
	switch {
	case known:
	case len(b.seen) < b.settings.MaxStreams:
		b.seen = append(b.seen, stream)
	default:
		delete(b.next, b.seen[b.oldest])
		b.seen[b.oldest] = stream
		b.oldest = (b.oldest + 1) % len(b.seen)
	}
}

// Hold keeps an item that is ahead. If too much is held, other items pass to make room.
func (b *Buffer[T]) Hold(stream uint64, number int64, value T, bytes int64, now time.Time) {
	q := b.queues[stream]
	if q == nil {
		q = &queue[T]{}
		b.queues[stream] = q
	}
	q.arrivals++
	i := &item[T]{value: value, stream: stream, number: number, arrival: q.arrivals, bytes: bytes, deadline: now.Add(b.settings.Window)}
	i.element = b.arrivals.PushBack(i)
	b.bytes += bytes
	heap.Push(q, i)
	for b.bytes > b.settings.MaxBytes {
		b.giveUp(b.first())
	}
}

func (b *Buffer[T]) first() *item[T] { return b.arrivals.Front().Value.(*item[T]) }

// Expire delivers what was held for a window.
func (b *Buffer[T]) Expire(now time.Time) {
	for b.arrivals.Len() > 0 && !b.first().deadline.After(now) {
		b.giveUp(b.first())
	}
}

// Flush delivers everything.
func (b *Buffer[T]) Flush() {
	for b.arrivals.Len() > 0 {
		b.giveUp(b.first())
	}
}

// Deadline returns when the next held item passes; ok is false if none is held.
func (b *Buffer[T]) Deadline() (at time.Time, ok bool) {
	if b.arrivals.Len() == 0 {
		return at, false
	}
	return b.first().deadline, true
}

// giveUp stops waiting for what is missing before an item. The item passes with all items held before it and those that follow
// without a gap.
func (b *Buffer[T]) giveUp(last *item[T]) {
	q, stream, number := b.queues[last.stream], last.stream, last.number
	for q.Len() > 0 && q.items[0].number <= number {
		b.release(q)
	}
	b.Passed(stream, number)
}

// release delivers the first item of a queue.
func (b *Buffer[T]) release(q *queue[T]) {
	i := heap.Pop(q).(*item[T])
	b.arrivals.Remove(i.element)
	b.bytes -= i.bytes
	b.advance(i.stream, i.number)
	if q.Len() == 0 {
		delete(b.queues, i.stream)
	}
	b.deliver(i.value)
}

// queue holds the items of one stream, lowest number first. It implements [heap.Interface].
type queue[T any] struct {
	items    []*item[T]
	arrivals int64
}

// Len returns the number of items.
func (q *queue[T]) Len() int { return len(q.items) }

// Less compares by number, then by arrival.
func (q *queue[T]) Less(i, j int) bool {
	a, b := q.items[i], q.items[j]
	return a.number < b.number || a.number == b.number && a.arrival < b.arrival
}

// Swap exchanges two items.
func (q *queue[T]) Swap(i, j int) { q.items[i], q.items[j] = q.items[j], q.items[i] }

// Push adds an *item.
func (q *queue[T]) Push(x any) { q.items = append(q.items, x.(*item[T])) }

// Pop removes the last item.
func (q *queue[T]) Pop() any {
	last := len(q.items) - 1
	i := q.items[last]
	q.items[last] = nil
	q.items = q.items[:last]
	return i
}
