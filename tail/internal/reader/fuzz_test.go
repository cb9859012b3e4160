package reader_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"

	"github.com/tailspan/tailspan/internal/files/abridge"
	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/files/stream"
	"github.com/tailspan/tailspan/tail/internal/reader"
)

// Invariants:
//   - FuzzVisit: however input is cut into writes, and whatever reads fail and batches are refused, the lines and their
//     offsets are the same.

// growing is a file in memory; its stat is that of a file on disk.
type growing struct {
	fs.FileInfo
	data  []byte
	fault bool // the next read fails half way
}

func (g *growing) Close() error               { return nil }
func (g *growing) Stat() (fs.FileInfo, error) { return g, nil }

// ReadAt reads the bytes present so far.
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

// Size returns the size of the content in memory.
func (g *growing) Size() int64 { return int64(len(g.data)) }

// sink is a consumer that keeps all lines, and refuses the next call on request.
type sink struct {
	refuse bool
	lines  []stream.Line
	texts  []string
}

func (s *sink) no() error {
	if s.refuse {
		s.refuse = false
		return errors.New("not now")
	}
	return nil
}

// Open opens the sink.
func (s *sink) Open(context.Context, stream.Stream) (stream.Consumer, error) { return s, s.no() }

// Lines keeps lines.
func (s *sink) Lines(_ context.Context, lines []stream.Line) error {
	if err := s.no(); err != nil {
		return err
	}
	for _, l := range lines {
		s.texts = append(s.texts, string(l.Data))
		l.Data = nil
		s.lines = append(s.lines, l)
	}
	return nil
}

// Idle does nothing.
func (s *sink) Idle(context.Context) error { return s.no() }

// Close does nothing.
func (s *sink) Close(context.Context, stream.CloseReason) error { return nil }

// spread expands short input: a byte from 200 on stands for up to 440 bytes without a newline.
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
	path := filepath.Join(f.TempDir(), "x")
	require.NoError(f, os.WriteFile(path, nil, 0o600))
	info, err := os.Stat(path)
	require.NoError(f, err)
	id, _ := fingerprint.IDOf(info)
	f.Fuzz(func(t *testing.T, short, steps []byte, limit uint16) {
		// Inputs stay short, because the fuzzer tries to remove every part of one.
		if len(short) == 0 || len(steps) == 0 || len(short) > 48 || len(steps) > 12 {
			return
		}
		input := spread(short)
		s, disk := &sink{}, &growing{FileInfo: info}
		settings := reader.Settings{
			Include: []string{path}, MaxLineSize: int(limit) + 1, BatchBytes: 600, BatchLines: 3, IdleFlush: -time.Second,
			Observer: stream.Observer{}.WithDefaults(),
		}
		r := reader.New(reader.Shared{
			Settings: &settings, Handler: s, Globs: &discover.Globs{}, Opener: func(string) (openfile.Handle, error) { return disk, nil },
			Names: stream.NewNames(), Saver: checkpoint.NewSaver(nil, nil, nil), Buffers: reader.NewBuffers(settings.BatchBytes, settings.MaxLineSize),
			InFlight: semaphore.NewWeighted(int64(settings.BatchBytes)), Context: t.Context(), Stop: make(chan struct{}),
		})
		open := reader.Open{Dirty: func() {}}
		var pos fingerprint.Position
		visit := func() reader.Outcome {
			pos.Extend(disk.data[:min(len(disk.data), fingerprint.HeadSize)])
			res := r.Do(reader.Job{Open: &open, Kind: reader.KindRead, Path: path, ID: id, Pos: pos})
			pos = res.Pos
			return res.Outcome
		}
		rest := input
		for i := 0; len(rest) > 0; i++ {
			step := steps[i%len(steps)]
			n := min(len(rest), int(step%32)*int(step%32)+1)
			disk.data, rest = append(disk.data, rest[:n]...), rest[n:]
			disk.fault = step&64 != 0
			s.refuse = s.refuse || step&128 != 0
			visit()
		}
		s.refuse, disk.fault = false, false
		require.Equal(t, reader.OutcomeEnd, visit())

		var want []stream.Line
		var texts []string
		tokens, _, _ := wantTokens(input, settings.MaxLineSize)
		for _, line := range tokens {
			if !line.tooLong || line.text != "" {
				want = append(want, stream.Line{Offset: line.offset, Next: line.next, Abridged: line.tooLong})
				texts = append(texts, line.text)
			}
		}
		require.Equal(t, texts, s.texts)
		require.Equal(t, want, s.lines)
	})
}

// token is what a Splitter found, to be compared.
type token struct {
	text         string
	offset, next int64
	tooLong      bool
}

// kept is what is kept of a line over the limit.
func kept(line string) string {
	var a abridge.Abridger
	a.Reset()
	a.Write([]byte(line))
	short, ok := a.Line()
	if !ok {
		return ""
	}
	return string(short)
}

// wantTokens splits the input into lines in the simplest way.
func wantTokens(input []byte, limit int) (tokens []token, rest string, pending int64) {
	var offset int64
	for {
		i := bytes.IndexByte(input, '\n')
		if i < 0 {
			pending = int64(len(input))
			if len(input) <= limit {
				rest = string(input)
			}
			return tokens, rest, pending
		}
		one := token{offset: offset, next: offset + int64(i) + 1, tooLong: i > limit}
		if one.text = string(input[:i]); one.tooLong {
			one.text = kept(one.text)
		}
		tokens = append(tokens, one)
		input, offset = input[i+1:], one.next
	}
}
