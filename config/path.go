package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// AbsolutePath makes a path from the settings absolute; "~" stands for the home folder.
func AbsolutePath(path string) (string, error) {
	if rest, ok := strings.CutPrefix(filepath.ToSlash(path), "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find home folder: %w", err)
		}
		path = filepath.Join(home, rest)
	}
	return filepath.Abs(path)
}
