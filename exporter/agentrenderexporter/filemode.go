package agentrenderexporter

import (
	"fmt"
	"io/fs"
	"strconv"
)

// fileMode is the permissions of a file as written by users: 0600, or "0600".
type fileMode uint32

// UnmarshalText parses octal digits. YAML already reads an unquoted number with a leading 0 as octal.
func (m *fileMode) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 8, 32)
	if err != nil {
		return fmt.Errorf("file_mode must be octal digits such as 0600, got %q", text)
	}
	*m = fileMode(n)
	return nil
}

// MarshalText returns octal digits.
func (m fileMode) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%04o", uint32(m)), nil }

func (m fileMode) perm() fs.FileMode { return fs.FileMode(m) & fs.ModePerm }

// check returns an error for an invalid mode, or one with which we could not write.
func (m fileMode) check() error {
	if m > 0o777 || m&0o600 != 0o600 || m&0o111 != 0 {
		return fmt.Errorf("file_mode must be octal, with read and write permission for the owner and execute permission for nobody, "+
			"such as 0600 or 0640, got %04o", uint32(m))
	}
	return nil
}
