//go:build unix

package source

import (
	"errors"
	"fmt"
	"os"
)

// syncFolder makes a rename last.
func syncFolder(folder string) error {
	d, err := os.Open(folder)
	if err != nil {
		return fmt.Errorf("open folder of positions: %w", err)
	}
	if err := d.Sync(); err != nil {
		return errors.Join(fmt.Errorf("sync folder of positions: %w", err), d.Close())
	}
	if err := d.Close(); err != nil {
		return fmt.Errorf("close folder of positions: %w", err)
	}
	return nil
}
