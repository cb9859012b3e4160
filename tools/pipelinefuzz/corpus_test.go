package pipelinefuzz

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/transcripttest"
)

// session is the content of one file: lines with their newlines, perhaps except for the last one.
type session struct {
	name  string // name of its fixture or generator
	lines [][]byte
}

func (s session) clone() session { return session{s.name, append([][]byte(nil), s.lines...)} }

func (s session) bytes() []byte { return bytes.Join(s.lines, nil) }

// maxFixture limits the size of the recordings in rounds, so that a round takes a fraction of a second.
const maxFixture = 150 << 10

// corpus returns the recordings of all providers, sorted by name.
var corpus = sync.OnceValues(func() ([]session, error) {
	var all []session
	for _, glob := range []string{"*/*.jsonl", "spans/*/*.jsonl"} {
		paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", glob))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			if len(data) == 0 || len(data) > maxFixture {
				continue
			}
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../testdata/")
			all = append(all, session{name, bytes.SplitAfter(data, []byte("\n"))})
		}
	}
	return all, nil
})

func recordings(t testing.TB) []session {
	t.Helper()
	all, err := corpus()
	require.NoError(t, err)
	require.Greater(t, len(all), 100)
	return all
}

// generated returns a session whose IDs come from a small set, so that sessions of a round share some of them.
func generated(t testing.TB, rng *rand.Rand) session {
	t.Helper()
	if rng.IntN(3) == 0 {
		var b bytes.Buffer
		_, err := transcripttest.Write(&b, rng.Uint64N(50), 2000+rng.IntN(20000))
		require.NoError(t, err)
		return session{"generated/transcript", bytes.SplitAfter(b.Bytes(), []byte("\n"))}
	}
	w := writer{rng: rng, session: w(rng, "session", 20), now: 1_790_000_000 + rng.Int64N(100_000)}
	kinds := []func(){w.claudeStream, w.codexStream, w.geminiStream, w.completions}
	kinds[rng.IntN(len(kinds))]()
	return session{"generated/" + w.kind, w.lines}
}
