package show

import (
	"errors"
	"fmt"
	"io"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
)

// Copy writes an input unchanged.
func Copy(stdout io.Writer, in io.Reader) error {
	_, err := io.Copy(stdout, in)
	if err == nil || errors.As(err, &input.Error{}) {
		return err
	}
	return fmt.Errorf("write log: %w", err)
}
