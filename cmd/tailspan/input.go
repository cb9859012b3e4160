package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/source/opencodetree"
)

// errHelp ends a command that was asked for its flags, which it has printed.
var errHelp = flag.ErrHelp

// flags are those that all commands share.
type flags struct {
	*flag.FlagSet
	provider string
}

func newFlags(command, synopsis string, stderr io.Writer) *flags {
	f := &flags{FlagSet: flag.NewFlagSet("tailspan "+command, flag.ContinueOnError)}
	f.SetOutput(stderr)
	f.StringVar(&f.provider, "provider", parser.Auto, "who wrote the file: "+strings.Join(parser.Names(), ", "))
	f.Usage = func() {
		fmt.Fprintf(stderr, "usage: tailspan %s [flags] FILE|-\n\n%s\n\nflags:\n", command, synopsis)
		f.PrintDefaults()
	}
	return f
}

// source parses the arguments and returns the one file they name and the parser for it.
func (f *flags) source(args []string) (name string, src *parser.Source, err error) {
	if err := f.Parse(args); err != nil {
		if errors.Is(err, errHelp) {
			return "", nil, err
		}
		return "", nil, usageError{fmt.Errorf("read flags: %w", err)}
	}
	if f.NArg() != 1 {
		return "", nil, usageError{fmt.Errorf("%s needs one file or -, got %d arguments", f.Name(), f.NArg())}
	}
	src, err = parser.New(f.provider)
	if err != nil {
		return "", nil, usageError{err}
	}
	return f.Arg(0), src, nil
}

// openInput opens a file, or standard input for "-", and unpacks what is gzip by its name. A folder is a tree of
// OpenCode's, whose files come as lines.
func openInput(name string, stdin io.Reader) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(stdin), nil
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return openTree(name)
	}
	file, err := os.Open(name)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, usageError{err}
		}
		return nil, err
	}
	if !strings.HasSuffix(name, ".gz") {
		return file, nil
	}
	unpacked, err := gzip.NewReader(bufio.NewReaderSize(file, readBytes))
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("unpack %q: %w", name, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{unpacked, file}, nil
}

func openTree(dir string) (io.ReadCloser, error) {
	tree, err := opencodetree.Open(dir)
	if errors.Is(err, opencodetree.ErrNoTree) {
		return nil, usageError{err}
	}
	return tree, err
}

const readBytes = 64 << 10

// eachRecord calls f with every line of r, as eachLine does, or with all of it if the input is one document; which of
// the two, its name or its first lines tell (parser.Framing).
func eachRecord(name string, r io.Reader, f func(line []byte) error) error {
	reader := bufio.NewReaderSize(r, readBytes)
	framing := parser.FramingOf(name)
	var head []byte
	for !framing.Decided() {
		line, err := reader.ReadBytes('\n')
		head = append(head, line...)
		if framing = framing.Line(line); err != nil {
			if !errors.Is(err, io.EOF) {
				return fmt.Errorf("read line: %w", err)
			}
			break
		}
	}
	whole := io.MultiReader(bytes.NewReader(head), reader)
	if framing != parser.FramingDocument {
		return eachLine(whole, f)
	}
	document, err := io.ReadAll(whole)
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	if len(document) == 0 {
		return nil
	}
	return f(document)
}

// eachLine calls f with every line of r, without its newline; only '\n' ends a line. The line is f's until it returns.
// A last line without a newline counts.
func eachLine(r io.Reader, f func(line []byte) error) error {
	reader := bufio.NewReaderSize(r, readBytes)
	var long []byte
	for {
		part, err := reader.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, part...)
			continue
		}
		line := part
		if len(long) > 0 {
			long = append(long, part...)
			line = long
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read line: %w", err)
		}
		if len(line) > 0 {
			if err := f(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
		if long = long[:0]; cap(long) > keepLineBytes {
			long = nil
		}
	}
}

// keepLineBytes is the size from which the memory of a long line is not kept for the next one.
const keepLineBytes = 1 << 20
