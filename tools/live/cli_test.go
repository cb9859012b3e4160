package live

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/tools/internal/mockmodel"
)

// cli says how to run one agent CLI against a model server. Its limits list what its formats do not show.
type cli struct {
	provider, program, title string
	node22                   bool // it requires Node 22
	// args are the arguments for a prompt; `tailspan run --stream` adds those that request a stream. again continues the
	// last session.
	args  func(prompt string) []string
	again func(prompt string) []string
	// denying replaces args for a run in which the tool denied is not allowed; nil means args.
	denying func(prompt string) []string
	// inputs are the arguments of a process that reads prompts from standard input, as lines made by input; nil if it
	// reads only one prompt.
	inputs []string
	input  func(prompt string) string
	// home writes the settings of a new stage and returns the environment.
	home func(t *testing.T, at place) []string
	// settings write further settings, by the name of the scenario that needs them.
	settings map[string]func(t *testing.T, at place)
	// sessions are the globs of the transcripts, below the home folder.
	sessions []string
	shell    func(command string) mockmodel.Call
	// files are the calls of its own tools that read, search and edit a file in its working directory.
	files func(work string) []ownCall
	// work is that directory on the current stage.
	work   string
	agents *delegation // nil if it has no sub-agents
	// compact are the settings and arguments with which the second prompt of the scenario compacts.
	compact *compaction
	// retried is the status of an answer for which it repeats the request.
	retried int
	// cannot maps the scenarios that it does not support to the reason.
	cannot map[string]string
	limits []limit
}

// place is where a CLI runs.
type place struct{ home, work, url string }

// ownCall is a call of a CLI's own tool, with the expected kind and target of its span.
type ownCall struct {
	mockmodel.Call
	kind, target string
}

// delegation says how sub-agents are started and given tasks.
type delegation struct {
	// delegate starts a sub-agent; await waits for its answer, nil if delegate does; ask gives it a further task. The
	// results are those of the calls so far.
	delegate func(task string) mockmodel.Call
	await    func(results string) mockmodel.Call
	ask      func(results, task string) mockmodel.Call
	// report ends the work of a sub-agent; nil if a text does.
	report func(text string) mockmodel.Call
}

// compaction says how a conversation is compacted: by a prompt between the two of the scenario, or by settings if the
// model reports many tokens.
type compaction struct {
	prompt string
	input  int // tokens that the last answer before it reports; 0 means the usual number
	// says is the beginning of the text that reports the compaction as if the model had said it; empty if there is none.
	says string
	// summary matches only bodies of requests for a summary.
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
