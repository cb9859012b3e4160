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

// Stdin names standard input.
const Stdin = "-"

// BufferSize is the size of reads and writes, in bytes.
const BufferSize = 64 << 10

// DefaultMaxLine is the default limit of a line that is read whole.
const DefaultMaxLine config.Size = 16 << 20

// keepLineBytes is the size from which the buffer of a long line is not reused.
const keepLineBytes = 1 << 20

// LineSettings configure how the lines of an input are read.
type LineSettings struct {
	// Name of the input. It decides whether the input is one document.
	Name string
	// Max bounds a line or a document, in bytes.
	Max config.Size
	// Container is [config.ContainerAuto] to remove the framing of container runtimes.
	Container string
	// KeepInBand also passes on an in-band first line.
	KeepInBand bool
	// InBand, if set, is called with an in-band line that is not passed on.
	InBand func(config.InBand)
	// Noted, if set, is called before each line with its metadata.
	Noted func(parser.Noted)
}

// Lines reads lines from a reader; only '\n' ends a line. Overlong lines are counted and shortened in constant memory: JSON
// keeps its members, of anything else the beginning is kept.
type Lines struct {
	settings LineSettings
	max      int
	skipped  int
	// at is the offset of the current line, end that of the next one, in bytes.
	at, end int64
	long    []byte
	short   abridge.Abridger // for a line over max
	head    []byte           // of a line over max
	framing pipeline.Framing
}

// NewLines returns a reader of one input.
func NewLines(s LineSettings) *Lines {
	l := &Lines{settings: s, max: int(s.Max)}
	if s.Container == config.ContainerAuto {
		l.framing = pipeline.NewFraming(l.max)
	}
	return l
}

// TooLong returns the number of lines over the limit.
func (l *Lines) TooLong() int { return l.skipped }

// Offset returns the offset of the current line in the input, in bytes.
func (l *Lines) Offset() int64 { return l.at }

// Each calls f with every line of r, without its newline, and whether it was shortened. The line is valid until f returns. A last
// line without a newline counts.
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

// next reads one line with its newline. If the line is too long, whole is false and line is the kept part, or nil.
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
				short = l.head
			}
			return short, whole, err
		}
	}
}

// headBytes is how much is kept of an overlong line that is no JSON, in bytes.
const headBytes = 64 << 10

// appendHead appends at most n bytes of the beginning of a line of two parts. It ends between words.
func appendHead(head, begin, rest []byte, n int) []byte {
	head = append(head, begin[:min(len(begin), n)]...)
	head = bytes.TrimSuffix(append(head, rest[:min(len(rest), n-len(head))]...), []byte("\n"))
	if blank := bytes.LastIndexByte(head, ' '); blank > 0 {
		head = head[:blank]
	}
	return head
}

// shorten adds a part of an overlong line; the first call also adds the buffered beginning.
func (l *Lines) shorten(part []byte, first bool) {
	if first {
		l.short.Reset()
		l.short.Write(l.long)
		l.head = appendHead(l.head[:0], l.long, part, min(headBytes, l.max))
	}
	l.short.Write(part)
}
