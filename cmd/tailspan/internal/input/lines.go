package input

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/internal/files/abridge"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/session/pipeline"
)

// Stdin stands for standard input.
const Stdin = "-"

// BufferSize is how much is read and written at once, in bytes.
const BufferSize = 64 << 10

// DefaultMaxLine is the longest line that is read whole, unless something else is asked for.
const DefaultMaxLine config.Size = 16 << 20

// keepLineBytes is the size from which the memory of a long line is not kept for the next one.
const keepLineBytes = 1 << 20

// LineSettings say how the lines of an input are read.
type LineSettings struct {
	// Name is that of the input; it decides whether that is one document.
	Name string
	// Max is the longest line in bytes, or the longest document.
	Max config.Size
	// Container takes the framing of container runtimes off: [config.ContainerAuto] or not.
	Container string
	// KeepInBand hands over a first line in our own words too.
	KeepInBand bool
	// InBand, if set, is called with such a line that is not handed over.
	InBand func(config.InBand)
	// Noted, if set, is called for each line before it is handed over.
	Noted func(parser.Noted)
}

// Lines takes lines from a reader; only '\n' ends a line. Lines longer than the limit are counted, and shortened in constant
// memory; those that can't be are skipped.
type Lines struct {
	settings LineSettings
	max      int
	skipped  int
	// at is where the line at work begins in the input, and end where the next one does, in bytes.
	at, end int64
	long    []byte
	short   abridge.Abridger // of a line over max
	framing pipeline.Framing
}

// NewLines reads one input.
func NewLines(s LineSettings) *Lines {
	l := &Lines{settings: s, max: int(s.Max)}
	if s.Container == config.ContainerAuto {
		l.framing = pipeline.NewFraming(l.max)
	}
	return l
}

// TooLong counts the lines that were longer than the limit.
func (l *Lines) TooLong() int { return l.skipped }

// Offset is where the line at work begins in the input, in bytes.
func (l *Lines) Offset() int64 { return l.at }

// Each calls f with every line of r, without its newline, and whether it was shortened. The line is f's until it returns. A
// last line without a newline counts.
func (l *Lines) Each(r io.Reader, f func(line []byte, abridged bool) error) error {
	reader := bufio.NewReaderSize(r, BufferSize)
	for {
		line, whole, err := l.next(reader)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		switch {
		case !whole:
			l.skipped++
			if line != nil {
				if err := f(line, true); err != nil {
					return err
				}
			}
		case len(line) > 0:
			if err := f(bytes.TrimSuffix(line, []byte("\n")), false); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

// next reads one line with its newline; whole is false for one that is too long to keep; then line
// is what is kept of it, nil if nothing is.
func (l *Lines) next(reader *bufio.Reader) (line []byte, whole bool, err error) {
	if l.long = l.long[:0]; cap(l.long) > keepLineBytes {
		l.long = nil
	}
	size := 0
	l.at = l.end
	for {
		part, err := reader.ReadSlice('\n')
		l.end += int64(len(part))
		before := size
		size += len(bytes.TrimSuffix(part, []byte("\n")))
		whole := size <= l.max
		full := errors.Is(err, bufio.ErrBufferFull)
		if whole && !full && len(l.long) == 0 {
			return part, whole, err
		}
		if whole {
			l.long = append(l.long, part...)
		} else {
			l.shorten(part, before <= l.max)
		}
		switch {
		case full:
		case whole:
			return l.long, whole, err
		default:
			short, ok := l.short.Line()
			if !ok {
				short = nil
			}
			return short, whole, err
		}
	}
}

// shorten takes a part of a line over the limit; with the first of them what stands before.
func (l *Lines) shorten(part []byte, first bool) {
	if first {
		l.short.Reset()
		l.short.Write(l.long)
	}
	l.short.Write(part)
}
