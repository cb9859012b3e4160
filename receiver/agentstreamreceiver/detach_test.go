package agentstreamreceiver_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/telemetry"
)

// kept is what is known of a file between two processes.
type kept struct {
	path  string
	lines int // acknowledged
	state []byte
	open  bool
}

// reopened is an open file in a process.
type reopened struct {
	*reading
	kept *kept
	at   int // lines passed to the session
	idle bool
}

// lifetime is the reading of some files between two restarts. It opens a file as the source does: if it has something new, or
// if its state has pending output.
type lifetime struct {
	t        *testing.T
	registry *telemetry.Registry
	files    []*reopened
	out      *exports
}

func newLifetime(t *testing.T, files []*kept, out *exports) *lifetime {
	p := &lifetime{t: t, registry: telemetry.NewRegistry(goldenSettings()), out: out}
	for _, k := range files {
		p.files = append(p.files, &reopened{reading: newReading(t, p.registry, k.path), kept: k})
		if k.state != nil { // as the receiver does with all stored states
			var state telemetry.StreamState
			require.NoError(t, json.Unmarshal(k.state, &state))
			p.registry.Recall(filepath.Base(k.path), &state.Ties)
		}
	}
	p.registry.Recalled()
	return p
}

func (r *reopened) total() int { return len(r.lines) }

// step reads up to n lines of a file, replayed if they were acknowledged before. At the end the file is idle.
func (p *lifetime) step(r *reopened, n int) {
	for ; n > 0 && r.at < r.total(); n-- {
		line := r.lines[r.at]
		evs := r.source.ParseEvents(bytes.TrimSuffix(line, []byte("\n")))
		if len(evs) > 0 {
			if r.stream == nil {
				info := parser.InfoOf(r.source.Provider())
				settings := r.settings(info)
				if r.kept.state != nil {
					require.NoError(p.t, json.Unmarshal(r.kept.state, &settings.State))
				}
				r.stream = p.registry.Open(settings)
			}
			r.stream.Feed(telemetry.Line{Offset: r.offset, Replay: r.at < r.kept.lines}, evs)
		}
		r.offset += int64(len(line))
		r.at++
	}
	if r.at == r.total() {
		r.idle = true
		if r.stream != nil {
			r.stream.Idle()
		}
	}
	if r.stream != nil {
		out := r.stream.Take()
		p.out.take(out)
		out.Accepted()
	}
}

// work reads random files by random numbers of lines, at most budget lines; everything if budget is negative.
func (p *lifetime) work(rng *rand.Rand, budget int) {
	for {
		var todo []*reopened
		for _, r := range p.files {
			if r.at < r.total() && (r.at > 0 || r.kept.lines < r.total() || r.kept.open) && !r.idle {
				todo = append(todo, r)
			}
		}
		if len(todo) == 0 || budget == 0 {
			return
		}
		r := todo[rng.IntN(len(todo))]
		n := 1 + rng.IntN(12)
		if replay := r.kept.lines - r.at; replay > 0 && r.kept.lines < r.total() {
			n = replay // other lines of the same file do not interrupt a replay
		} else if budget > 0 {
			n = min(n, budget)
			budget -= n
		}
		p.step(r, n)
	}
}

// suspend ends the process and stores its states.
func (p *lifetime) suspend() {
	for _, r := range p.files {
		if r.stream == nil || r.at < r.kept.lines {
			if r.at > r.kept.lines {
				r.kept.lines = r.at
			}
			continue
		}
		state, open := r.stream.State()
		value, err := json.Marshal(state)
		require.NoError(p.t, err)
		r.kept.lines, r.kept.state, r.kept.open = r.at, value, open || r.source.Pending()
		r.stream.Detach()
	}
}

func (p *lifetime) close() {
	for _, r := range p.files {
		if r.stream != nil {
			r.feed(r.source.Flush())
			r.stream.Close(otlp.CloseReasonShutdown)
			p.out.take(r.stream.Take())
		}
	}
	p.out.take(p.registry.Close())
}

// readOverRestarts reads files in several consecutive processes.
func readOverRestarts(t *testing.T, paths []string, rng *rand.Rand, restarts int) *exports {
	var files []*kept
	for _, path := range paths {
		files = append(files, &kept{path: path})
	}
	out := &exports{}
	for range restarts {
		p := newLifetime(t, files, out)
		p.work(rng, rng.IntN(60))
		p.suspend()
	}
	p := newLifetime(t, files, out)
	p.work(rng, -1)
	p.close()
	return out
}

// TestRestartsChangeNothing reads the files of a family, and single sessions, with restarts at random lines: together the
// processes export what one process exports, everything once.
func TestRestartsChangeNothing(t *testing.T) {
	sets := families(t)
	singles, err := filepath.Glob(filepath.Join("..", "..", "testdata", "*", "*.jsonl"))
	require.NoError(t, err)
	for _, path := range singles {
		sets[sessionName(path)] = []string{path}
	}
	for name, paths := range sets {
		if strings.HasSuffix(name, "/fork") {
			continue // distinguished from its original by what was read first
		}
		t.Run(name, func(t *testing.T) {
			want := readOverRestarts(t, paths, rand.New(rand.NewPCG(1, 2)), 0)
			require.Empty(t, otlpjson.Check(want.traces...))
			for seed := range uint64(25) {
				rng := rand.New(rand.NewPCG(seed, 11))
				got := readOverRestarts(t, paths, rng, 1+rng.IntN(3))
				require.Equal(t, want.list(), got.list(), "seed %d", seed)
			}
		})
	}
}
