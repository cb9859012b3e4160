package input

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/opencodetree"
	"github.com/tailspan/tailspan/internal/files/unpack"
	"github.com/tailspan/tailspan/poll/opencodedb"
)

// Open opens a file, or standard input for "-". It decompresses content by name or magic number, and reads a folder of OpenCode's
// older storage, or a SQLite database of OpenCode, as lines.
func Open(name string, stdin io.Reader, stderr io.Writer) (io.ReadCloser, error) {
	in, err := openContent(name, stdin, stderr)
	if err != nil {
		return nil, err
	}
	return named{in, name}, nil
}

// openContent is like Open, but its errors need not name the input.
func openContent(name string, stdin io.Reader, stderr io.Writer) (io.ReadCloser, error) {
	if name == Stdin {
		return newSniffed(openStdin(stdin, stderr)), nil
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, cli.UsageError{Err: err}
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
	return content{unpacked, file}, nil
}

// IsDatabase reports whether a path or glob names databases.
func IsDatabase(glob string) bool { return strings.HasSuffix(glob, ".db") }

// Sessions returns the IDs of all sessions of an open input that can have many: a database or a folder of OpenCode. It returns nil
// for any other.
func Sessions(in io.ReadCloser) []string {
	if n, ok := in.(named); ok {
		in = n.ReadCloser
	}
	switch in := in.(type) {
	case *opencodedb.Reader:
		return in.Sessions()
	case *opencodetree.Reader:
		return in.Sessions()
	default:
		return nil
	}
}

// content is the content of a file.
type content struct {
	io.ReadCloser
	file io.Closer
}

func (c content) Close() error { return errors.Join(c.ReadCloser.Close(), c.file.Close()) }

// headOf returns enough of a file's beginning to recognize databases and compressed files.
func headOf(file io.ReaderAt) []byte {
	var head [16]byte
	n, _ := file.ReadAt(head[:], 0) // reading reports an unreadable file
	return head[:n]
}

// openDatabase returns the rows of a database. It closes the file first: closing it later would drop SQLite's locks.
func openDatabase(name string, file io.Closer) (io.ReadCloser, error) {
	if err := file.Close(); err != nil {
		return nil, err
	}
	rows, err := opencodedb.Open(name, opencodedb.Settings{})
	switch {
	case errors.Is(err, opencodedb.ErrNoSessions):
		return nil, cli.UsageError{Err: fmt.Errorf("%w: a SQLite database, but not OpenCode's", err)}
	case err != nil:
		return nil, err
	}
	return rows, nil
}

func openTree(dir string) (io.ReadCloser, error) {
	tree, err := opencodetree.Open(dir)
	if errors.Is(err, opencodetree.ErrNoTree) {
		return nil, cli.UsageError{Err: fmt.Errorf("%w: %q is a folder; name a file in it, or a folder of OpenCode's", err, dir)}
	}
	return tree, err
}
