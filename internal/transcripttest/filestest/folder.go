package filestest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Folder is a folder of files, and what a source that follows it delivers to.
type Folder struct {
	*testing.T
	Dir  string
	Sink *Sink // where its lines go
}

// NewFolder makes a folder that is followed in real time.
func NewFolder(t *testing.T) *Folder {
	return &Folder{T: t, Dir: t.TempDir(), Sink: NewPatientSink()}
}

// Long is an age that all files of these tests have: rsync -a and tar give files their old times.
const Long = 30 * 24 * time.Hour

// Path is that of a file of the folder.
func (f *Folder) Path(name string) string { return filepath.Join(f.Dir, filepath.FromSlash(name)) }

// Add appends to a file, which is made if need be.
func (f *Folder) Add(name, text string) {
	f.Helper()
	file, err := os.OpenFile(f.Path(name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	require.NoError(f, err)
	_, err = file.WriteString(text)
	require.NoError(f, err)
	require.NoError(f, file.Close())
}

// Put writes a file again, in place.
func (f *Folder) Put(name, text string) {
	f.Helper()
	require.NoError(f, os.WriteFile(f.Path(name), []byte(text), 0o600))
}

// Dated sets how long ago, by the bubble's clock, a file was changed last.
func (f *Folder) Dated(name string, age time.Duration) {
	f.Helper()
	when := time.Now().Add(-age)
	require.NoError(f, os.Chtimes(f.Path(name), when, when))
}

// Mkdir makes a folder below.
func (f *Folder) Mkdir(name string) {
	f.Helper()
	require.NoError(f, os.MkdirAll(f.Path(name), 0o700))
}

// Rename renames a file.
func (f *Folder) Rename(from, to string) {
	f.Helper()
	require.NoError(f, os.Rename(f.Path(from), f.Path(to)))
}

// Remove removes a file.
func (f *Folder) Remove(name string) {
	f.Helper()
	require.NoError(f, os.Remove(f.Path(name)))
}

// UntilClosed waits until n streams are closed.
func (f *Folder) UntilClosed(n int) {
	f.Helper()
	f.Sink.Until(f.T, fmt.Sprintf("%d closed streams", n), func() bool {
		closed := 0
		for _, s := range f.Sink.Opened() {
			closed += len(s.Closed)
		}
		return closed >= n
	})
}

// Old writes a file that was changed last [Long] ago.
func (f *Folder) Old(name, text string) {
	f.Helper()
	f.Put(name, text)
	f.Dated(name, Long)
}

// Write appends a line and dates the file, since a bubble's time is not that of the file system.
func (f *Folder) Write(name, line string) {
	f.Helper()
	f.Add(name, line+"\n")
	f.Dated(name, 0)
}

// Pass lets time pass and then waits until all is quiet: a barrier, after which what has not come does not come.
func (f *Folder) Pass(d time.Duration) {
	time.Sleep(d) // a bubble's own time
	synctest.Wait()
}

// Record makes a line of some length that is like no other.
func Record(n int) string {
	return fmt.Sprintf(`{"n":%d,"pad":"%s"}`, n, strings.Repeat("x", 100))
}

// Records are the records of the numbers, as lines and as a text.
func Records(from, to int) (lines []string, text string) {
	for i := from; i < to; i++ {
		lines = append(lines, Record(i))
	}
	return lines, strings.Join(lines, "\n") + "\n"
}

// Sorted sorts lines in place.
func Sorted(lines []string) []string {
	slices.Sort(lines)
	return lines
}

// Compressed is a text as gzip writes it.
func Compressed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return out.String()
}
