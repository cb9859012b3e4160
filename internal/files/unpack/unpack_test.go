package unpack_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/internal/files/unpack"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pack compresses by the extension of the name.
func pack(t testing.TB, name, content string) []byte {
	t.Helper()
	var out bytes.Buffer
	var to io.WriteCloser = gzip.NewWriter(&out)
	if strings.HasSuffix(name, ".zst") {
		var err error
		to, err = zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
		require.NoError(t, err)
	}
	_, err := io.WriteString(to, content)
	require.NoError(t, err)
	require.NoError(t, to.Close())
	return out.Bytes()
}

func read(name string, file io.Reader) (string, error) {
	r, err := unpack.New(name, file)
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	return string(b), err
}

var packed = [...]string{"a.jsonl.gz", "a.jsonl.zst"}

func TestRead(t *testing.T) {
	text := strings.Repeat("a line\n", 100_000)
	for _, name := range packed {
		assert.True(t, unpack.Is(name))
		for _, content := range []string{"", "x", text} {
			got, err := read(name, bytes.NewReader(pack(t, name, content)))
			require.NoError(t, err)
			assert.Equal(t, content, got)
		}
		twice := append(pack(t, name, "one\n"), pack(t, name, "two\n")...)
		got, err := read(name, iotest.OneByteReader(bytes.NewReader(twice)))
		require.NoError(t, err, "files are joined by appending them")
		assert.Equal(t, "one\ntwo\n", got)
	}
	assert.False(t, unpack.Is("a.jsonl"))
	got, err := read("a.jsonl", strings.NewReader("plain"))
	require.NoError(t, err)
	assert.Equal(t, "plain", got)
}

// TestTorn cuts a file anywhere: the result is the beginning of the content and an error for a truncated file.
func TestTorn(t *testing.T) {
	text := strings.Repeat("a line that is like others, ", 20)
	for _, name := range packed {
		whole := pack(t, name, text)
		for cut := range whole {
			got, err := read(name, bytes.NewReader(whole[:cut]))
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%s cut at %d", name, cut)
			assert.True(t, unpack.Broken(err))
			assert.True(t, strings.HasPrefix(text, got))
		}
	}
}

func TestWrongContent(t *testing.T) {
	for _, name := range packed {
		_, err := read(name, strings.NewReader("these are words, whatever the name says"))
		assert.True(t, unpack.Broken(err), "%v", err)
		whole := pack(t, name, strings.Repeat("text ", 1000))
		whole[len(whole)-3] ^= 0xff // in the checksum
		_, err = read(name, bytes.NewReader(whole))
		assert.True(t, unpack.Broken(err), "%v", err)
	}
}

// TestSystemError is distinguished from those of the content.
func TestSystemError(t *testing.T) {
	disk := errors.New("input/output error")
	for _, name := range packed {
		whole := pack(t, name, strings.Repeat("text ", 1000))
		for _, n := range []int{0, 3, len(whole) / 2} {
			_, err := read(name, io.MultiReader(bytes.NewReader(whole[:n]), iotest.ErrReader(disk)))
			require.ErrorIs(t, err, disk)
			assert.False(t, unpack.Broken(err))
		}
	}
}

// TestWindow: a file can't make us use more memory than the window allows.
func TestWindow(t *testing.T) {
	// A frame header (RFC 8878, 3.1.1.1) that asks for a window of 2^31 bytes, and an empty last block.
	_, err := read("a.zst", bytes.NewReader([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 0x01, 0x00, 0x00}))
	assert.ErrorIs(t, err, zstd.ErrWindowSizeExceeded)
}

// FuzzRead: any bytes give some content and perhaps an error of the content, never a panic.
// TestRatio: a file that stands for more than a thousand times its size is not unpacked to its end.
func TestRatio(t *testing.T) {
	content := strings.Repeat("\x00", 256<<20)
	for _, name := range packed {
		got, err := read(name, bytes.NewReader(pack(t, name, content)))
		require.True(t, unpack.Broken(err), name)
		assert.Less(t, len(got), 128<<20, name)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range packed {
		f.Add(name, pack(f, name, "a line\n"))
	}
	f.Fuzz(func(t *testing.T, name string, file []byte) {
		r, err := unpack.New(name, bytes.NewReader(file))
		if err == nil {
			_, err = io.Copy(io.Discard, io.LimitReader(r, 1<<24))
			require.NoError(t, r.Close())
		}
		if err != nil && !unpack.Broken(err) {
			t.Errorf("%q: %v", name, err)
		}
	})
}
