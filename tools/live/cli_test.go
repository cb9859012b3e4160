package live

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/tools/internal/mockmodel"
)

// cli is how one agent CLI is run against a model server. Its limits say what its formats do not show.
type cli struct {
	provider, program, title string
	node22                   bool // it asks for Node 22
	// args are the arguments for a prompt; `tailspan run --stream` adds those that ask for a stream. again continues the
	// last session.
	args  func(prompt string) []string
	again func(prompt string) []string
	// denying are further arguments for a run in which denied is not allowed, instead of those of args; nil: the same.
	denying func(prompt string) []string
	// inputs are the arguments of a process that reads prompts on standard input, as lines made by input; nil where it
	// reads one prompt only.
	inputs []string
	input  func(prompt string) string
	// home writes the settings of a new stage, and gives the environment.
	home func(t *testing.T, at place) []string
	// settings write further settings, by the name of the scenario that needs them.
	settings map[string]func(t *testing.T, at place)
	// sessions are the globs of the transcripts, below the home folder.
	sessions []string
	shell    func(command string) mockmodel.Call
	// files are the calls of its own tools that read, search and edit a file of the folder where it works.
	files func(work string) []ownCall
	// work is that folder, once it is on a stage.
	work   string
	agents *delegation // nil where there are no sub-agents
	// compact are the settings and arguments with which the second prompt of the scenario compacts.
	compact *compaction
	// retried is the status of an answer that it asks for again.
	retried int
	// cannot has the scenarios that it can not play, with the reason.
	cannot map[string]string
	limits []limit
}

// place is where a CLI works.
type place struct{ home, work, url string }

// ownCall is a call of a CLI's own tool, with what its span has to say of it: the kind of the tool, and what it works on.
type ownCall struct {
	mockmodel.Call
	kind, target string
}

// delegation is how sub-agents are started and asked.
type delegation struct {
	// delegate starts a sub-agent; await waits for its answer, nil where delegate does; ask gives it a further task. The
	// results are those of the calls so far.
	delegate func(task string) mockmodel.Call
	await    func(results string) mockmodel.Call
	ask      func(results, task string) mockmodel.Call
	// report ends the work of a sub-agent; nil: a text does.
	report func(text string) mockmodel.Call
}

// compaction is how a conversation is compacted: by a prompt between the two of the scenario, or by settings, where the
// model reports many tokens.
type compaction struct {
	prompt string
	input  int // tokens that the last answer before it reports; 0: as ever
	// says is how the text begins in which the CLI reports it, as if the model had said it; empty: it does not.
	says string
	// summary is in the body of a request for a summary, and of no other.
	summary *regexp.Regexp
}

const dummyKey = "dummy-key-for-a-mock-server"

type args = map[string]any

func writeFile(t *testing.T, path, data string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(data), 0o600))
}

func match(re *regexp.Regexp, text string) string {
	if m := re.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return "unknown"
}

// clis are the CLIs of docs/conformance.md.
var clis = []cli{claude(), codex(), gemini(), opencode(), qwen()}
