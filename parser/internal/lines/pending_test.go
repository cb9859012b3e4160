package lines

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
)

func pend(p *Pending, at Place, pieces ...string) *PendingText {
	t := p.Begin(at, Head{MessageID: at.Owner, ItemID: "line"})
	for _, piece := range pieces {
		p.Add(t, piece)
	}
	return t
}

func TestPending(t *testing.T) {
	text, thought := Place{Owner: "m"}, Place{Owner: "m", Index: 1, Thinking: true}
	tests := []struct {
		name string
		do   func(p *Pending)
		want []string
	}{
		{"joined", func(p *Pending) { pend(p, text, "a ", "b") }, []string{"text a b"}},
		{"blank", func(p *Pending) { pend(p, text, " \n") }, nil},
		{"in order", func(p *Pending) { pend(p, thought, "t"); pend(p, text, "a") }, []string{"reasoning t", "text a"}},
		{"came whole", func(p *Pending) { pend(p, text, "a"); pend(p, text, "b"); p.Complete("m", false, "b") }, []string{"text a"}},
		{"came changed", func(p *Pending) { pend(p, text, "a"); pend(p, text, "b"); p.Complete("m", false, "c") }, []string{"text b"}},
		{"another kind", func(p *Pending) { pend(p, text, "a"); p.Complete("m", true, "a") }, []string{"text a"}},
		{"another owner", func(p *Pending) { pend(p, text, "a"); p.Complete("n", false, "a") }, []string{"text a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p Pending
			tt.do(&p)
			assert.Equal(t, len(p.texts) > 0, p.Any())
			var got []string
			for _, e := range p.Flush(nil) {
				assert.Equal(t, "m", e.MessageID)
				assert.Empty(t, e.ItemID)
				got = append(got, e.Kind.String()+" "+e.Text)
			}
			assert.Equal(t, tt.want, got)
			assert.False(t, p.Any())
			assert.Zero(t, p.bytes)
			assert.Zero(t, p.Dropped)
		})
	}
}

func TestPendingFind(t *testing.T) {
	var p Pending
	at := Place{Owner: "m", Index: 2}
	assert.Nil(t, p.Find(at))
	p.Find(at).Close()
	first := pend(&p, at, "a")
	assert.Same(t, first, p.Find(at))
	assert.Nil(t, p.Find(Place{Owner: "m", Index: 2, Thinking: true}))
	first.Close()
	assert.Nil(t, p.Find(at), "it is closed")
	assert.Same(t, pend(&p, at, "b"), p.Find(at))
}

// TestPendingLimits: the oldest texts are evicted, by number and by size.
func TestPendingLimits(t *testing.T) {
	var p Pending
	for i := range maxPending + 3 {
		pend(&p, Place{Owner: "m", Index: int64(i)}, "x")
	}
	assert.Equal(t, 3, p.Dropped)
	assert.Nil(t, p.Find(Place{Owner: "m", Index: 2}))
	assert.NotNil(t, p.Find(Place{Owner: "m", Index: 3}))

	p = Pending{}
	half := strings.Repeat("y", maxPendingBytes/2)
	pend(&p, Place{Owner: "m"}, half)
	pend(&p, Place{Owner: "m", Index: 1}, half)
	assert.Zero(t, p.Dropped)
	pend(&p, Place{Owner: "m", Index: 2}, "z")
	assert.Equal(t, 1, p.Dropped)
	got := p.Flush(nil)
	assert.Len(t, got, 2)
	assert.Equal(t, events.KindText, got[0].Kind)
	assert.Equal(t, "z", got[1].Text)
}
