package tail_test

import (
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/spool"
	"github.com/tailspan/tailspan/tail"
)

// pieces is an Input whose bytes arrive in given pieces. An empty piece is a pause of an hour; a rewritten one starts again.
type pieces struct {
	left []string
	at   time.Time
}

const rewritten = "\x00rewritten"

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		return 0, io.EOF
	}
	piece := p.left[0]
	switch piece {
	case "":
		return 0, nil
	case rewritten:
		p.left = p.left[1:]
		return 0, spool.ErrRewritten
	}
	n := copy(b, piece)
	if p.left[0] = piece[n:]; n == len(piece) {
		p.left = p.left[1:]
	}
	return n, nil
}

func (p *pieces) Wait(ctx context.Context) error {
	select {
	case <-time.After(time.Hour):
		p.left = p.left[1:]
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pieces) Arrival(offset int64) time.Time { return p.at.Add(time.Duration(offset)) }

// follow runs Follow over pieces, in a bubble.
func follow(t *testing.T, s tail.Settings, k *filestest.Sink, left ...string) (got *filestest.Opened, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		got = &filestest.Opened{Sink: k}
		err = tail.Follow(t.Context(), &pieces{left: left, at: time.Unix(1000, 0)}, got, s)
	})
	return got, err
}

func TestFollow(t *testing.T) {
	for _, tc := range []struct {
		name   string
		pieces []string
		want   []string
		idle   int
	}{
		{"lines", []string{"one\ntwo\n"}, []string{"one", "two"}, 1},
		{"a line in pieces", []string{"o", "n", "", "e", "\n"}, []string{"one"}, 1},
		{"no newline at the end", []string{"one\ntw", "o"}, []string{"one", "two"}, 1},
		{"a pause", []string{"one\n", "", "", "two\n"}, []string{"one", "two"}, 2},
		{"an object without its newline", []string{`{"a":1}`, "", "\n", `{"b":2}` + "\n"}, []string{`{"a":1}`, "", `{"b":2}`}, 2},
		{"half an object", []string{`{"a":`, "", "1}\n"}, []string{`{"a":1}`}, 1},
		{"too long", []string{"one\n" + strings.Repeat("x", 5000), "\ntwo\n"}, []string{"one", "two"}, 1},
		{"too long at the end", []string{"one\n" + strings.Repeat("x", 5000)}, []string{"one"}, 1},
		{"rewritten", []string{"one\nol", rewritten, "new\n"}, []string{"one", "new"}, 1},
		{"nothing", nil, nil, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			skipped := 0
			s := tail.Settings{MaxLineSize: 1000, Observer: tail.Observer{Skipped: func(string, tail.SkipReason, int64) { skipped++ }}}
			got, err := follow(t, s, filestest.NewSink(), slices.Clone(tc.pieces)...)
			require.NoError(t, err)
			assert.Equal(t, tc.want, got.Text)
			assert.Equal(t, tc.idle, got.Idles)
			assert.Equal(t, strings.HasPrefix(tc.name, "too long"), skipped == 1)
			for _, l := range got.Received {
				assert.True(t, l.Live)
				assert.Equal(t, time.Unix(1000, l.Offset), l.Arrival)
			}
		})
	}
}

// TestFollowInsists checks that refused lines are delivered again, in order and once.
func TestFollowInsists(t *testing.T) {
	k := filestest.NewSink()
	k.Refuse = 7
	got, err := follow(t, tail.Settings{BatchLines: 2}, k, "1\n2\n3\n4\n5\n")
	require.NoError(t, err)
	assert.Equal(t, []string{"1", "2", "3", "4", "5"}, got.Text)
	assert.Equal(t, 7, k.Refused)
}

func TestFollowEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := filestest.NewSink()
		k.Refuse = 1 << 30
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for _, left := range [][]string{{"refused\n"}, {"", "", ""}} {
			err := tail.Follow(ctx, &pieces{left: left}, &filestest.Opened{Sink: k}, tail.Settings{})
			require.Error(t, err)
			require.Error(t, ctx.Err())
		}
	})
}

// TestFollowAnyCut checks that it makes no difference how the bytes are cut.
func TestFollowAnyCut(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test
	text := "one\n\nzwölf\r\n{\"a\":\n" + strings.Repeat("long", 3000) + "\nlast"
	want := []string{"one", "", "zwölf\r", `{"a":`, strings.Repeat("long", 3000), "last"}
	for range 200 {
		var cut []string
		for rest := text; rest != ""; {
			n := 1 + r.IntN(min(len(rest), 1+r.IntN(4000)))
			cut = append(cut, rest[:n])
			rest = rest[n:]
		}
		got, err := follow(t, tail.Settings{BatchBytes: 600, BatchLines: 3}, filestest.NewSink(), cut...)
		require.NoError(t, err)
		require.Equal(t, want, got.Text)
	}
}
