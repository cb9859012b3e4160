package input

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/session/pipeline"
)

// Records calls each with every line of r, or once with the whole input if it is one document, as its name or its first lines
// show (parser.Framing). A document longer than max is skipped and counted. An in-band first line, which says whose work the
// input is, is left out unless KeepInBand is set. An input in UTF-16 is an error.
func (l *Lines) Records(r io.Reader, each func(record []byte) error) error {
	begun := false
	f := func(record []byte) error {
		if !begun {
			begun = true
			if in, ours := config.ParseInBand(record); ours && !l.settings.KeepInBand {
				if l.settings.InBand != nil {
					l.settings.InBand(in)
				}
				return nil
			}
		}
		return each(record)
	}
	reader := bufio.NewReaderSize(r, BufferSize)
	if head, _ := reader.Peek(2); lines.IsUTF16(head) {
		return Error{named{name: l.settings.Name}.wrap(lines.ErrUTF16)}
	}
	framing := parser.FramingOf(l.settings.Name)
	var head []byte // blank lines, a bracket, and the line that decides
	var long []byte // the kept part of an overlong first line
	for !framing.Decided() && len(head) < BufferSize {
		line, whole, err := l.next(reader)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if !whole { // no document begins like this
			l.skipped++
			long = bytes.Clone(line)
			break
		}
		head = append(head, line...)
		if framing = framing.Line(line); err != nil {
			break
		}
	}
	all := io.MultiReader(bytes.NewReader(head), reader)
	l.end -= int64(len(head)) // it is read again
	if framing != parser.FramingDocument {
		if long != nil {
			if err := l.give(pipeline.Line{Data: long, Noted: parser.Noted{Abridged: true}}, f); err != nil {
				return err
			}
		}
		return l.unframed(all, f)
	}
	return l.document(all, f)
}

// unframed removes the framing of a container runtime and passes on each line with its metadata.
func (l *Lines) unframed(r io.Reader, f func(record []byte) error) error {
	err := l.Each(r, func(read []byte, abridged bool) error {
		for line := range l.framing.Lines(read, abridged) {
			if err := l.give(line, f); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for line := range l.framing.Rest() {
		if err := l.give(line, f); err != nil {
			return err
		}
	}
	return nil
}

// give passes on a line and its metadata. Of a joined line that is too long, nothing may be left.
func (l *Lines) give(line pipeline.Line, f func(record []byte) error) error {
	if line.TooLong {
		l.skipped++
		if line.Data == nil {
			return nil
		}
	}
	if l.settings.Noted != nil {
		l.settings.Noted(line.Noted)
	}
	return f(line.Data)
}

func (l *Lines) document(r io.Reader, f func(record []byte) error) error {
	document, err := io.ReadAll(io.LimitReader(r, int64(l.max)+1))
	switch {
	case err != nil:
		return err
	case len(document) > l.max:
		l.skipped++
		return nil
	case len(document) == 0:
		return nil
	}
	return f(document)
}
