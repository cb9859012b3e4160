package tail

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/lines"
)

// Invariants:
//   - FuzzVisit: however input is cut into writes, and whatever reads fail and batches are refused, the lines and their
//     offsets are the same.

// growing is a file in memory.
type growing struct {
	data  []byte
	fault bool // the next read fails half way
}

func (g *growing) Close() error               { return nil }
func (g *growing) Stat() (fs.FileInfo, error) { return growingInfo{size: int64(len(g.data))}, nil }

// ReadAt reads what there is by now.
func (g *growing) ReadAt(p []byte, offset int64) (int, error) {
	n := copy(p, g.data[min(offset, int64(len(g.data))):])
	if g.fault {
		g.fault = false
		return n / 2, errors.New("input/output error")
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

type growingInfo struct {
	fs.FileInfo
	size int64
}

func (i growingInfo) Size() int64 { return i.size }

// spread makes long input of short: a byte from 200 on stands for a run of up to 440 bytes without a line end.
func spread(short []byte) (input []byte) {
	for _, c := range short {
		if c < 200 {
			input = append(input, c)
			continue
		}
		input = append(input, bytes.Repeat([]byte{c}, (int(c)-199)*8)...)
	}
	return input
}

func FuzzVisit(f *testing.F) {
	f.Add([]byte("a\nbc\n\ndef\n"), []byte{1, 2}, uint16(10))
	f.Add([]byte("{\"a\":\"\xc3\x8d\"}\r\n{}\n"), []byte{0, 128, 3, 255}, uint16(20))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\nb\n"), []byte{255, 200, 7}, uint16(1000))
	f.Fuzz(func(t *testing.T, short, steps []byte, limit uint16) {
		// Inputs stay short: the fuzzer tries to leave out every part of one.
		if len(short) == 0 || len(steps) == 0 || len(short) > 48 || len(steps) > 12 {
			return
		}
		input := spread(short)
		s := newSink()
		settings := Settings{
			Include: []string{"x"}, MaxLineSize: int(limit) + 1, BatchBytes: 600, BatchLines: 3, IdleFlush: -1,
		}.withDefaults()
		r := &reader{
			settings: settings, handler: s, ctx: context.Background(), names: &streamNames{taken: map[string]struct{}{}},
			saver: settings.saver(),
			split: lines.NewSplitter(lines.NewPool(settings.BatchBytes, settings.MaxLineSize), settings.MaxLineSize),
		}
		disk := &growing{}
		f := &file{identity: identity{path: "/x"}, stream: openStream{handle: disk}}
		var pos fingerprint.Position
		visit := func() outcome {
			pos.Extend(disk.data[:min(len(disk.data), fingerprint.HeadSize)])
			res := result{job: job{file: f, path: f.path, pos: pos}}
			r.readOn(&res)
			pos = res.pos
			return res.outcome
		}
		rest := input
		for i := 0; len(rest) > 0; i++ {
			step := steps[i%len(steps)]
			n := min(len(rest), int(step%32)*int(step%32)+1)
			disk.data, rest = append(disk.data, rest[:n]...), rest[n:]
			disk.fault = step&64 != 0
			if step&128 != 0 {
				s.refuse = 1
			}
			visit()
		}
		s.refuse, disk.fault = 0, false
		require.Equal(t, outcomeEnd, visit())

		var want []Line
		var texts []string
		tokens, _, _ := wantTokens(input, settings.MaxLineSize)
		for _, line := range tokens {
			if !line.tooLong || line.text != "" {
				want = append(want, Line{Offset: line.offset, Next: line.next, Abridged: line.tooLong})
				texts = append(texts, line.text)
			}
		}
		var got []Line
		for _, opened := range s.streams {
			got = append(got, opened.lines...)
		}
		require.Equal(t, texts, s.all())
		require.Equal(t, want, got)
	})
}
