package process

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// startError returns why a program did not start. If the program name contains spaces, it is probably a shell command line, so
// only its first word is shown: the rest may contain a secret.
func startError(command *exec.Cmd, err error) error {
	var missing *exec.Error
	var path *fs.PathError
	switch {
	case errors.As(err, &missing):
		err = missing.Err
	case errors.As(err, &path):
		err = path.Err
	}
	err = explain(command, err)
	program := command.Args[0]
	if words := strings.Fields(program); len(words) > 1 {
		program = words[0] + " ..."
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; a program and its arguments are separate words", err)
		}
	}
	return fmt.Errorf("start %q: %w", program, err)
}

// explain replaces an error of the system by the one of a shell where it misleads, and adds what it leaves out.
func explain(command *exec.Cmd, err error) error {
	path := command.Path
	if command.Dir != "" {
		if _, failed := os.Stat(command.Dir); failed != nil {
			return err
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(command.Dir, path)
		}
	}
	if errors.Is(err, exec.ErrNotFound) {
		return explainNotFound(command.Args[0], err)
	}
	info, failed := os.Stat(path)
	switch {
	case failed != nil:
		return err
	case info.IsDir():
		return syscall.EISDIR
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOEXEC):
		return explainInterpreter(path, err)
	default:
		return err
	}
}

// explainNotFound returns another error if the search path has the program, but as a file that may not be executed.
func explainNotFound(program string, err error) error {
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(folder, program)
		if info, failed := os.Stat(path); failed == nil && info.Mode().IsRegular() {
			return fmt.Errorf("%s: %w", path, fs.ErrPermission)
		}
	}
	return err
}

// explainInterpreter returns what is wrong with the interpreter of an existing file.
func explainInterpreter(path string, err error) error {
	file, failed := os.Open(path)
	if failed != nil {
		return err
	}
	defer file.Close()
	begin, _ := io.ReadAll(io.LimitReader(file, maxInterpreterLine)) // an unreadable file begins with nothing
	line, _, _ := bytes.Cut(begin, []byte("\n"))
	interpreter, script := bytes.CutPrefix(line, []byte("#!"))
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case missing && script && bytes.HasSuffix(interpreter, []byte("\r")):
		return fmt.Errorf("%w: its interpreter %q is not there: the file has the line ends of Windows", syscall.ENOEXEC, bytes.TrimLeft(interpreter, " "))
	case missing && script:
		return fmt.Errorf("%w: its interpreter %q is not there", syscall.ENOEXEC, bytes.TrimSpace(interpreter))
	case missing:
		return fmt.Errorf("%w: the loader that it needs is not there", syscall.ENOEXEC)
	case !script && !bytes.Contains(begin, []byte{0}):
		return fmt.Errorf("%w: its first line names no interpreter (#!); a shell runs it: sh %s", err, path)
	default:
		return err
	}
}

// maxInterpreterLine is how much of a file's first line systems read.
const maxInterpreterLine = 256
