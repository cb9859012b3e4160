package tail_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tailspan/tailspan/tail"
)

// counter is a handler that only counts.
type counter struct {
	lines, bytes int
	caughtUp     chan struct{}
}

func (c *counter) Open(context.Context, tail.Stream) (tail.Consumer, error) { return c, nil }
func (c *counter) Lines(_ context.Context, lines []tail.Line) error {
	c.lines += len(lines)
	for _, l := range lines {
		c.bytes += len(l.Data) + 1
	}
	return nil
}
func (c *counter) Idle(context.Context) error {
	c.caughtUp <- struct{}{}
	return nil
}
func (c *counter) Close(context.Context, tail.CloseReason) error { return nil }

// readAll reads a file from Start to its end.
func readAll(b *testing.B, name string, size int) {
	b.Helper()
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		c := &counter{caughtUp: make(chan struct{}, 1)}
		f, err := tail.New(tail.Settings{Include: []string{name}, PollOnly: true}, c)
		if err != nil {
			b.Fatal(err)
		}
		if err := f.Start(context.Background()); err != nil {
			b.Fatal(err)
		}
		<-c.caughtUp
		if err := f.Shutdown(context.Background()); err != nil {
			b.Fatal(err)
		}
		if c.bytes != size {
			b.Fatalf("read %d bytes of %d", c.bytes, size)
		}
	}
}

// BenchmarkReadLong reads short lines with an occasional long one; it reports the memory used.
func BenchmarkReadLong(b *testing.B) {
	short := `{"pad":"` + strings.Repeat("x", 2989) + "\"}\n"
	long := `{"pad":"` + strings.Repeat("x", 1_500_000) + "\"}\n"
	data := strings.Repeat(strings.Repeat(short, 900)+long, 15)
	name := filepath.Join(b.TempDir(), "a.jsonl")
	if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
		b.Fatal(err)
	}
	readAll(b, name, len(data))
}

// BenchmarkRead reads a file of 64 MiB from Start to its end. The baseline searches the same bytes in memory for newlines. The
// result is the ratio of the two.
func BenchmarkRead(b *testing.B) {
	for _, size := range []int{200, 3000, 20_000} {
		line := `{"pad":"` + strings.Repeat("x", size-11) + "\"}\n"
		data := []byte(strings.Repeat(line, (64<<20)/len(line)))
		name := filepath.Join(b.TempDir(), "a.jsonl")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("read/line=%dB", size), func(b *testing.B) {
			readAll(b, name, len(data))
		})
		b.Run(fmt.Sprintf("indexbyte/line=%dB", size), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				lines := 0
				for rest := data; ; lines++ {
					i := bytes.IndexByte(rest, '\n')
					if i < 0 {
						break
					}
					rest = rest[i+1:]
				}
				if lines != len(data)/len(line) {
					b.Fatalf("found %d lines", lines)
				}
			}
		})
	}
}

// BenchmarkLatency measures the time from the write of a line to its delivery, with watched folders.
func BenchmarkLatency(b *testing.B) {
	name := filepath.Join(b.TempDir(), "a.jsonl")
	c := &counter{caughtUp: make(chan struct{}, 1)}
	f, err := tail.New(tail.Settings{Include: []string{name}, PollInterval: time.Hour}, c)
	if err != nil {
		b.Fatal(err)
	}
	file, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	if err := f.Start(context.Background()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := file.WriteString("line\n"); err != nil {
			b.Fatal(err)
		}
		<-c.caughtUp
	}
	if err := f.Shutdown(context.Background()); err != nil {
		b.Fatal(err)
	}
}
