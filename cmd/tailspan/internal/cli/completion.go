package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// shellNames are the shells that there are scripts for.
var shellNames = []string{"bash", "zsh", "fish"}

func (p *Program) completionCommand() Command {
	return Command{
		Name: "completion", Usage: []string{strings.Join(shellNames, "|")}, Short: "print the completion script of a shell",
		Long: `Prints a script that has a shell complete commands, flags and their values. It is made of the
same table as the help.`,
		Examples: []Example{
			{p.Name + " completion bash > /etc/bash_completion.d/" + p.Name, "for all users of bash; or source it in ~/.bashrc"},
			{p.Name + ` completion zsh > "${fpath[1]}/_` + p.Name + `"`, "for zsh, before compinit runs"},
			{p.Name + " completion fish > ~/.config/fish/completions/" + p.Name + ".fish", "for fish"},
		},
		New: func(*Flags) Action {
			return func(_ context.Context, args []string, s Streams) error {
				if len(args) != 1 || !slices.Contains(shellNames, args[0]) {
					return UsageError{errors.New("completion needs one shell: " + strings.Join(shellNames, ", "))}
				}
				var out strings.Builder
				switch args[0] {
				case "bash":
					p.bash(&out)
				case "zsh":
					p.zsh(&out)
				case "fish":
					p.fish(&out)
				}
				_, err := io.WriteString(s.Out, out.String())
				return err
			}
		},
	}
}

// words are the words that may be the first argument of a command that is about others.
func (p *Program) words(c *Command) []string {
	switch c.Name {
	case "help":
		return p.names()
	case "completion":
		return shellNames
	default:
		return nil
	}
}

func (p *Program) names() []string {
	var all []string
	for _, c := range p.all() {
		all = append(all, c.Name)
	}
	return all
}

func (p *Program) bash(out *strings.Builder) {
	fmt.Fprintf(out, `# bash completion of %[1]s
_%[1]s() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" flags= words= i
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "%[2]s --help --version" -- "$cur"))
    return
  fi
  [ "$cur" = = ] && cur=
  [ "$prev" = = ] && prev="${COMP_WORDS[COMP_CWORD-2]}"
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [ "${COMP_WORDS[i]}" = -- ]; then
      [ "$COMP_CWORD" -eq $((i + 1)) ] && COMPREPLY=($(compgen -c -- "$cur"))
      return
    fi
  done
  case "${COMP_WORDS[1]} $prev" in
`, p.Name, strings.Join(p.names(), " "))
	for _, c := range p.all() {
		for _, r := range c.rows() {
			if len(r.choices) > 0 {
				fmt.Fprintf(out, "    '%s --%s') COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", c.Name, r.name, strings.Join(r.choices, " "))
			} else if r.value != "" {
				fmt.Fprintf(out, "    '%s --%s') return ;;\n", c.Name, r.name)
			}
		}
	}
	fmt.Fprint(out, "  esac\n  case \"${COMP_WORDS[1]}\" in\n")
	for _, c := range p.all() {
		var flags []string
		for _, r := range c.rows() {
			flags = append(flags, "--"+r.name)
		}
		fmt.Fprintf(out, "    %s) flags=\"%s\" words=\"%s\" ;;\n", c.Name, strings.Join(append(flags, "--help"), " "), strings.Join(p.words(&c), " "))
	}
	fmt.Fprintf(out, `  esac
  case "$cur" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
  esac
}
complete -o default -F _%[1]s %[1]s
`, p.Name)
}

// quiet takes out of a text what would end a quoted word, or mean something in the middle of one.
var quiet = strings.NewReplacer("'", "’", "[", "(", "]", ")", ":", " -", "`", "", "\\", "", "\n", " ", "$", "")

func (p *Program) zsh(out *strings.Builder) {
	fmt.Fprintf(out, "#compdef %[1]s\n_%[1]s() {\n  local -a commands\n  commands=(\n", p.Name)
	for _, c := range p.all() {
		fmt.Fprintf(out, "    '%s:%s'\n", c.Name, quiet.Replace(c.Short))
	}
	fmt.Fprint(out, `  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
`)
	for _, c := range p.all() {
		fmt.Fprintf(out, "    %s)\n      _arguments '--help[print the help]'", c.Name)
		for _, r := range c.rows() {
			value := ""
			switch {
			case len(r.choices) > 0:
				value = fmt.Sprintf(":%s:(%s)", r.name, strings.Join(r.choices, " "))
			case r.value == "FILE":
				value = ":file:_files"
			case r.value != "":
				value = fmt.Sprintf(":%s:", quiet.Replace(strings.ToLower(r.value)))
			}
			equals := ""
			if value != "" {
				equals = "="
			}
			fmt.Fprintf(out, " \\\n        '--%s%s[%s]%s'", r.name, equals, quiet.Replace(r.usage), value)
		}
		switch words := p.words(&c); {
		case c.Child:
			fmt.Fprint(out, " \\\n        '*::command:_normal'")
		case len(words) > 0:
			fmt.Fprintf(out, " \\\n        '1:word:(%s)'", strings.Join(words, " "))
		default:
			fmt.Fprint(out, " \\\n        '*:file:_files'")
		}
		fmt.Fprint(out, "\n      ;;\n")
	}
	fmt.Fprintf(out, "  esac\n}\ncompdef _%[1]s %[1]s\n", p.Name)
}

func (p *Program) fish(out *strings.Builder) {
	fmt.Fprintf(out, "# fish completion of %s\n", p.Name)
	for _, c := range p.all() {
		fmt.Fprintf(out, "complete -c %s -f -n __fish_use_subcommand -a %s -d '%s'\n", p.Name, c.Name, quiet.Replace(c.Short))
		seen := fmt.Sprintf("complete -c %s -n '__fish_seen_subcommand_from %s'", p.Name, c.Name)
		for _, r := range c.rows() {
			fmt.Fprintf(out, "%s -l %s", seen, r.name)
			switch {
			case len(r.choices) > 0:
				fmt.Fprintf(out, " -x -a '%s'", strings.Join(r.choices, " "))
			case r.value == "FILE":
				fmt.Fprint(out, " -r -F")
			case r.value != "":
				fmt.Fprint(out, " -x")
			}
			fmt.Fprintf(out, " -d '%s'\n", quiet.Replace(r.usage))
		}
		if words := p.words(&c); len(words) > 0 {
			fmt.Fprintf(out, "%s -f -a '%s'\n", seen, strings.Join(words, " "))
		}
	}
}

// rows are the flags of the command.
func (c *Command) rows() []row {
	f, _ := c.flags()
	return f.rows()
}
