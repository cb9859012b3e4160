package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/source/container"
)

// records calls each with every line of r, or with all of it if the input is one document; which of the two, its name or
// its first lines tell (parser.Framing). A document longer than max is skipped and counted, as a line is. A first line in
// our own words, which tells whose work it is and nothing of what the agent did, is left out.
func (l *lineReader) records(r io.Reader, each func(record []byte) error) error {
	begun := false
	f := func(record []byte) error {
		if !begun {
			begun = true
			if _, ours := config.ParseInBand(record); ours {
				return nil
			}
		}
		return each(record)
	}
	reader := bufio.NewReaderSize(r, readBytes)
	framing := parser.FramingOf(l.name)
	var head []byte // blank lines, a bracket, and the line that decides
	for !framing.Decided() && len(head) < readBytes {
		line, whole, err := l.next(reader)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if !whole { // no document begins like this
			l.skipped++
			break
		}
		head = append(head, line...)
		if framing = framing.Line(line); err != nil {
			break
		}
	}
	all := io.MultiReader(bytes.NewReader(head), reader)
	if framing != parser.FramingDocument {
		return l.unwrapped(all, f)
	}
	return l.document(all, f)
}

// unwrapped is each with the lines of the program, where a container runtime wrote them.
func (l *lineReader) unwrapped(r io.Reader, f func(record []byte) error) error {
	if l.unwrap == nil {
		return l.each(r, f)
	}
	give := func(line container.Line) error {
		if line.TooLong {
			l.skipped++
			return nil
		}
		if l.noted != nil {
			l.noted(parser.Noted{Time: line.Time})
		}
		return f(line.Data)
	}
	err := l.each(r, func(framed []byte) error {
		line, whole := l.unwrap.Line(framed)
		if !whole {
			return nil
		}
		return give(line)
	})
	for err == nil {
		line, some := l.unwrap.Flush()
		if !some {
			break
		}
		err = give(line)
	}
	return err
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
