package trial

import (
	"bytes"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/tools/program"
)

// stage is a case that is being played.
type stage struct {
	*audience
	t         *testing.T
	caseDir   string
	dir       string // the watched folder
	want      expectation
	setup     collectorSetup
	c         *collectorRun
	malformed int
	warnings  int
}

// newStage sets up the collector without storage, so that stopping it closes all spans and exports all tokens.
func newStage(t *testing.T, name string) *stage {
	s := &stage{audience: newAudience(t), t: t, caseDir: caseDir(t, name), dir: t.TempDir()}
	s.want = readExpectation(t, s.caseDir)
	s.setup = collectorSetup{include: []string{filepath.Join(s.dir, "**", "*.jsonl")}, endpoint: s.server.URL}
	return s
}

func (s *stage) start() {
	s.t.Helper()
	s.c = startCollector(s.t, s.setup)
	s.c.ready()
}

var malformedLines = regexp.MustCompile(`(?m)^otelcol_receiver_agent_stream_lines_not_parsed\S*reason="malformed"\S* (\d+)$`)

// stop ends the collector, which exports everything it holds, and counts what it reported in addition to events.
func (s *stage) stop() {
	s.t.Helper()
	body, err := program.Get(s.t.Context(), s.c.url)
	require.NoError(s.t, err)
	defer body.Close()
	metrics, err := io.ReadAll(body)
	require.NoError(s.t, err)
	for _, m := range malformedLines.FindAllSubmatch(metrics, -1) {
		n, err := strconv.Atoi(string(m[1]))
		require.NoError(s.t, err)
		s.malformed += n
	}
	s.c.end(syscall.SIGTERM)
	s.warnings += bytes.Count(s.c.log.Bytes(), []byte("\twarn\t")) + bytes.Count(s.c.log.Bytes(), []byte("\terror\t"))
}

// steps starts the case's writer.
func (s *stage) steps(environment ...string) *exec.Cmd {
	s.t.Helper()
	cmd := exec.Command("sh", filepath.Join(s.caseDir, "steps.sh"), s.dir)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stderr = os.Stderr
	require.NoError(s.t, cmd.Start())
	return cmd
}

// settle waits for the time between the end of the writing and the end of the collector that the cases allow and
// require: anything surplus would arrive in it.
func (s *stage) settle() { <-time.After(5 * time.Second) }

// finish waits for the writer, and ends the collector after the time that the case specifies.
func (s *stage) finish(cmd *exec.Cmd) {
	s.t.Helper()
	require.NoError(s.t, cmd.Wait())
	s.settle()
	s.stop()
}

// check compares the events with the case. Tokens are on the spans of runs, which a collector with storage keeps open.
func (s *stage) check(ordered bool) {
	s.t.Helper()
	assert.Empty(s.t, compareEvents(s.want.events, s.received(), ordered), "events")
	if s.setup.store == "" && len(s.want.tokens) > 0 {
		got := maps.Clone(s.tokens)
		maps.DeleteFunc(got, func(key string, _ int) bool { _, known := s.want.tokens[key]; return !known })
		assert.Equal(s.t, s.want.tokens, got, "tokens")
	}
}

// ends waits until a file has a suffix.
func (s *stage) ends(path, suffix string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		content, err := os.ReadFile(filepath.Join(s.dir, path))
		return err == nil && strings.HasSuffix(string(content), suffix)
	}, 30*time.Second, 10*time.Millisecond, "%s to end in %q", path, suffix)
}
