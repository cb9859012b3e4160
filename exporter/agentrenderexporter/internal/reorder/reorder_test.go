package reorder_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/reorder"
)

var epoch = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// sink is the output, by stream.
type sink struct {
	buffer *reorder.Buffer[[2]int64]
	got    map[uint64][]int64
	now    time.Time
}

func newSink(s reorder.Settings) *sink {
	k := &sink{got: map[uint64][]int64{}, now: epoch}
	k.buffer = reorder.New(s, k.take)
	return k
}

func (k *sink) take(v [2]int64) { k.got[uint64(v[0])] = append(k.got[uint64(v[0])], v[1]) }

func (k *sink) add(stream uint64, numbers ...int64) {
	for _, n := range numbers {
		if k.buffer.Due(stream, n) {
			k.take([2]int64{int64(stream), n})
			k.buffer.Passed(stream, n)
			continue
		}
		k.buffer.Hold(stream, n, [2]int64{int64(stream), n}, 10, k.now)
	}
}

func (k *sink) wait(d time.Duration) {
	k.now = k.now.Add(d)
	k.buffer.Expire(k.now)
}

var settings = reorder.Settings{Window: time.Second, MaxBytes: 1000, MaxStreams: 16}

func TestOrder(t *testing.T) {
	tests := []struct {
		name string
		play func(k *sink)
		want []int64
	}{
		{"ordered", func(k *sink) { k.add(1, 1, 2, 3) }, []int64{1, 2, 3}},
		{"two exchanged", func(k *sink) { k.add(1, 1, 3, 4, 2) }, []int64{1, 2, 3, 4}},
		{"the first comes last", func(k *sink) { k.add(1, 3, 2); k.wait(999 * time.Millisecond); k.add(1, 1) }, []int64{1, 2, 3}},
		{"ahead is held", func(k *sink) { k.add(1, 1, 3) }, []int64{1}},
		{"for one window", func(k *sink) { k.add(1, 1, 4, 3); k.wait(time.Second) }, []int64{1, 3, 4}},
		{"what follows a gap passes at once", func(k *sink) { k.add(1, 5); k.wait(time.Second); k.add(1, 6, 7) }, []int64{5, 6, 7}},
		{"what follows without a gap passes with it", func(k *sink) {
			k.add(1, 5)
			k.wait(500 * time.Millisecond)
			k.add(1, 6, 8)
			k.wait(500 * time.Millisecond)
		}, []int64{5, 6}},
		{"late passes at once", func(k *sink) { k.add(1, 3); k.wait(time.Second); k.add(1, 2, 4) }, []int64{3, 2, 4}},
		{"numbers that begin anew", func(k *sink) { k.add(1, 1, 2, 3, 1, 2, 3, 4) }, []int64{1, 2, 3, 1, 2, 3, 4}},
		{"one number twice", func(k *sink) { k.add(1, 2, 2, 1) }, []int64{1, 2, 2}},
		{"streams do not wait for each other", func(k *sink) { k.add(2, 9); k.add(1, 1, 2) }, []int64{1, 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := newSink(settings)
			tt.play(k)
			assert.Equal(t, tt.want, k.got[1])
		})
	}
}

func TestDeadline(t *testing.T) {
	k := newSink(settings)
	_, held := k.buffer.Deadline()
	assert.False(t, held)
	k.add(1, 2)
	k.wait(100 * time.Millisecond)
	k.add(2, 2)
	at, held := k.buffer.Deadline()
	assert.True(t, held)
	assert.Equal(t, epoch.Add(time.Second), at)
	k.add(1, 1)
	at, _ = k.buffer.Deadline()
	assert.Equal(t, epoch.Add(1100*time.Millisecond), at)
	k.buffer.Flush()
	_, held = k.buffer.Deadline()
	assert.False(t, held)
	assert.Equal(t, []int64{2}, k.got[2])
}

// TestBounds: items over the limit do not wait, and streams of long ago are evicted.
func TestBounds(t *testing.T) {
	k := newSink(settings)
	for n := int64(2); n <= 200; n++ {
		k.add(1, n)
	}
	assert.Equal(t, int64(2), k.got[1][0])
	assert.Len(t, k.got[1], 199, "the first one that passes takes what follows it along")
	for n := int64(1000); n < 2000; n += 2 {
		k.add(2, n)
	}
	assert.Len(t, k.got[2], 400, "100 of 10 bytes are held")
	for stream := uint64(10); stream < 10+16; stream++ {
		k.add(stream, 1, 2)
	}
	k.add(1, 201)
	assert.Len(t, k.got[1], 199, "its next number is forgotten")
	k.wait(time.Second)
	assert.Len(t, k.got[1], 200)
}

// TestAnyOrder: within a window every order of arrival yields the order of the numbers, over several streams.
func TestAnyOrder(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		k := newSink(reorder.Settings{Window: time.Second, MaxBytes: 1 << 20, MaxStreams: 16})
		var all [][2]int64
		for stream := range int64(3) {
			for n := range int64(30) {
				all = append(all, [2]int64{stream, n + 1})
			}
		}
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, v := range all {
			k.add(uint64(v[0]), v[1])
			k.wait(time.Millisecond)
		}
		for stream := range uint64(3) {
			require.Len(t, k.got[stream], 30, "seed %d", seed)
			require.True(t, slices.IsSorted(k.got[stream]), "seed %d: %v", seed, k.got[stream])
		}
		_, held := k.buffer.Deadline()
		require.False(t, held, "seed %d", seed)
	}
}
