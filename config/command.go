package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Command is an agent that the receiver runs itself.
type Command struct {
	// Command is the program and its arguments; no shell takes part.
	Command []string `mapstructure:"command"`
	// Dir is the folder it runs in; empty: that of the collector.
	Dir string `mapstructure:"dir"`
	// Env are variables added to the collector's own.
	Env map[string]string `mapstructure:"env"`
	// Provider is the format of its output; empty: that of the receiver.
	Provider string `mapstructure:"provider"`
	// StreamFlags adds the flags that make the program write its stream.
	StreamFlags bool `mapstructure:"stream_flags"`
	// Pipe lets the program write to a pipe instead of a file, which is copied into a spool of at most spool::max_size.
	Pipe bool `mapstructure:"pipe"`
	// GracePeriod is the time between SIGTERM and SIGKILL when the collector shuts down; 0 means 3 s.
	GracePeriod time.Duration `mapstructure:"grace_period"`
	// Pipeline is the pipeline and step; the default is that of the receiver, as for persona and resource.
	Pipeline Pipeline `mapstructure:"pipeline"`
	// Persona names the top agent (gen_ai.agent.name).
	Persona string `mapstructure:"persona"`
	// Resource are further resource attributes.
	Resource map[string]string `mapstructure:"resource"`
}

// Check reports what is wrong; what a provider may be is checked by the package that knows.
func (c *Command) Check() error {
	var errs []error
	if len(c.Command) == 0 || c.Command[0] == "" {
		errs = append(errs, errors.New("command must name a program"))
	}
	if c.GracePeriod < 0 {
		errs = append(errs, fmt.Errorf("grace_period must not be negative, got %s", c.GracePeriod))
	}
	for key := range c.Env {
		if key == "" || strings.ContainsAny(key, "=\x00") {
			// A name with an equal sign may have the value behind it.
			errs = append(errs, errors.New("env must have names of variables, without an equal sign"))
		}
	}
	return errors.Join(errs...)
}

// Environment is base with the command's own variables, in a stable order.
func (c *Command) Environment(base []string) []string {
	own := make([]string, 0, len(c.Env))
	for key, value := range c.Env {
		own = append(own, key+"="+value)
	}
	slices.Sort(own)
	return append(slices.Clone(base), own...)
}

// Identity is whose work the command is.
func (c *Command) Identity() Identity {
	return Identity{Pipeline: OwnPipeline{Pipeline: c.Pipeline}, Persona: c.Persona, Resource: c.Resource}
}
