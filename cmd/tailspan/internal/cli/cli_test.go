package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/config"
)

// program has a command of each kind.
func program() *cli.Program {
	flags := func(f *cli.Flags) cli.Action {
		var mode, parts string
		var size config.Size
		f.ChoiceVar(&mode, "mode", "calm", []string{"calm", "loud"}, "how")
		f.ListVar(&parts, "parts", "all", []string{"all", "left", "right"}, "which `parts`")
		f.SizeVar(&size, "size", 1<<20, "how much: it's [not] `little`")
		wait := f.Duration("wait", time.Second, "how long")
		f.String("out", "", "write to this `file`")
		count := f.Int("count", 0, "how many")
		yes := f.Bool("yes", false, "do it")
		return func(_ context.Context, args []string, s cli.Streams) error {
			_, err := fmt.Fprintln(s.Out, mode, int64(size), *wait, *count, *yes, f.Given("mode"), parts, args)
			return err
		}
	}
	fails := map[string]error{
		"usage": cli.UsageError{Err: errors.New("one\ntwo")}, "missing": cli.UsageError{Err: fs.ErrNotExist},
		"fails": errors.New("broken \x1b[2J disk"), "own": cli.ExitError{Status: 77}, "pipe": &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE},
		"sent": fmt.Errorf("send traces: %w", &net.OpError{Op: "write", Net: "tcp", Err: syscall.EPIPE}),
	}
	p := &cli.Program{Name: "demo", Short: "shows", Commands: []cli.Command{
		{Name: "do", Usage: []string{"[flags] FILE"}, Short: "does it", Long: ".It does\nit.", New: flags, Examples: []cli.Example{{Line: "demo do x", Does: "it"}}},
		{Name: "child", Usage: []string{"-- COMMAND"}, Short: "runs it", Child: true, New: flags},
	}}
	for _, name := range slices.Sorted(maps.Keys(fails)) {
		err := fails[name]
		p.Commands = append(p.Commands, cli.Command{Name: name, New: func(*cli.Flags) cli.Action {
			return func(context.Context, []string, cli.Streams) error { return err }
		}})
	}
	return p
}

func run(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = program().Run(context.Background(), args, cli.Streams{Out: &out, Err: &errs})
	return code, out.String(), errs.String()
}

// TestRun checks how flags are parsed, where they may stand, and how a call ends.
func TestRun(t *testing.T) {
	for _, tc := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"do", 0, "calm 1048576 1s 0 false false all []\n", ""},
		{"do a --mode loud b --size=2kB --yes -- --mode", 0, "loud 2000 1s 0 true true all [a b --mode]\n", ""},
		{"do -mode loud", 0, "loud 1048576 1s 0 false true all []\n", ""},
		{"child --yes -- ls --yes", 0, "calm 1048576 1s 0 true false all [ls --yes]\n", ""},
		{"child ls --no-such", 0, "calm 1048576 1s 0 false false all [ls --no-such]\n", ""},
		{"do --mode loud --mode calm", 0, "calm 1048576 1s 0 false true all []\n", ""},
		{"do --parts left --parts=right,all", 0, "calm 1048576 1s 0 false false left,right,all []\n", ""},
		{"do -x", 2, "", "demo: no such flag: -x; see demo do --help\n"},
		{"do --count 1.5", 2, "", `demo: --count must be a whole number, got "1.5"; see demo do --help` + "\n"},
		{"do --no-such", 2, "", "demo: no such flag: --no-such; see demo do --help\n"},
		{"do --mode", 2, "", "demo: a value is missing after --mode; see demo do --help\n"},
		{"do --mode wild", 2, "", `demo: --mode must be one of calm, loud, got "wild"; see demo do --help` + "\n"},
		{"do --size much", 2, "", `demo: --size must be a number of bytes or have a unit as in 2MiB, got "much"; see demo do --help` + "\n"},
		{"do --size 0", 2, "", `demo: --size must be positive, got "0"; see demo do --help` + "\n"},
		{"do --wait long", 2, "", `demo: --wait must be a duration such as 30s or 5m, got "long"; see demo do --help` + "\n"},
		{"do --count x", 2, "", `demo: --count must be a whole number, got "x"; see demo do --help` + "\n"},
		{"do --yes=maybe", 2, "", `demo: --yes must be true or false, got "maybe"; see demo do --help` + "\n"},
		{"man x", 2, "", `demo: man takes no arguments, got "x"; see demo man --help` + "\n"},
		{"version x y", 2, "", `demo: version takes no arguments, got "x y"; see demo version --help` + "\n"},
		{"help do child", 2, "", "demo: help takes one command; see demo help --help\n"},
		{"usage", 2, "", "demo: one; two; see demo usage --help\n"},
		{"missing", 2, "", "demo: file does not exist\n"},
		{"fails", 1, "", "demo: broken  disk\n"},
		{"own", 77, "", ""},
		{"pipe", 0, "", ""},
		{"sent", 1, "", "demo: send traces: write tcp: broken pipe\n"},
		{"completion tcsh", 2, "", "demo: completion needs one shell: bash, zsh, fish; see demo completion --help\n"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			code, stdout, stderr := run(strings.Fields(tc.args)...)
			assert.Equal(t, tc.code, code)
			assert.Equal(t, tc.stdout, stdout)
			assert.Equal(t, tc.stderr, stderr)
		})
	}
	code, _, stderr := run("d")
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, `command "d" is not known, want one of do, child, `)
	code, _, stderr = run()
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "usage: demo COMMAND")
}

func TestHelp(t *testing.T) {
	_, all, _ := run("--help")
	_, same, _ := run("help")
	assert.Equal(t, all, same)
	assert.Contains(t, all, "  do          does it\n")
	assert.Contains(t, all, "  128+N ")
	code, help, _ := run("do", "--help")
	assert.Zero(t, code)
	_, same, _ = run("help", "do")
	assert.Equal(t, help, same)
	for _, want := range []string{
		"usage: demo do [flags] FILE\n", ".It does\nit.\n", "  --mode calm|loud\n      how (default: calm)\n", "  --size SIZE\n", "(default: 1MiB)\n",
		"  --parts PARTS\n", "  --yes\n", "examples:\n  demo do x\n      it\n",
	} {
		assert.Contains(t, help, want)
	}
}

// TestBashCompletion completes input with bash.
func TestBashCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	_, script, _ := run("completion", "bash")
	for typed, want := range map[string]string{
		"demo d": "do", "demo do --m": "--mode", "demo do --mode l": "loud", "demo do --mode = ": "calm loud", "demo do --out ": "",
		"demo do --parts ": "all left right", "demo do --parts left,r": "left,right", "demo do --parts = ": "all left right",
		"demo completion z": "zsh", "demo help ch": "child", "demo child -- --m": "", "demo do --he": "--help",
	} {
		words := strings.Split(typed, " ")
		test := script + `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _demo; echo "${COMPREPLY[*]}"`
		out, err := exec.Command(bash, append([]string{"-c", test, "bash"}, words...)...).CombinedOutput()
		require.NoError(t, err, string(out))
		assert.Equal(t, want+"\n", string(out), typed)
	}
}

// TestHelpOnAFullDisk: help that cannot be written is a failure.
func TestHelpOnAFullDisk(t *testing.T) {
	for _, args := range []string{"--help", "help do", "man", "completion zsh", "version"} {
		code := program().Run(t.Context(), strings.Fields(args), cli.Streams{Out: failing{}, Err: &bytes.Buffer{}})
		assert.Equal(t, cli.ExitFailure, code, args)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestFishCompletion completes input with fish.
func TestFishCompletion(t *testing.T) {
	fish, err := exec.LookPath("fish")
	if err != nil {
		t.Skip("fish is not installed")
	}
	t.Setenv("HOME", t.TempDir())
	_, script, _ := run("completion", "fish")
	for typed, want := range map[string]string{
		"demo d": "do", "demo do --m": "--mode", "demo do --mode ": "calm loud", "demo completion z": "zsh", "demo help ch": "child", "demo do --he": "--help",
		"demo --v": "--version", "demo do child --ye": "--yes", "demo child --ye": "--yes", "demo child -- demo do --m": "--mode", "demo man do --m": "",
	} {
		out, err := exec.Command(fish, "--no-config", "-c", script+"complete -C '"+typed+"'").CombinedOutput()
		require.NoError(t, err, string(out))
		var got []string
		for line := range strings.Lines(string(out)) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			got = append(got, word)
		}
		assert.Equal(t, want, strings.Join(got, " "), typed)
	}
}

// TestScripts checks that the other shells, if installed, accept their scripts, and that the scripts have all flags.
func TestScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			_, script, _ := run("completion", shell)
			for _, name := range []string{"mode", "size", "wait", "out", "yes"} {
				assert.Contains(t, script, name)
			}
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(shell + " is not installed")
			}
			check := exec.Command(path, "-n")
			check.Stdin = strings.NewReader(script)
			out, err := check.CombinedOutput()
			assert.NoError(t, err, string(out))
		})
	}
}

// TestMan checks that the manual page is complete and that no text is read as a troff request.
func TestMan(t *testing.T) {
	_, page, _ := run("man")
	for _, want := range []string{
		".TH DEMO 1 ", "demo \\- shows\n", ".SS do \\- does it\n\\&.It does\n", ".TP\n.B \\-\\-mode calm|loud\nhow (default: calm)\n", ".SH EXIT STATUS\n", ".B 128+N\n",
	} {
		assert.Contains(t, page, want)
	}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, ".") {
			assert.Regexp(t, `^\.(TH|SH|SS|TP|B|br|PP)\b`, line)
		}
	}
}
