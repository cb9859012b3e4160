package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/internal/files/container"
	"github.com/tailspan/tailspan/parser"
)

// records calls each with every line of r, or with all of it if the input is one document; its name or its
// first lines decide (parser.Framing). A document longer than max is skipped and counted, as a line is. A first line in
// our own words, which says whose work it is and nothing of what the agent did, is left out, unless it is asked for.
func (l *lineReader) records(r io.Reader, each func(record []byte) error) error {
	begun := false
	f := func(record []byte) error {
		if !begun {
			begun = true
			if _, ours := config.ParseInBand(record); ours && !l.keepInBand {
				return nil
			}
		}
		return each(record)
	}
	reader := bufio.NewReaderSize(r, readBytes)
	framing := parser.FramingOf(l.name)
	var head []byte // blank lines, a bracket, and the line that decides
	var long []byte // what is kept of a first line that is too long
	for !framing.Decided() && len(head) < readBytes {
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
	if framing != parser.FramingDocument {
		if long != nil {
			if err := l.give(container.Line{Data: long, TooLong: true}, f); err != nil {
				return err
			}
		}
		return l.unwrapped(all, f)
	}
	return l.document(all, f)
}

// unwrapped gives the lines of the program, where a container runtime wrote them, and notes what is known of each.
func (l *lineReader) unwrapped(r io.Reader, f func(record []byte) error) error {
	joined := func(line container.Line) error {
		if line.TooLong {
			l.skipped++
			if line.Data == nil {
				return nil
			}
		}
		return l.give(line, f)
	}
	err := l.each(r, func(read []byte, abridged bool) error {
		if l.unwrap == nil || abridged { // which begins as an object does
			return l.give(container.Line{Data: read, TooLong: abridged}, f)
		}
		line, whole := l.unwrap.Line(read)
		if !whole {
			return nil
		}
		return joined(line)
	})
	for err == nil && l.unwrap != nil {
		line, some := l.unwrap.Flush()
		if !some {
			break
		}
		err = joined(line)
	}
	return err
}

// give notes what is known of a line and hands it over.
func (l *lineReader) give(line container.Line, f func(record []byte) error) error {
	if l.noted != nil {
		l.noted(parser.Noted{Time: line.Time, Abridged: line.TooLong})
	}
	return f(line.Data)
}

func (l *lineReader) document(r io.Reader, f func(record []byte) error) error {
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
