package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/tools/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestSessions checks that the list has what the stack must show: several pipelines and agents, failures, sub-agents, a run
// without an end and one that is killed.
func TestSessions(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	all, err := readList("tools/agent/sessions.txt")
	require.NoError(t, err)
	pipelines, hows, steps := map[string]bool{}, map[how]bool{}, map[string]bool{}
	for _, s := range all {
		pipelines[s.pipeline], hows[s.how] = true, true
		assert.False(t, steps[s.pipeline+"/"+s.step], "%s is there twice", s.step)
		steps[s.pipeline+"/"+s.step] = true
		assert.NotEmpty(t, s.recording, s.step)
	}
	assert.Greater(t, len(pipelines), 3)
	assert.Len(t, hows, 3)
}

func TestReadListRefuses(t *testing.T) {
	folder := t.TempDir()
	recording := filepath.Join(folder, "a.jsonl")
	require.NoError(t, os.WriteFile(recording, []byte("{}\n"), 0o600))
	for name, list := range map[string]string{
		"nothing":          "# none\n",
		"too few words":    "a b 0s " + recording,
		"a wrong delay":    "a b soon file " + recording,
		"a wrong end":      "a b 0s explodes " + recording,
		"a file not there": "a b 0s file " + recording + "x",
	} {
		path := filepath.Join(folder, "list")
		require.NoError(t, os.WriteFile(path, []byte(list), 0o600))
		_, err := readList(path)
		assert.ErrorContains(t, err, path, name)
	}
}

func TestAgentsPlayRounds(t *testing.T) {
	folder := t.TempDir()
	const recording = `{"timestamp":"2026-11-27T20:00:00Z","id":"e54ad106-a87b-483a-925c-32d7ea3021fc"}` + "\n" + `{"timestamp":"2026-11-27T20:00:05Z"}` + "\n"
	synctest.Test(t, func(t *testing.T) {
		a := agents{
			folder: folder, every: time.Minute, keep: time.Hour, rounds: 2,
			sessions: []session{{"nightly", "fix", time.Second, howFile, recording}, {"nightly", "stop", 0, howStops, withoutEnd(recording)}},
		}
		begin := time.Now()
		require.NoError(t, a.run(t.Context()))
		assert.Equal(t, time.Minute+6*time.Second, time.Since(begin))
	})
	fixes, err := filepath.Glob(filepath.Join(folder, "nightly", "*", "fix.jsonl"))
	require.NoError(t, err)
	require.Len(t, fixes, 2)
	var texts []string
	for _, path := range fixes {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, 2, strings.Count(string(text), "\n"))
		first, last, _ := replay.Times(string(text))
		assert.Equal(t, 5*time.Second, last.Sub(first))
		texts = append(texts, string(text))
	}
	assert.NotEqual(t, strings.Split(texts[0], `"id":`)[1], strings.Split(texts[1], `"id":`)[1], "each run has ids of its own")
}

func TestCleanLeavesOthersAlone(t *testing.T) {
	folder := t.TempDir()
	a := agents{folder: folder, keep: time.Hour, sessions: []session{{pipeline: "nightly"}}}
	write := func(path string, age time.Duration) string {
		path = filepath.Join(folder, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
		return path
	}
	old, young, mixed := write("nightly/1/a.jsonl", 2*time.Hour), write("nightly/2/a.jsonl", time.Minute), write("nightly/3/a.jsonl", 2*time.Hour)
	write("nightly/3/b.jsonl", time.Minute)
	others := write("mine/1/a.jsonl", 2*time.Hour)
	require.NoError(t, a.clean(time.Now()))
	assert.NoFileExists(t, old)
	for _, path := range []string{young, mixed, others} {
		assert.FileExists(t, path)
	}
}

// TestPlayAndKill builds the program: it writes a recording and ends by a signal.
func TestPlayAndKill(t *testing.T) {
	program := filepath.Join(t.TempDir(), "agent")
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	recording := filepath.Join(t.TempDir(), "a.jsonl")
	require.NoError(t, os.WriteFile(recording, []byte("{\"a\":1}\n{\"b\":2}"), 0o600))

	played, err := exec.Command(program, "-play", recording).Output()
	require.NoError(t, err)
	assert.Equal(t, "{\"a\":1}\n{\"b\":2}\n", string(played))

	played, err = exec.Command(program, "-play", recording, "-kill").Output()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, -1, exit.ExitCode(), "ended by a signal")
	assert.Equal(t, "{\"a\":1}\n{\"b\":2}\n", string(played))
}
