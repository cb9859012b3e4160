package config

import (
	"errors"
)

// StdinPath stands for standard input where the path of a pipe is asked for.
const StdinPath = "-"

// Pipe is a named pipe that agents write to, or standard input.
type Pipe struct {
	// Path is the FIFO, or "-". It need not be there yet.
	Path string `mapstructure:"path"`
	// Provider is the format of what comes; empty: that of the receiver.
	Provider string `mapstructure:"provider"`
	// Pipeline, Persona and Resource say whose work it is; where they do not, the receiver's settings do.
	Pipeline Pipeline          `mapstructure:"pipeline"`
	Persona  string            `mapstructure:"persona"`
	Resource map[string]string `mapstructure:"resource"`
}

// Check reports what is wrong; what a provider may be is checked by the package that knows.
func (p *Pipe) Check() error {
	if p.Path == "" {
		return errors.New(`path must name a FIFO, or "-" for standard input`)
	}
	return nil
}

// Identity is whose work comes through the pipe.
func (p *Pipe) Identity() Identity {
	return Identity{Pipeline: OwnPipeline{Pipeline: p.Pipeline}, Persona: p.Persona, Resource: p.Resource}
}

// Spool says where input lies until it has been accepted, and how much of it.
type Spool struct {
	// Directory is the folder of spools; empty: the system's folder for temporary files, where what was not accepted at a
	// stop is kept, but not taken up by the next start.
	Directory string `mapstructure:"directory"`
	// MaxSize is how much of the input of one pipe, or of a command with a pipe, is kept until it is accepted. What comes
	// beyond is read, dropped and counted.
	MaxSize Size `mapstructure:"max_size"`
}

// DefaultMaxSpool is how much input is kept by default.
const DefaultMaxSpool = 4 << 30

// NewDefaultSpool are the defaults.
func NewDefaultSpool() Spool { return Spool{MaxSize: DefaultMaxSpool} }

// Check reports what is wrong.
func (s *Spool) Check() error {
	return positive("spool::max_size", s.MaxSize)
}
