package cli

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/tailspan/tailspan/config"
)

// Flags are the flags of a command.
type Flags struct {
	*flag.FlagSet
	choices map[string][]string // by name of the flag
}

func newFlags(command string) *Flags {
	f := &Flags{FlagSet: flag.NewFlagSet(command, flag.ContinueOnError), choices: map[string][]string{}}
	f.SetOutput(io.Discard) // an error is reported once, in one line
	return f
}

// Given reports whether a flag was set.
func (f *Flags) Given(name string) bool {
	found := false
	f.Visit(func(set *flag.Flag) { found = found || set.Name == name })
	return found
}

// SizeVar declares a flag for a positive number of bytes, with an optional unit.
func (f *Flags) SizeVar(p *config.Size, name string, value config.Size, usage string) {
	*p = value
	f.Var((*size)(p), name, usage)
}

// ChoiceVar declares a flag that takes one of several values.
func (f *Flags) ChoiceVar(p *string, name, value string, choices []string, usage string) {
	*p = value
	f.choices[name] = choices
	f.Var(&choice{p, choices}, name, usage)
}

// ListVar declares a flag for some of several values, separated by commas. A flag that is repeated adds to the list.
func (f *Flags) ListVar(p *string, name, value string, choices []string, usage string) {
	*p = value
	f.choices[name] = choices
	f.Var(&list{value: p}, name, usage)
}

// parse parses flags and returns the arguments. The arguments of child commands begin with the first non-flag; for others, flags
// may stand between and after arguments. Everything after "--" is an argument.
func (f *Flags) parse(args []string, child bool) (rest []string, err error) {
	var literal []string
	if at := slices.Index(args, "--"); at >= 0 && !child {
		args, literal = args[:at], args[at+1:]
	}
	for {
		if err := f.Parse(args); err != nil {
			return nil, f.flagError(err)
		}
		switch {
		case child:
			return f.Args(), f.swallowed()
		case f.NArg() == 0:
			return append(rest, literal...), nil
		}
		rest, args = append(rest, f.Arg(0)), f.Args()[1:]
	}
}

// swallowed returns the error of a flag that consumed the "--" before a command as its value.
func (f *Flags) swallowed() (err error) {
	f.Visit(func(set *flag.Flag) {
		if set.Value.String() == "--" {
			err = fmt.Errorf("a value is missing after --%s", set.Name)
		}
	})
	return err
}

// invalidValue matches how package flag reports a value (Go 1.26).
var invalidValue = regexp.MustCompile(`(?s)^invalid (?:boolean )?value (".*") for (?:flag )?-(\S+): (.*)$`)

// wanted describes the values of a flag by their type.
var wanted = map[string]string{
	"time.Duration": "must be a duration such as 30s or 5m", "int": "must be a whole number", "int64": "must be a whole number",
	"float64": "must be a number", "bool": "must be true or false",
}

// flagError rewrites an error of package flag so that it names the flag first.
func (f *Flags) flagError(err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	if m := invalidValue.FindStringSubmatch(err.Error()); m != nil {
		value, name, reason := m[1], m[2], m[3]
		if value, ok := f.Lookup(name).Value.(flag.Getter); ok && !strings.HasPrefix(reason, "must ") {
			reason = cmp.Or(wanted[fmt.Sprintf("%T", value.Get())], reason)
		}
		return fmt.Errorf("--%s %s, got %s", name, reason, value)
	}
	for from, to := range map[string]string{
		"flag provided but not defined: -": "no such flag: --",
		"flag needs an argument: -":        "a value is missing after --",
	} {
		if name, ok := strings.CutPrefix(err.Error(), from); ok {
			if len(name) == 1 {
				to = strings.TrimSuffix(to, "-")
			}
			return errors.New(to + name)
		}
	}
	return err
}

// size is a flag for a [config.Size].
type size config.Size

func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	return config.Size(*s).String()
}

// Set parses a number of bytes with an optional unit.
func (s *size) Set(text string) error {
	var value config.Size
	if value.UnmarshalText([]byte(text)) != nil {
		return errors.New("must be a number of bytes or have a unit as in 2MiB")
	}
	if value <= 0 {
		return errors.New("must be positive")
	}
	*s = size(value)
	return nil
}

// choice is a flag that takes one of several values.
type choice struct {
	value   *string
	choices []string
}

func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Set accepts one of the choices.
func (c *choice) Set(text string) error {
	if !slices.Contains(c.choices, text) {
		return fmt.Errorf("must be one of %s", strings.Join(c.choices, ", "))
	}
	*c.value = text
	return nil
}

// list is a flag for several values. Who declares it checks them.
type list struct {
	value *string
	given bool
}

func (l *list) String() string {
	if l.value == nil {
		return ""
	}
	return *l.value
}

// Set replaces the default, then adds to the list.
func (l *list) Set(text string) error {
	if l.given {
		text = *l.value + "," + text
	}
	*l.value, l.given = text, true
	return nil
}
