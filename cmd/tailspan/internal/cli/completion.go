package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// shellNames lists the shells that have a script.
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

// words returns the possible first arguments of a command that takes the name of a command or shell.
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
			choices := strings.Join(r.choices, " ")
			switch {
			case r.several:
				const afterComma = `    '%s --%s') COMPREPLY=($(compgen -P "${cur%%"${cur##*,}"}" -W "%s" -- "${cur##*,}")); return ;;` + "\n"
				fmt.Fprintf(out, afterComma, c.Name, r.name, choices)
			case len(r.choices) > 0:
				fmt.Fprintf(out, "    '%s --%s') COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", c.Name, r.name, choices)
			case r.value != "":
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

// quiet removes characters that would end a quoted word or have a meaning inside it.
var quiet = strings.NewReplacer("'", "’", "[", "(", "]", ")", ":", " -", "`", "", "\\", "", "\n", " ", "$", "")

// zshChild completes what is after --, the command that the subcommand starts, as that command's own words.
const zshChild = `      local at=${words[(i)--]}
      if (( at < CURRENT )); then
        shift $at words
        (( CURRENT -= at ))
        _normal
        return
      fi
`

func (p *Program) zsh(out *strings.Builder) {
	fmt.Fprintf(out, "#compdef %[1]s\n_%[1]s() {\n  local -a subcommands\n  subcommands=(\n", p.Name)
	for _, c := range p.all() {
		fmt.Fprintf(out, "    '%s:%s'\n", c.Name, quiet.Replace(c.Short))
	}
	fmt.Fprint(out, `  )
  if (( CURRENT == 2 )); then
    _describe command subcommands
    _arguments '--help[print the list of commands]' '--version[print the version]'
    return
  fi
  local subcommand=$words[2]
  shift words
  (( CURRENT-- ))
  case $subcommand in
`)
	for _, c := range p.all() {
		fmt.Fprintf(out, "    %s)\n", c.Name)
		if c.Child {
			fmt.Fprint(out, zshChild)
		}
		fmt.Fprint(out, "      _arguments -S '--help[print the help]'")
		for _, r := range c.rows() {
			value := ""
			switch {
			case r.several:
				value = fmt.Sprintf(":%s:_sequence compadd - %s", r.name, strings.Join(r.choices, " "))
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
	// A file of fpath is itself the function when a completion loads it; a sourced file is not.
	fmt.Fprintf(out, "  esac\n}\nif [[ $funcstack[1] = _%[1]s ]]; then\n  _%[1]s \"$@\"\nelse\n  compdef _%[1]s %[1]s\nfi\n", p.Name)
}

func (p *Program) fish(out *strings.Builder) {
	fmt.Fprintf(out, `# fish completion of %[1]s
function __%[1]s_command # whether the command is one of these
  set -l words (commandline -opc)
  set -q words[2]; and contains -- $words[2] $argv
end
function __%[1]s_child # whether the command line of another program is behind --
  __%[1]s_command $argv; and contains -- -- (commandline -opc)
end
function __%[1]s_complete_child
  set -l words (commandline -opc)
  set -l at (contains -i -- -- $words)
  set -l typed (commandline -ct)
  complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..]) "$typed")
end
`, p.Name)
	top := fmt.Sprintf("complete -c %s -n 'not __%[1]s_command %s'", p.Name, strings.Join(p.names(), " "))
	for _, c := range p.all() {
		fmt.Fprintf(out, "%s -f -a %s -d '%s'\n", top, c.Name, quiet.Replace(c.Short))
		on := fmt.Sprintf("complete -c %s -n '__%[1]s_command %s", p.Name, c.Name)
		if c.Child {
			fmt.Fprintf(out, "complete -c %s -n '__%[1]s_child %s' -x -a '(__%[1]s_complete_child)'\n", p.Name, c.Name)
			on += fmt.Sprintf("; and not __%s_child %s", p.Name, c.Name)
		}
		on += "'"
		for _, r := range c.rows() {
			fmt.Fprintf(out, "%s -l %s", on, r.name)
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
		fmt.Fprintf(out, "%s -l help -d 'print the help'\n", on)
		if words := p.words(&c); len(words) > 0 {
			fmt.Fprintf(out, "%s -f -a '%s'\n", on, strings.Join(words, " "))
		}
	}
	fmt.Fprintf(out, "%s -l help -d 'print the list of commands'\n%[1]s -l version -d 'print the version'\n", top)
}

// rows returns the flags of the command.
func (c *Command) rows() []row {
	f, _ := c.flags()
	return f.rows()
}
