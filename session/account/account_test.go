package account_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/link"
)

func newRegistry() *account.Registry[string] { return account.NewRegistry[string](100) }

// opening returns the Opening of a stream's run with a copy mark and signs; 0 is no mark.
func opening(stream string, run, copy uint64, recorded bool, signs ...uint64) *account.Opening {
	return &account.Opening{
		Stream: stream, Claims: &account.Claims{}, Run: run, Copy: copy,
		Signs: func() ([]uint64, bool) { return signs, recorded },
	}
}

// TestStand checks that the standing of a run follows from what other streams had before.
func TestStand(t *testing.T) {
	const run, other, mark, sign = 1, 2, 3, 4
	for _, tt := range []struct {
		name          string
		before, after *account.Opening
		want          account.Standing
	}{
		{"nothing in common", opening("a", run, 0, false), opening("b", other, 0, false), account.First},
		{"the run", opening("a", run, 0, false), opening("b", run, 0, false), account.Second},
		{"its first item, in another session", opening("a", run, mark, false), opening("b", other, mark, false), account.Copy},
		{"signs, in a stream and a transcript", opening("a", run, 0, false, sign), opening("b", other, 0, true, 9, sign), account.Second},
		{"signs, in two streams", opening("a", run, 0, false, sign), opening("b", other, 0, false, sign), account.First},
		{"the stream itself again", opening("a", run, mark, false), opening("a", run, mark, false), account.First},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRegistry()
			standing, first := r.Stand(tt.before)
			require.Equal(t, account.First, standing)
			require.Equal(t, []uint64{run}, tt.before.Claims.Owned[:1])
			got, of := r.Stand(tt.after)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.want.IsSecond() || tt.after.Stream == "a", of == first)
			assert.Equal(t, tt.want.IsSecond() || tt.want.IsCopy(), len(tt.after.Claims.Foreign) == 1)
		})
	}
}

// TestTwins checks that a run has only one twin, and that a copy of the twin is a copy of the first.
func TestTwins(t *testing.T) {
	r := newRegistry()
	_, first := r.Stand(opening("stream", 1, 0, false, 7))
	r.Opened(first, "key1", nil, &link.Run{})
	_, same := r.Stand(opening("transcript", 2, 0, true, 7))
	require.Same(t, first, same)
	assert.Equal(t, account.Twin, r.Join(first, "transcript", "key2", false))
	standing, _ := r.Stand(opening("transcript2", 3, 0, true, 7))
	assert.Equal(t, account.First, standing, "the run has its twin")
	standing, same = r.Stand(opening("copy of the transcript", 2, 0, true))
	assert.Equal(t, account.Second, standing)
	assert.Same(t, first, same)

	r.Enter(first, []uint64{8}, false)
	assert.True(t, r.Has(first, []uint64{9, 8}, false))
	assert.False(t, r.Has(first, []uint64{8}, true), "that of the other kind of stream")
}

func TestJoin(t *testing.T) {
	for _, tt := range []struct {
		name, stream, key string
		otherKind         bool
		want              account.Standing
	}{
		{"the same key", "b", "key", false, account.Joined},
		{"the same key in another kind of stream", "b", "key", true, account.Twin},
		{"another key", "b", "other", false, account.Twin},
		{"its own stream", "a", "other", true, account.Joined},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRegistry()
			_, first := r.Stand(opening("a", 1, 0, false))
			r.Opened(first, "key", nil, &link.Run{})
			assert.Equal(t, tt.want, r.Join(first, tt.stream, tt.key, tt.otherKind))
		})
	}
}

// TestWait checks that a second account waits until the first one is over.
func TestWait(t *testing.T) {
	r := newRegistry()
	_, first := r.Stand(opening("a", 1, 0, false))
	assert.True(t, r.Await("b", first), "it is about to open its run")
	run := &link.Run{}
	r.Opened(first, "key", nil, run)
	assert.True(t, r.Await("b", first))
	assert.True(t, r.Await("c", first))
	r.Leave("c")
	run.End(clock.Interval{}, false)
	assert.False(t, first.Over(), "something goes on in the background")
	run.Write()
	assert.True(t, first.Over())
	assert.Equal(t, []string{"b"}, r.Over(first))
	assert.False(t, r.Await("b", first))
	assert.True(t, r.Idle())
}

// TestRestart checks that a stream keeps the first accounts it had, which are over for other streams.
func TestRestart(t *testing.T) {
	r, o := newRegistry(), opening("a", 1, 0, false)
	r.Stand(o)
	claims := o.Claims.Clone()

	n := newRegistry()
	n.Recall("a", claims.Owned)
	standing, first := n.Stand(opening("b", 1, 0, false))
	assert.Equal(t, account.Second, standing)
	assert.True(t, first.Recalled() && first.Over() && first.Run() == nil)
	again := opening("a under another path", 1, 0, false)
	again.Claims = &claims
	standing, _ = n.Stand(again)
	assert.Equal(t, account.First, standing, "its claims decide")
	assert.Nil(t, n.Of(5))
}

func TestClaimAgent(t *testing.T) {
	r := newRegistry()
	var a, b account.Claims
	span := link.RunID{Top: [8]byte{1}}
	first := r.ClaimAgent(&a, "a", 1, span, true)
	require.NotNil(t, first)
	assert.True(t, first.Is(span))
	assert.False(t, first.Is(link.RunID{}))
	assert.Nil(t, r.ClaimAgent(&b, "b", 1, span, false))
	assert.Same(t, first, r.Of(1))
}

// TestClaimAgentAgain: a stream that owns a sub-agent by another stream's state claims it while a third one looks it up.
func TestClaimAgentAgain(t *testing.T) {
	r, span := newRegistry(), link.RunID{Top: [8]byte{1}}
	var a account.Claims
	first := r.ClaimAgent(&a, "a", 1, span, true)
	b := a.Clone()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			r.ClaimAgent(&b, "b", 1, span, true)
		}
	}()
	for range 100 {
		assert.True(t, first.Is(span))
	}
	<-done
	r.ClaimAgent(&b, "b", 1, span, false)
	assert.False(t, first.Is(span))
}

// TestLimits checks that the tables are bounded and count evictions.
func TestLimits(t *testing.T) {
	r, c := account.NewRegistry[string](2), account.Claims{}
	for thing := range uint64(300) {
		r.Claim(&c, "a", thing)
	}
	assert.Equal(t, 298, r.TakeForgotten())
	assert.Zero(t, r.TakeForgotten())
	assert.Len(t, c.Owned, 256)
	_, mine := r.Claim(&c, "a under another path", 299)
	assert.True(t, mine)
}

// TestManyAtOnce checks that one of several streams that open a run concurrently is the first.
func TestManyAtOnce(t *testing.T) {
	r := newRegistry()
	var all sync.WaitGroup
	var firsts atomic.Int32
	for i := range 50 {
		all.Go(func() {
			defer r.Open()()
			if standing, first := r.Stand(opening(fmt.Sprint(i), 1, 2, i%2 == 0, 3)); standing == account.First {
				firsts.Add(1)
				r.Opened(first, "key", nil, &link.Run{})
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, 1, firsts.Load())
}
