package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// CheckNamed reports which arguments of a command that reads files and folders cannot be read: standard input, and paths that do
// not exist, except globs. Reading reports those that exist.
func CheckNamed(command string, args []string) error {
	if slices.Contains(args, Stdin) {
		return fmt.Errorf("%s reads files and folders, not standard input", command)
	}
	for _, arg := range args {
		if _, err := os.Stat(arg); err != nil && !isGlob(arg, err) && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// isGlob reports whether an argument that does not exist is a pattern.
func isGlob(arg string, err error) bool {
	return errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?[{")
}
