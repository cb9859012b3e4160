package poll_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/tail"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sink is a handler that keeps all that it is given, and refuses when told to.
type sink struct {
	mu      sync.Mutex
	streams []*stream
	refuse  int // how many calls are still refused
	refused int
	// accept, if set, may refuse a batch.
	accept   func(s tail.Stream, lines []tail.Line) error
	notify   chan struct{}
	patience time.Duration
}

// patience is how long what must come may take in real time, on a machine that has much else to do; bubblePatience, in a
// bubble, whose time no machine is slow for.
const patience, bubblePatience = 2 * time.Minute, 20 * time.Second

var errRefused = errors.New("downstream is not ready")

// stream is one opened stream.
type stream struct {
	sink *sink
	tail.Stream
	lines  []tail.Line
	text   []string
	idle   int
	closed []tail.CloseReason
}

func newSink() *sink { return &sink{notify: make(chan struct{}, 1), patience: bubblePatience} }

// newPatientSink is one for real time.
func newPatientSink() *sink {
	s := newSink()
	s.patience = patience
	return s
}

func (s *sink) changed() {
	select {
	case s.notify <- struct{}{}:
	default:
	}
}

func (s *sink) no() error {
	if s.refuse > 0 {
		s.refuse--
		s.refused++
		return errRefused
	}
	return nil
}

func (s *sink) Open(_ context.Context, in tail.Stream) (tail.Consumer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.no(); err != nil {
		return nil, err
	}
	one := &stream{sink: s, Stream: in}
	s.streams = append(s.streams, one)
	return one, nil
}

func (s *stream) Lines(_ context.Context, lines []tail.Line) error {
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	defer s.sink.changed()
	if err := s.sink.no(); err != nil {
		return err
	}
	if s.sink.accept != nil {
		if err := s.sink.accept(s.Stream, lines); err != nil {
			return err
		}
	}
	for _, l := range lines {
		s.text = append(s.text, string(l.Data))
		l.Data = nil
		s.lines = append(s.lines, l)
	}
	return nil
}

func (s *stream) Idle(context.Context) error {
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	defer s.sink.changed()
	if err := s.sink.no(); err != nil {
		return err
	}
	s.idle++
	return nil
}

func (s *stream) Close(_ context.Context, reason tail.CloseReason) error {
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	defer s.sink.changed()
	s.closed = append(s.closed, reason)
	return nil
}

// all gives the lines of all streams, stream by stream.
func (s *sink) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, one := range s.streams {
		all = append(all, one.text...)
	}
	return all
}

// sorted gives all lines, sorted: across files there is no order.
func (s *sink) sorted() []string {
	all := s.all()
	slices.Sort(all)
	return all
}

// opened gives copies of the streams that were opened.
func (s *sink) opened() []stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []stream
	for _, one := range s.streams {
		all = append(all, *one)
	}
	return all
}

// until waits for a condition on what the sink has.
func (s *sink) until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	late := time.After(s.patience)
	for !ok() {
		select {
		case <-s.notify:
		case <-late:
			require.FailNow(t, "waited in vain for "+what, "lines: %s", shorten(s.all()))
		}
	}
}

func (s *sink) wantLines(t *testing.T, want ...string) {
	t.Helper()
	s.until(t, fmt.Sprintf("%d lines", len(want)), func() bool { return len(s.all()) >= len(want) })
	assert.Equal(t, want, s.all())
}

func shorten(lines []string) string {
	all := strings.Join(lines, " | ")
	return all[:min(len(all), 1000)]
}

// world is a folder with a source that follows it.
type world struct {
	*testing.T
	dir   string
	sink  *sink
	files *tail.Tailer
}

// newWorld makes a folder; begin starts to follow it.
func newWorld(t *testing.T) *world {
	return &world{T: t, dir: t.TempDir(), sink: newPatientSink()}
}

func (w *world) settings(change ...func(*tail.Settings)) tail.Settings {
	s := tail.Settings{Include: []string{w.path("**/*.jsonl")}}
	for _, c := range change {
		c(&s)
	}
	return s
}

func (w *world) begin(change ...func(*tail.Settings)) {
	w.Helper()
	files, err := tail.New(w.settings(change...), w.sink)
	require.NoError(w, err)
	require.NoError(w, files.Start(w.Context()))
	w.files = files
	w.Cleanup(w.end)
}

func (w *world) end() {
	assert.NoError(w, w.files.Shutdown(context.WithoutCancel(w.Context())))
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

// add appends to a file, which is made if need be.
func (w *world) add(name, text string) {
	w.Helper()
	f, err := os.OpenFile(w.path(name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	require.NoError(w, err)
	_, err = f.WriteString(text)
	require.NoError(w, err)
	require.NoError(w, f.Close())
}

// put writes a file again, in place.
func (w *world) put(name, text string) {
	w.Helper()
	require.NoError(w, os.WriteFile(w.path(name), []byte(text), 0o600))
}

// dated sets how long ago, by the bubble's clock, a file was changed last.
func (w *world) dated(name string, age time.Duration) {
	w.Helper()
	when := time.Now().Add(-age)
	require.NoError(w, os.Chtimes(w.path(name), when, when))
}

func (w *world) mkdir(name string) {
	w.Helper()
	require.NoError(w, os.MkdirAll(w.path(name), 0o700))
}

func (w *world) rename(from, to string) {
	w.Helper()
	require.NoError(w, os.Rename(w.path(from), w.path(to)))
}

func (w *world) remove(name string) {
	w.Helper()
	require.NoError(w, os.Remove(w.path(name)))
}

// record makes a line of some length that is like no other.
func record(n int) string {
	return fmt.Sprintf(`{"n":%d,"pad":"%s"}`, n, strings.Repeat("x", 100))
}

func sorted(lines []string) []string {
	slices.Sort(lines)
	return lines
}

// memory is a store that outlives the sources of a test. It can't walk; walking can.
type memory struct {
	mu     sync.Mutex
	values map[string][]byte
	calls  int
	fail   func(call int) error
	wrote  func() // after each Set, with the lock held
}

type walking struct{ *memory }

var errStore = errors.New("no space left on device")

func newMemory() *memory { return &memory{values: map[string][]byte{}} }

// positions are the values but for inventories.
func (m *memory) positions() map[string][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := maps.Clone(m.values)
	maps.DeleteFunc(all, func(key string, _ []byte) bool { return strings.HasPrefix(key, "seen/") })
	return all
}

// called counts a call and says how it ends. The caller has the lock.
func (m *memory) called() error {
	m.calls++
	if m.fail != nil {
		return m.fail(m.calls)
	}
	return nil
}

func (m *memory) Get(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.values[key], m.called()
}

func (m *memory) Set(_ context.Context, key string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.called(); err != nil {
		return err
	}
	m.values[key] = value
	if m.wrote != nil {
		m.wrote()
	}
	return nil
}

func (m *memory) Delete(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.called(); err != nil {
		return err
	}
	delete(m.values, key)
	return nil
}

func (w walking) Walk(_ context.Context, f func(string, []byte) error) error {
	w.mu.Lock()
	values := maps.Clone(w.values)
	err := w.called()
	w.mu.Unlock()
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if err := f(key, values[key]); err != nil {
			return err
		}
	}
	return nil
}

func memoryOf(s tail.Store) *memory {
	if w, ok := s.(walking); ok {
		return w.memory
	}
	return s.(*memory)
}

var errDisk error = syscall.EIO

// faults is a disk that fails some of the time.
type faults struct {
	mu    sync.Mutex
	opens int   // how many openings still fail
	why   error // they fail for
	reads int   // how many reads fail that go beyond limit
	limit int64 // bytes of a file that can be read without a fault
}

func (f *faults) open(path string) (openfile.Handle, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.opens > 0 {
		f.opens--
		return nil, &os.PathError{Op: "open", Path: path, Err: f.why}
	}
	h, err := openfile.Open(path)
	return faultyFile{h, f}, err
}

type faultyFile struct {
	openfile.Handle
	*faults
}

// ReadAt reads up to the fault, like a disk does.
func (h faultyFile) ReadAt(p []byte, offset int64) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.reads > 0 && offset+int64(len(p)) > h.limit {
		h.reads--
		n, err := h.Handle.ReadAt(p[:max(0, min(int64(len(p)), h.limit-offset))], offset)
		return n, errors.Join(errDisk, err)
	}
	return h.Handle.ReadAt(p, offset)
}

// refusing is a discover.Notifier of a system that has no watches left.
type refusing struct {
	discover.Notifier
	left int
}

func (r *refusing) Add(path string) error {
	if r.left--; r.left < 0 {
		return syscall.ENOSPC
	}
	return r.Notifier.Add(path)
}

func compressed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return out.String()
}

// pass lets time pass and then waits until all is quiet: a barrier, after which what has not come does not come.
func (w *world) pass(d time.Duration) {
	time.Sleep(d) // a bubble's own time
	synctest.Wait()
}

// long is an age that all files of these tests have: rsync -a and tar give files their old times.
const long = 30 * 24 * time.Hour

func (w *world) old(name, text string) {
	w.Helper()
	w.put(name, text)
	w.dated(name, long)
}

// comes waits until a value comes.
func comes(values <-chan int, want int) bool {
	late := time.After(patience)
	for {
		select {
		case got := <-values:
			if got == want {
				return true
			}
		case <-late:
			return false
		}
	}
}

// untilClosed waits until n streams are closed.
func (w *world) untilClosed(n int) {
	w.Helper()
	w.sink.until(w.T, fmt.Sprintf("%d closed streams", n), func() bool {
		closed := 0
		for _, s := range w.sink.opened() {
			closed += len(s.closed)
		}
		return closed >= n
	})
}
