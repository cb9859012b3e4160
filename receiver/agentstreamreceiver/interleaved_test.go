package agentstreamreceiver_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/telemetry"
)

// everything are the files of all providers that contain sessions: families grouped, and the others alone.
func everything(t *testing.T) (groups [][]string) {
	t.Helper()
	for _, paths := range families(t) {
		groups = append(groups, paths)
	}
	for _, path := range fixtures(t) {
		groups = append(groups, []string{path})
	}
	others, err := filepath.Glob(filepath.Join(samples, "*", "*.s[se]*n*"))
	require.NoError(t, err)
	for _, path := range others {
		if strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".sse") {
			groups = append(groups, []string{path})
		}
	}
	slices.SortFunc(groups, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return groups
}

// sessionsOf returns the sessions in a file.
func sessionsOf(t *testing.T, path string) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	source, err := parser.New(parser.Auto)
	require.NoError(t, err)
	found := map[string]bool{}
	note := func(evs []events.DisplayEvent) {
		for i := range evs {
			found[evs[i].SessionID] = true
			if s := evs[i].Session; s != nil {
				found[s.PreviousID] = true
			}
		}
	}
	for line := range bytes.Lines(data) {
		note(source.ParseEvents(bytes.TrimSuffix(line, []byte("\n"))))
	}
	note(source.ParseEvents(data)) // a document
	note(source.Flush())
	delete(found, "")
	return found
}

// oneAccountEach are groups no two of which contain the same session.
func oneAccountEach(t *testing.T) (groups [][]string) {
	taken := map[string]bool{}
	for _, group := range everything(t) {
		found := map[string]bool{}
		for _, path := range group {
			for session := range sessionsOf(t, path) {
				found[session] = true
			}
		}
		clash := false
		for session := range found {
			clash = clash || taken[session]
		}
		if clash || len(found) == 0 {
			continue
		}
		for session := range found {
			taken[session] = true
		}
		groups = append(groups, group)
	}
	return groups
}

// readTogether reads files in one registry, with order, chunks and order of ending from rng. Without rng it reads one after
// another. Each is known by its path.
func readTogether(t *testing.T, settings telemetry.Settings, paths []string, rng *rand.Rand) *exports {
	t.Helper()
	registry := telemetry.NewRegistry(settings)
	var open []*reading
	for _, path := range paths {
		r := newReading(t, registry, path)
		r.id = path
		open = append(open, r)
	}
	all := slices.Clone(open)
	var e exports
	for len(open) > 0 {
		i, n := 0, 1<<30
		if rng != nil {
			i, n = rng.IntN(len(open)), 1+rng.IntN(30)
		}
		open[i].read(n)
		if open[i].stream != nil {
			e.take(open[i].stream.Take())
		}
		if open[i].done() {
			open = slices.Delete(open, i, i+1)
		}
	}
	if rng != nil {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	for _, r := range all {
		if r.stream != nil {
			r.stream.Close(otlp.CloseReasonNoResult)
			e.take(r.stream.Take())
		}
	}
	e.take(registry.Close())
	return &e
}

// TestInterleaved feeds the files of all sessions at once, in random order and by random numbers of lines: the output is that
// of each family read alone, parents first. Of a session in two files, one is read.
func TestInterleaved(t *testing.T) {
	groups := oneAccountEach(t)
	require.Greater(t, len(groups), 50)
	var paths, want []string
	for _, group := range groups {
		want = append(want, readTogether(t, goldenSettings(), group, nil).list()...)
		paths = append(paths, group...)
	}
	slices.Sort(want)
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 11))
		rng.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		require.Equal(t, want, readTogether(t, goldenSettings(), slices.Clone(paths), rng).list(), "seed %d", seed)
	}
}

// TestInterleavedAccounts feeds all files at once, including those that contain the same session twice: every tree is
// complete, whichever account is exported for what, and nothing occurs twice. The same holds with a trace for each session.
func TestInterleavedAccounts(t *testing.T) {
	var paths []string
	for _, group := range everything(t) {
		paths = append(paths, group...)
	}
	for _, bySession := range []bool{false, true} {
		settings := goldenSettings()
		settings.TraceBySession = bySession
		for seed := range uint64(8) {
			rng := rand.New(rand.NewPCG(seed, 12))
			rng.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
			e := readTogether(t, settings, slices.Clone(paths), rng)
			require.Empty(t, otlpjson.Check(e.traces...), "by session %v, seed %d", bySession, seed)
			uids := map[string]bool{}
			for _, line := range e.list() {
				if kind, rest, _ := strings.Cut(line, " "); kind == "record" {
					name, rest, _ := strings.Cut(rest, " ")
					assert.False(t, uids[rest[:36]], "%s %s twice", name, rest[:36])
					uids[rest[:36]] = true
				}
			}
		}
	}
}
