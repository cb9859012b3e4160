package cli

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"text/tabwriter"
)

// help prints the list of commands.
func (p *Program) help(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "usage: %s COMMAND [flags] ...\n\ncommands:\n", p.Name)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range p.all() {
		fmt.Fprintf(table, "  %s\t%s\n", c.Name, c.Short)
	}
	_ = table.Flush() // bufio.Writer keeps the error
	writeExitCodes(out)
	fmt.Fprintf(out, "\n%q prints the flags and examples of a command, %q the version.\n", p.Name+" COMMAND --help", p.Name+" --version")
	return flushHelp(out)
}

func flushHelp(out *bufio.Writer) error {
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write help: %w", err)
	}
	return nil
}

func writeExitCodes(w io.Writer) {
	fmt.Fprint(w, "\nexit codes:\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, e := range ExitCodes {
		fmt.Fprintf(table, "  %s\t%s\n", e.Code, e.Meaning)
	}
	_ = table.Flush() // w keeps the error
}

// helpOf prints the help of one command.
func (p *Program) helpOf(c *Command, w io.Writer) error {
	out := bufio.NewWriter(w)
	for i, form := range c.Usage {
		fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("%s %s %s %s", []string{"usage:", "      "}[min(i, 1)], p.Name, c.Name, form), " "))
	}
	fmt.Fprintf(out, "\n%s\n", c.Long)
	for i, row := range c.rows() {
		if i == 0 {
			fmt.Fprint(out, "\nflags:\n")
		}
		fmt.Fprintf(out, "  %s\n%s", row.head(), wrap(row.usage, 86, "      "))
	}
	for i, e := range c.Examples {
		if i == 0 {
			fmt.Fprint(out, "\nexamples:\n")
		}
		fmt.Fprintf(out, "  %s\n      %s\n", e.Line, e.Does)
	}
	fmt.Fprintf(out, "\nExit codes: %s --help\n", p.Name)
	return flushHelp(out)
}

// row is a flag as help, manual and completions show it.
type row struct {
	name, value, usage string // value is empty if the flag needs none
	choices            []string
	several            bool // the value is a list of choices
}

func (r *row) head() string {
	if r.value == "" {
		return "--" + r.name
	}
	return "--" + r.name + " " + r.value
}

// rows returns the flags sorted by name.
func (f *Flags) rows() []row {
	var all []row
	f.VisitAll(func(one *flag.Flag) {
		value, usage := flag.UnquoteUsage(one)
		_, several := one.Value.(*list)
		if choices := f.choices[one.Name]; choices != nil && !several {
			value = strings.Join(choices, "|")
		} else if _, ok := one.Value.(*size); ok {
			value = "SIZE"
		}
		if !strings.Contains(value, "|") {
			value = strings.ToUpper(value)
		}
		switch one.DefValue {
		case "", "false", "0", "0s":
		default:
			usage += " (default: " + one.DefValue + ")"
		}
		all = append(all, row{one.Name, value, usage, f.choices[one.Name], several})
	})
	return all
}

// wrap breaks a text into indented lines of at most width columns.
func wrap(text string, width int, indent string) string {
	var out strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case column == 0:
			out.WriteString(indent + word)
			column = len(indent) + len(word)
		case column+1+len(word) > width:
			out.WriteString("\n" + indent + word)
			column = len(indent) + len(word)
		default:
			out.WriteString(" " + word)
			column += 1 + len(word)
		}
	}
	return out.String() + "\n"
}

// version is set by the build (Makefile).
var version string

// Version returns the version that the build set, or the module version that the go command recorded, or "(devel)".
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Count formats a number with its noun: "1 file", "2 files".
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
