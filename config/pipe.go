package config

import (
	"errors"
)

// StdinPath stands for standard input where the path of a pipe is asked for.
const StdinPath = "-"

// Pipe is a named pipe that agents write to, or standard input.
type Pipe struct {
	// Path is the FIFO, or "-". It need not exist yet.
	Path string `mapstructure:"path"`
	// Provider is the format of what comes; empty: that of the receiver.
	Provider string `mapstructure:"provider"`
	// Pipeline is the pipeline and step; the default is that of the receiver, as for persona and resource.
	Pipeline Pipeline `mapstructure:"pipeline"`
	// Persona names the top agent (gen_ai.agent.name).
	Persona string `mapstructure:"persona"`
	// Resource are further resource attributes.
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
	// Directory is the folder of spools; empty: the system's folder for temporary files, where unacknowledged
	// input is kept at a stop, but the next start does not resume it.
	Directory string `mapstructure:"directory"`
	// MaxSize is how much of the input of one pipe, or of a command with a pipe, is kept until it is accepted. Further
	// input is read, dropped and counted.
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
