package agentstreamreceiver

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/tailspan/tailspan/config"
)

// validatePipes reports what is wrong with the pipes.
func (c *Config) validatePipes() error {
	var errs []error
	seen := map[string]bool{}
	for i := range c.Pipes {
		p := &c.Pipes[i]
		err := errors.Join(p.Check(), validProvider(c.providerOr(p.Provider)))
		switch {
		case p.Path == "":
		case seen[p.Path]:
			err = errors.Join(err, fmt.Errorf("path %q is listed twice", p.Path))
		case p.Path != config.StdinPath && runtime.GOOS == "windows":
			err = errors.Join(err, fmt.Errorf("path %q: this system has no FIFOs, only %q", p.Path, config.StdinPath))
		}
		seen[p.Path] = true
		if err != nil {
			errs = append(errs, fmt.Errorf("pipes[%d]: %w", i, err))
		}
	}
	return errors.Join(errs...)
}
