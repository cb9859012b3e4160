package logfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// ErrNotRegular means that a path below its folder leads through a link, or to something other than a regular file.
var ErrNotRegular = errors.New("not a regular file, or behind a link")

// Location is where a file is.
type Location struct {
	// Folder is the trusted part of the path: links in it are followed.
	Folder string
	// Name is the path below Folder.
	Name string
	// Follow opens Name as it is: it was chosen by the operator, and may be a link, a pipe or a device.
	Follow bool
}

// Path returns the whole path.
func (l Location) Path() string { return filepath.Join(l.Folder, l.Name) }

// folderMode returns the mode of folders for files of a mode: whoever may read a file may also enter its folder.
func folderMode(file fs.FileMode) fs.FileMode {
	return 0o700 | file&0o044 | file&0o044>>2
}

// open opens the file at a location for appending. It creates the file and its folders if they are missing.
func open(l Location, mode fs.FileMode) (*os.File, error) {
	if l.Follow {
		if err := os.MkdirAll(filepath.Dir(l.Path()), folderMode(mode)); err != nil {
			return nil, err
		}
		return os.OpenFile(l.Path(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, mode)
	}
	root, err := openFolder(l, mode)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return openRegular(root, filepath.Base(l.Name), mode)
}

// openFolder opens the folder of the file at a location.
func openFolder(l Location, mode fs.FileMode) (*os.Root, error) {
	folder, rest := l.Folder, filepath.Dir(l.Name)
	if l.Follow {
		folder, rest = filepath.Dir(l.Path()), "."
	}
	if err := os.MkdirAll(folder, folderMode(mode)); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(filepath.ToSlash(rest), "/") {
		if name == "" || name == "." {
			continue
		}
		below, err := enter(root, name, folderMode(mode))
		_ = root.Close() // opened only for look-ups: nothing to lose
		if err != nil {
			return nil, err
		}
		root = below
	}
	return root, nil
}

// enter opens a folder in root, creating it if it is missing. A link is not followed: the opened folder must be the entry
// itself.
func enter(root *os.Root, name string, mode fs.FileMode) (*os.Root, error) {
	found, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err := root.Mkdir(name, mode); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		found, err = root.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	if !found.IsDir() {
		return nil, notRegular(root, name)
	}
	below, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if opened, err := below.Stat("."); err != nil || !os.SameFile(found, opened) {
		_ = below.Close()
		return nil, notRegular(root, name)
	}
	return below, nil
}

// attempts bounds the retries for a file that others keep creating and removing.
const attempts = 8

// openRegular opens a regular file in root for appending, creating it if it is missing.
func openRegular(root *os.Root, name string, mode fs.FileMode) (*os.File, error) {
	for range attempts {
		file, err := root.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return file, err
		}
		file, err = openFound(root, name, os.O_APPEND|os.O_WRONLY)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// openFound opens an existing regular file in root. Opening changes nothing, so the opened file is checked afterwards.
func openFound(root *os.Root, name string, flag int) (*os.File, error) {
	found, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !found.Mode().IsRegular() {
		return nil, notRegular(root, name)
	}
	if runtime.GOOS != "windows" {
		flag |= syscall.O_NONBLOCK // a pipe that has replaced it meanwhile must not block
	}
	file, err := root.OpenFile(name, flag, 0)
	if err != nil {
		return nil, err
	}
	if opened, err := file.Stat(); err != nil || !opened.Mode().IsRegular() || !os.SameFile(found, opened) {
		_ = file.Close()
		return nil, notRegular(root, name)
	}
	return file, nil
}

func notRegular(root *os.Root, name string) error {
	return fmt.Errorf("%w: %q", ErrNotRegular, filepath.Join(root.Name(), name))
}
