package config

import (
	"errors"
)

// StdinPath is the pipe path that stands for standard input.
const StdinPath = "-"

// Pipe is a named pipe that agents write to, or standard input.
type Pipe struct {
	// Path is the FIFO, or "-". It need not exist yet.
	Path string `mapstructure:"path"`
	// Provider is the format of the input; empty: that of the receiver.
	Provider string `mapstructure:"provider"`
	// Pipeline is the pipeline and step. The default is that of the receiver; this also applies to persona and resource.
	Pipeline Pipeline `mapstructure:"pipeline"`
	// Persona is the name of the top-level agent (gen_ai.agent.name).
	Persona string `mapstructure:"persona"`
	// Resource are additional resource attributes.
	Resource map[string]string `mapstructure:"resource"`
}

// Check returns what is wrong, except for the provider, which is checked by the package that knows the providers.
func (p *Pipe) Check() error {
	if p.Path == "" {
		return errors.New(`path must name a FIFO, or "-" for standard input`)
	}
	return nil
}

// Identity returns the identity of the work that comes through the pipe.
func (p *Pipe) Identity() Identity {
	return Identity{Pipeline: OwnPipeline{Pipeline: p.Pipeline}, Persona: p.Persona, Resource: p.Resource}
}

// Spool configures where input is stored until it is acknowledged, and how much of it.
type Spool struct {
	// Directory is the folder for spools; empty: the system's temporary folder. Unacknowledged input there is kept at
	// shutdown, but the next start does not resume it.
	Directory string `mapstructure:"directory"`
	// MaxSize is how much input of one pipe, or of a command with a pipe, is stored until it is acknowledged. Further input is
	// read, dropped and counted.
	MaxSize Size `mapstructure:"max_size"`
}

// DefaultMaxSpool is how much input is stored by default.
const DefaultMaxSpool = 4 << 30

// NewDefaultSpool returns the defaults.
func NewDefaultSpool() Spool { return Spool{MaxSize: DefaultMaxSpool} }

// Check returns what is wrong.
func (s *Spool) Check() error {
	return positive("spool::max_size", s.MaxSize)
}
