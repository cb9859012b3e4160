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
	// Command is the program and its arguments, run without a shell.
	Command []string `mapstructure:"command"`
	// Dir is the folder in which it runs; empty: that of the collector.
	Dir string `mapstructure:"dir"`
	// Env are variables added to the collector's environment.
	Env map[string]string `mapstructure:"env"`
	// Provider is the format of its output; empty: that of the receiver.
	Provider string `mapstructure:"provider"`
	// StreamFlags adds the flags that make the program write its event stream.
	StreamFlags bool `mapstructure:"stream_flags"`
	// Pipe makes the program write to a pipe instead of a file. The pipe is copied into a spool of at most spool::max_size.
	Pipe bool `mapstructure:"pipe"`
	// GracePeriod is the time between SIGTERM and SIGKILL when the collector shuts down; 0 means 3 s.
	GracePeriod time.Duration `mapstructure:"grace_period"`
	// Pipeline is the pipeline and step. The default is that of the receiver; this also applies to persona and resource.
	Pipeline Pipeline `mapstructure:"pipeline"`
	// Persona is the name of the top-level agent (gen_ai.agent.name).
	Persona string `mapstructure:"persona"`
	// Resource are additional resource attributes.
	Resource map[string]string `mapstructure:"resource"`
}

// Check returns what is wrong, except for the provider, which is checked by the package that knows the providers.
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
			// Do not show the name: after an equal sign it may contain a value.
			errs = append(errs, errors.New("env must have variable names without an equal sign"))
		}
	}
	return errors.Join(errs...)
}

// Environment returns base with the command's own variables added, in a stable order.
func (c *Command) Environment(base []string) []string {
	own := make([]string, 0, len(c.Env))
	for key, value := range c.Env {
		own = append(own, key+"="+value)
	}
	slices.Sort(own)
	return append(slices.Clone(base), own...)
}

// Identity returns the identity of the command's work.
func (c *Command) Identity() Identity {
	return Identity{Pipeline: OwnPipeline{Pipeline: c.Pipeline}, Persona: c.Persona, Resource: c.Resource}
}
