package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
)

func (p *Program) manCommand() Command {
	return Command{
		Name: "man", Usage: []string{""}, Short: "print the manual page",
		Long: "Prints the manual page, made of the same table as the help.",
		Examples: []Example{
			{p.Name + " man | man -l -", "read it"},
			{p.Name + " man > /usr/local/share/man/man1/" + p.Name + ".1", "install it"},
			{p.Name + " man | mandoc -T html > " + p.Name + ".html", "make a web page of it"},
		},
		New: func(*Flags) Action {
			return func(_ context.Context, args []string, s Streams) error {
				if err := noArguments("man", args); err != nil {
					return err
				}
				var out strings.Builder
				p.man(&out)
				_, err := io.WriteString(s.Out, out.String())
				return err
			}
		},
	}
}

// roff escapes a text for troff.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", "").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// man writes the manual page with the macros of man(7).
func (p *Program) man(out *strings.Builder) {
	fmt.Fprintf(out, ".TH %s 1 \"\" %q\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", strings.ToUpper(p.Name), p.Name+" "+Version(), p.Name, roff(p.Short))
	for i, c := range p.all() {
		for j, form := range c.Usage {
			if i+j > 0 {
				fmt.Fprint(out, ".br\n")
			}
			fmt.Fprintf(out, ".B %s %s\n", p.Name, c.Name)
			if form != "" {
				fmt.Fprintf(out, "%s\n", roff(form))
			}
		}
	}
	fmt.Fprint(out, ".SH COMMANDS\n")
	for _, c := range p.all() {
		fmt.Fprintf(out, ".SS %s \\- %s\n%s\n", c.Name, roff(c.Short), roff(c.Long))
		for _, r := range c.rows() {
			fmt.Fprintf(out, ".TP\n.B %s\n%s\n", roff(r.head()), roff(r.usage))
		}
		for i, e := range c.Examples {
			if i == 0 {
				fmt.Fprint(out, ".PP\nExamples:\n")
			}
			fmt.Fprintf(out, ".TP\n.B %s\n%s\n", roff(e.Line), roff(e.Does))
		}
	}
	fmt.Fprint(out, ".SH EXIT STATUS\n")
	for _, e := range ExitCodes {
		fmt.Fprintf(out, ".TP\n.B %s\n%s\n", roff(e.Code), roff(e.Meaning))
	}
}
