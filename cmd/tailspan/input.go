package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/opencodetree"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/internal/files/abridge"
	"github.com/tailspan/tailspan/internal/files/unpack"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/poll/opencodedb"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/pipeline"
)

// errHelp ends a command that was asked for its flags, which it has printed.
var errHelp = flag.ErrHelp

// flags are those that all commands share.
type flags struct {
	*flag.FlagSet
	provider string
	maxLine  int
	// container is of the commands that read files.
	container string
}

// addContainer adds the flag of commands that read what a container runtime may have written.
func (f *flags) addContainer() {
	f.container = config.ContainerAuto
	f.StringVar(&f.container, "container", f.container,
		"take the framing of CRI, Docker's json-file and CI logs off lines that have one: auto, none")
}

func newFlags(command, synopsis string, stderr io.Writer) *flags {
	f := &flags{FlagSet: flag.NewFlagSet("tailspan "+command, flag.ContinueOnError)}
	f.SetOutput(stderr)
	f.StringVar(&f.provider, "provider", parser.Auto, "who wrote the file: "+strings.Join(parser.Names(), ", "))
	f.IntVar(&f.maxLine, "max-line-size", defaultMaxLine, "longest line in bytes; longer ones are counted, and read in part")
	f.Usage = func() {
		fmt.Fprintf(stderr, "usage: tailspan %s [flags] FILE\n", command)
		fmt.Fprintf(stderr, "       tailspan %s [flags] -     reads standard input\n\n%s\n\nflags:\n", command, synopsis)
		f.PrintDefaults()
	}
	return f
}

// source parses the arguments and returns the one file that they name.
func (f *flags) source(args []string) (name string, err error) {
	files, err := f.parseAround(args)
	if err != nil {
		if errors.Is(err, errHelp) {
			return "", err
		}
		return "", usageError{fmt.Errorf("read flags: %w", err)}
	}
	if len(files) != 1 {
		command := strings.TrimPrefix(f.Name(), "tailspan ") // main says who speaks
		return "", usageError{fmt.Errorf("%s needs one file, or - for standard input; got %s", command, plural(len(files), "argument"))}
	}
	if f.maxLine <= 0 {
		return "", usageError{fmt.Errorf("max-line-size must be positive, got %d", f.maxLine)}
	}
	if err := config.CheckContainer(cmp.Or(f.container, config.ContainerNone)); err != nil {
		return "", usageError{err}
	}
	return files[0], nil
}

// events makes events of lines. No command shows the arguments of calls or the texts of results.
func (f *flags) events(r *redact.Redactor) (*pipeline.Events, error) {
	e, err := pipeline.NewEvents(pipeline.EventSettings{Provider: f.provider, Redactor: r})
	if err != nil {
		return nil, usageError{err}
	}
	return e, nil
}

// newRedactor returns nil if redaction is off.
func newRedactor(on bool) (*redact.Redactor, error) {
	if !on {
		return nil, nil
	}
	return redact.NewRedactor(redact.Settings{DropInput: true, DropOutput: true})
}

// parseAround parses flags before and after files, and returns the files. What follows "--" is a file.
func (f *flags) parseAround(args []string) (files []string, err error) {
	var literal []string
	if at := slices.Index(args, "--"); at >= 0 {
		args, literal = args[:at], args[at+1:]
	}
	for {
		if err := f.Parse(args); err != nil {
			return nil, err
		}
		if f.NArg() == 0 {
			return append(files, literal...), nil
		}
		files, args = append(files, f.Arg(0)), f.Args()[1:]
	}
}

// openInput opens a file, or standard input for "-", and unpacks compressed content, which its name or its beginning shows. A
// folder is a tree of OpenCode's, whose files come as lines; a SQLite database is OpenCode's too, and its rows do.
func openInput(name string, stdin io.Reader, stderr io.Writer) (io.ReadCloser, error) {
	in, err := openContent(name, stdin, stderr)
	if err != nil {
		return nil, err
	}
	return named{in, name}, nil
}

// openContent is openInput, but its errors need not name the input.
func openContent(name string, stdin io.Reader, stderr io.Writer) (io.ReadCloser, error) {
	if name == stdinName {
		return newSniffed(openStdin(stdin, stderr)), nil
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, usageError{err}
	case err == nil && info.IsDir():
		return openTree(name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	packed := name
	if info != nil && info.Mode().IsRegular() {
		head := headOf(file)
		if opencodedb.Is(head) {
			return openDatabase(name, file)
		}
		packed = compression(name, head)
	}
	unpacked, err := unpack.New(packed, file)
	if err != nil {
		file.Close()
		return nil, named{name: name}.wrap(err)
	}
	return input{unpacked, file}, nil
}

// input is the content of a file.
type input struct {
	io.ReadCloser
	file io.Closer
}

func (i input) Close() error { return errors.Join(i.ReadCloser.Close(), i.file.Close()) }

// headOf returns the beginning of a file, enough to recognise databases and compressed files.
func headOf(file io.ReaderAt) []byte {
	var head [16]byte
	n, _ := file.ReadAt(head[:], 0) // reading reports an unreadable file
	return head[:n]
}

// openDatabase gives the rows of a database. Its file is closed first: closing it later would take SQLite's locks away.
func openDatabase(name string, file io.Closer) (io.ReadCloser, error) {
	if err := file.Close(); err != nil {
		return nil, err
	}
	rows, err := opencodedb.Open(name, opencodedb.Settings{})
	switch {
	case errors.Is(err, opencodedb.ErrNoSessions):
		return nil, usageError{fmt.Errorf("%w: a SQLite database, but not OpenCode's", err)}
	case err != nil:
		return nil, err
	}
	return rows, nil
}

func openTree(dir string) (io.ReadCloser, error) {
	tree, err := opencodetree.Open(dir)
	if errors.Is(err, opencodetree.ErrNoTree) {
		return nil, usageError{fmt.Errorf("%w: %q is a folder; name a file in it, or a folder of OpenCode's", err, dir)}
	}
	return tree, err
}

// stdinName stands for standard input.
const stdinName = "-"

const readBytes = 64 << 10

// defaultMaxLine is the default of --max-line-size, in bytes.
const defaultMaxLine = 16 << 20

// keepLineBytes is the size from which the memory of a long line is not kept for the next one.
const keepLineBytes = 1 << 20

// lineReader takes lines from a reader; only '\n' ends a line. Lines longer than max are counted, and shortened in constant
// memory; those that can't be are skipped.
type lineReader struct {
	name    string // of the input; decides whether that is one document
	max     int
	skipped int
	// at is where the line at work begins in the input, and end where the next one does, in bytes.
	at, end int64
	long    []byte
	short   abridge.Abridger // of a line over max
	framing pipeline.Framing
	// keepInBand hands over a first line in our own words too.
	keepInBand bool
	noted      func(parser.Noted) // if set, called for each line
}

// newLineReader makes one for a file, or standard input, and its parser.
func (f *flags) newLineReader(name string, src *pipeline.Events) *lineReader {
	l := &lineReader{name: name, max: f.maxLine, noted: src.Note}
	if f.container == config.ContainerAuto {
		l.framing = pipeline.NewFraming(f.maxLine)
	}
	return l
}

// each calls f with every line of r, without its newline, and whether it was shortened. The line is f's until it returns. A
// last line without a newline counts.
func (l *lineReader) each(r io.Reader, f func(line []byte, abridged bool) error) error {
	reader := bufio.NewReaderSize(r, readBytes)
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
func (l *lineReader) next(reader *bufio.Reader) (line []byte, whole bool, err error) {
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
func (l *lineReader) shorten(part []byte, first bool) {
	if first {
		l.short.Reset()
		l.short.Write(l.long)
	}
	l.short.Write(part)
}

// plural is "1 file" or "2 files".
func plural[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
