package logfile

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Names of rotated files: the stem of the file, a mark that no attribute value has in a path, the time, the extension.
const (
	backupMark   = "~"
	backupLayout = "2006-01-02T15-04-05.000"
	packedSuffix = ".gz"
	unfinished   = packedSuffix + backupMark // of a file that is being compressed
)

// abandonedAfter is how long a partly compressed file must be unchanged to count as left by a killed process.
const abandonedAfter = time.Minute

// rotate renames the file, which own describes, and opens a new one with the same permissions.
func (f *File) rotate(own fs.FileInfo) error {
	moved := f.Moved() // another process that appends to the file has just rotated it
	errs := f.file.Close()
	root, err := openFolder(f.location, f.settings.Mode)
	if err != nil {
		return errors.Join(errs, fmt.Errorf("rotate output %q: %w", f.location.Path(), err))
	}
	defer root.Close()
	if name := filepath.Base(f.location.Name); !moved {
		if err := root.Rename(name, f.backupName(root, name)); err != nil {
			errs = errors.Join(errs, fmt.Errorf("rotate output %q: %w", f.location.Path(), err))
		}
	}
	if err := f.open(); err != nil {
		return errors.Join(errs, err)
	}
	if fresh, err := f.file.Stat(); err == nil && fresh.Size() == 0 && fresh.Mode().Perm() != own.Mode().Perm() {
		errs = errors.Join(errs, f.file.Chmod(own.Mode().Perm()))
	}
	f.cleaning.Go(func() {
		if err := f.cleanUp(); err != nil && f.settings.Failed != nil {
			f.settings.Failed(fmt.Errorf("clean up rotated files of output %q: %w", f.location.Path(), err))
		}
	})
	return errs
}

// backupName returns an unused name for a rotated file.
func (f *File) backupName(root *os.Root, name string) string {
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	taken := func(name string) bool {
		_, err := root.Lstat(name)
		return err == nil
	}
	for at := time.Now(); ; at = at.Add(time.Millisecond) {
		if !f.settings.LocalTime {
			at = at.UTC()
		}
		if name := stem + backupMark + at.Format(backupLayout) + ext; !taken(name) && !taken(name+packedSuffix) {
			return name
		}
	}
}

// backup is a rotated file.
type backup struct {
	name   string
	at     time.Time
	packed bool
}

// cleanUp removes rotated files that are too many or too old, and compresses the others.
func (f *File) cleanUp() error {
	s := f.settings
	if s.MaxBackups <= 0 && s.MaxDays <= 0 && !s.Compress {
		return nil
	}
	f.clean.Lock()
	defer f.clean.Unlock()
	root, err := openFolder(f.location, s.Mode)
	if err != nil {
		return err
	}
	defer root.Close()
	backups, err := f.backups(root)
	if err != nil {
		return err
	}
	oldest := time.Now().AddDate(0, 0, -s.MaxDays)
	var errs error
	for i, b := range backups {
		switch {
		case s.MaxBackups > 0 && i >= s.MaxBackups, s.MaxDays > 0 && b.at.Before(oldest):
			errs = errors.Join(errs, removed(root, b.name))
		case s.Compress && !b.packed:
			errs = errors.Join(errs, pack(root, b.name))
		}
	}
	return errs
}

// removed removes a file that another process may also remove.
func removed(root *os.Root, name string) error {
	if err := root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// backups returns the rotated files, newest first.
func (f *File) backups(root *os.Root) ([]backup, error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	name := filepath.Base(f.location.Name)
	ext := filepath.Ext(name)
	location := time.UTC
	if f.settings.LocalTime {
		location = time.Local
	}
	var all []backup
	for _, e := range entries {
		clock, packed := strings.CutSuffix(e.Name(), packedSuffix)
		clock, ours := strings.CutPrefix(clock, strings.TrimSuffix(name, ext)+backupMark)
		clock, ours2 := strings.CutSuffix(clock, ext)
		if !ours || !ours2 || !e.Type().IsRegular() {
			continue
		}
		if at, err := time.ParseInLocation(backupLayout, clock, location); err == nil {
			all = append(all, backup{name: e.Name(), at: at, packed: packed})
		}
	}
	slices.SortFunc(all, func(a, b backup) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.name, b.name)) })
	return all, nil
}

// pack replaces a rotated file by a compressed one with the same permissions. The compressed file gets its final name only
// when it is complete.
func pack(root *os.Root, name string) error {
	in, err := openFound(root, name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process compressed it
	}
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	part := name + unfinished
	if left, err := root.Lstat(part); err == nil {
		if time.Since(left.ModTime()) < abandonedAfter {
			return nil // another process is compressing it
		}
		if err := root.Remove(part); err != nil {
			return err
		}
	}
	out, err := root.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	packer := gzip.NewWriter(out)
	_, err = io.Copy(packer, in)
	err = errors.Join(err, packer.Close(), out.Close())
	if err == nil {
		err = root.Rename(part, name+packedSuffix)
	}
	if err != nil {
		return errors.Join(err, root.Remove(part))
	}
	return removed(root, name)
}
