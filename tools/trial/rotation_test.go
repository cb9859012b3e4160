package trial

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/tools/internal/otlpsink"
)

// TestRotation rotates files in all ways while lines are being written. Each line is a text that identifies the line and
// cannot consist of bytes of other lines, so that losses, repetitions and mixtures show.
func TestRotation(t *testing.T) {
	built(t, "TAILSPAN_COLLECTOR")
	steps := 400
	if whole() {
		steps = 5000
	}
	texts := newTexts(t)
	rng := rand.New(rand.NewPCG(newSeed(t), 4))
	r := &rotator{t: t, rng: rng, texts: texts, dir: t.TempDir(), archive: t.TempDir(), done: map[string]int{}}
	for _, folder := range []string{"a", "b", "c"} {
		require.NoError(t, os.Mkdir(filepath.Join(r.dir, folder), 0o700))
	}
	c := startCollector(t, collectorSetup{
		include:  []string{filepath.Join(r.dir, "**", "*.jsonl"), filepath.Join(r.dir, "**", "*.jsonl.gz"), filepath.Join(r.dir, "**", "*.jsonl.zst")},
		endpoint: texts.server.URL, store: filepath.Join(t.TempDir(), "store"),
	})
	c.ready()
	for range 20 {
		r.create("")
	}
	kinds := r.kinds()
	for range steps {
		for range 1 + rng.IntN(4) {
			r.write(r.pick())
		}
		kind := kinds[rng.IntN(len(kinds))]
		r.done[kind.name]++
		s := r.pick()
		from := s.path
		r.now = kind.name
		kind.rotate(s)
		r.history = append(r.history, fmt.Sprintf("%s: session %d, %s to %s", kind.name, s.id, r.short(from), r.short(s.path)))
	}
	for _, s := range r.sessions {
		r.finish(s)
	}
	texts.await(t, r.lines)
	<-time.After(5 * time.Second) // time for anything surplus to arrive
	c.end(syscall.SIGTERM)

	t.Logf("%d lines in %d sessions, rotated %v", r.lines, r.next, r.done)
	for _, kind := range kinds {
		assert.Positive(t, r.done[kind.name], "no file was rotated by %s", kind.name)
	}
	texts.mu.Lock()
	defer texts.mu.Unlock()
	r.now = "the end"
	var lost, twice, mixed []string
	for n := range r.lines {
		switch texts.seen[lineText(n)] {
		case 1:
		case 0:
			lost = append(lost, fmt.Sprintf("line %d, %s", n, r.of(r.owners[n])))
		default:
			twice = append(twice, fmt.Sprintf("line %d, %s", n, r.of(r.owners[n])))
		}
		delete(texts.seen, lineText(n))
	}
	for text := range texts.seen {
		mixed = append(mixed, fmt.Sprintf("%.80s", text))
	}
	assert.Empty(t, some(lost), "lost, %d", len(lost))
	assert.Empty(t, some(twice), "seen twice, %d", len(twice))
	assert.Empty(t, some(mixed), "made of old and new bytes, %d", len(mixed))
}

// texts is a sink that counts the texts of agents.
type texts struct {
	server *httptest.Server
	mu     sync.Mutex
	seen   map[string]int
}

func newTexts(t *testing.T) *texts {
	x := &texts{seen: map[string]int{}}
	x.server = httptest.NewServer(otlpsink.Handler(func(_ *http.Request, b otlpsink.Batch) error {
		x.mu.Lock()
		defer x.mu.Unlock()
		for _, record := range b.Records() {
			if name := record.EventName(); name == "tailspan.text" || name == otlp.EventNameRaw {
				x.seen[record.Body().Str()]++
			}
		}
		return nil
	}))
	t.Cleanup(x.server.Close)
	return x
}

func (x *texts) has(n int) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.seen[lineText(n)] > 0
}

// await waits for a number of texts, for at most a minute if one was lost; then the test reports which.
func (x *texts) await(t *testing.T, n int) {
	t.Helper()
	assert.Eventually(t, func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return len(x.seen) >= n
	}, time.Minute, 20*time.Millisecond, "all texts")
}

// lineText returns the text of a line: only its number, repeated many times.
func lineText(n int) string { return strings.Repeat(fmt.Sprint(n, "."), 20+n%200) }

// session is a file that is being written, with its current name.
type session struct {
	path  string
	half  string // the missing part of its last line
	last  int    // number of its last whole line
	first string // its first line
	id    int
}

// rotator writes sessions and rotates their files in ways that lose no content: what is moved out of the watched
// folder, or deleted, has been read.
type rotator struct {
	t            *testing.T
	rng          *rand.Rand
	texts        *texts
	dir, archive string
	sessions     []*session
	lines, next  int
	done         map[string]int
	owners       []*session // session of each line
	now          string     // current action
	history      []string   // past actions
}

func (r *rotator) short(path string) string { return strings.TrimPrefix(path, r.dir+"/") }

// of returns the actions on a session.
func (r *rotator) of(s *session) string {
	mine := fmt.Sprintf("session %d,", s.id)
	var lines []string
	for _, line := range r.history {
		if strings.Contains(line, mine) || strings.Contains(line, r.short(s.path)+" ") || strings.HasSuffix(line, r.short(s.path)) {
			lines = append(lines, line)
		}
	}
	return strings.Join(append(lines, r.now), "\n")
}

func (r *rotator) pick() *session { return r.sessions[r.rng.IntN(len(r.sessions))] }

func (r *rotator) name() string {
	r.next++
	return filepath.Join(r.dir, string(rune('a'+r.rng.IntN(3))), fmt.Sprintf("f%d.jsonl", r.next))
}

// create begins a session at path, or at a new path. Half of the files have the same first kilobyte.
func (r *rotator) create(path string) *session {
	if path == "" {
		path = r.name()
	} else {
		r.next++
	}
	s := &session{path: path, id: r.next, last: -1}
	if r.rng.IntN(2) == 0 {
		s.first = fmt.Sprintf(`{"type":"summary","summary":"%s","leafUuid":"x"}`+"\n", strings.Repeat("twin ", 250))
	}
	r.sessions = append(r.sessions, s)
	r.put(s, s.first+r.line(s))
	return s
}

// line returns the next line of a session.
func (r *rotator) line(s *session) string {
	s.last = r.lines
	r.lines++
	r.owners = append(r.owners, s)
	return fmt.Sprintf(`{"type":"assistant","message":{"id":"msg_%[2]d","role":"assistant","model":"x","content":[{"type":"text","text":"%[3]s"}]},`+
		`"sessionId":"session-%[1]d","uuid":"uuid-%[2]d","timestamp":"2026-11-27T20:00:00.000Z"}`+"\n", s.id, s.last, lineText(s.last))
}

// write appends some lines and often leaves the last one unfinished.
func (r *rotator) write(s *session) {
	text := s.half
	s.half = ""
	for range 1 + r.rng.IntN(10) {
		text += r.line(s)
	}
	if keep := r.rng.IntN(60); keep > 0 {
		s.half = text[len(text)-keep:]
		text = text[:len(text)-keep]
	}
	r.put(s, text)
}

// finish completes the last line.
func (r *rotator) finish(s *session) {
	r.put(s, s.half)
	s.half = ""
}

func (r *rotator) put(s *session, text string) {
	f, err := os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	require.NoError(r.t, err)
	_, err = f.WriteString(text)
	require.NoError(r.t, err)
	require.NoError(r.t, f.Close())
}

// settled finishes a session and waits until it has been read.
func (r *rotator) settled(s *session) {
	r.finish(s)
	require.Eventually(r.t, func() bool { return r.texts.has(s.last) }, 30*time.Second, time.Millisecond, "line %d of session %d, %q, to be read; what was done:\n%s", s.last, s.id, s.path, r.of(s))
}

func (r *rotator) forget(s *session) {
	r.sessions = slices.DeleteFunc(r.sessions, func(other *session) bool { return other == s })
}

func (r *rotator) rename(from, to string) { require.NoError(r.t, os.Rename(from, to)) }

func (r *rotator) copy(from, to string) {
	content, err := os.ReadFile(from)
	require.NoError(r.t, err)
	require.NoError(r.t, os.WriteFile(to, content, 0o600))
}

type rotation struct {
	name   string
	rotate func(*session)
}

// kinds returns the ways in which files change their names and contents.
func (r *rotator) kinds() []rotation {
	return []rotation{
		{"rename", func(s *session) { to := r.name(); r.rename(s.path, to); s.path = to }},
		{"rename and create", func(s *session) {
			old := s.path
			s.path = r.name()
			r.rename(old, s.path)
			r.finish(s)
			r.forget(s)
			r.create(old)
		}},
		{"copytruncate", func(s *session) { // the copy is in the watched folder or not
			to := r.name()
			if r.rng.IntN(2) == 0 {
				to = filepath.Join(r.archive, filepath.Base(to))
			}
			r.settled(s)
			r.copy(s.path, to)
			require.NoError(r.t, os.Truncate(s.path, 0))
			r.forget(s)
			r.create(s.path)
		}},
		{"replace by a longer version", func(s *session) {
			r.write(s)
			r.settled(s)
			r.copy(s.path, s.path+".tmp")
			path := s.path
			s.path += ".tmp"
			r.put(s, r.line(s))
			r.rename(s.path, path)
			s.path = path
		}},
		{"replace by another", func(s *session) {
			r.settled(s)
			r.forget(s)
			other := r.create(s.path + ".tmp")
			r.rename(other.path, s.path)
			other.path = s.path
		}},
		{"rewrite", func(s *session) {
			r.settled(s)
			r.forget(s)
			require.NoError(r.t, os.Truncate(s.path, 0))
			r.create(s.path)
		}},
		{"delete and create", func(s *session) { // the inode is probably reused
			r.settled(s)
			r.forget(s)
			require.NoError(r.t, os.Remove(s.path))
			r.create(s.path)
		}},
		{"archive by link", func(s *session) {
			r.finish(s)
			to := r.name()
			require.NoError(r.t, os.Link(s.path, to))
			require.NoError(r.t, os.Remove(s.path))
			s.path = to
		}},
		{"archive out of sight", func(s *session) {
			r.settled(s)
			r.forget(s)
			r.rename(s.path, filepath.Join(r.archive, filepath.Base(s.path)))
			r.create("")
		}},
		{"compress", func(s *session) {
			r.settled(s)
			r.forget(s)
			out, err := exec.Command("gzip", "-f", s.path).CombinedOutput()
			require.NoError(r.t, err, "%s", out)
			r.create("")
		}},
		{"compress by Zstandard", func(s *session) { // in the watched folder while it is written, as by zstd --rm
			r.settled(s)
			r.forget(s)
			content, err := os.ReadFile(s.path)
			require.NoError(r.t, err)
			packed, err := os.Create(s.path + ".zst")
			require.NoError(r.t, err)
			z, err := zstd.NewWriter(packed)
			require.NoError(r.t, err)
			for _, half := range [][]byte{content[:len(content)/2], content[len(content)/2:]} {
				_, err = z.Write(half)
				require.NoError(r.t, err)
				require.NoError(r.t, z.Flush())
			}
			require.NoError(r.t, z.Close())
			require.NoError(r.t, packed.Close())
			require.NoError(r.t, os.Remove(s.path))
			r.create("")
		}},
		{"another name", func(s *session) { // under which it is never written
			link := os.Link
			if r.rng.IntN(2) == 0 {
				link = os.Symlink
			}
			require.NoError(r.t, link(s.path, r.name()))
		}},
	}
}
