package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
)

func second[T any](_ T, err error) error { return err }

// gzipped compresses content with gzip.
func gzipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	require.NoError(t, errors.Join(second(w.Write(content)), w.Close()))
	return packed.Bytes()
}

// TestPackedInput checks that compressed input is unpacked from any source, recognized by its name or its first bytes.
func TestPackedInput(t *testing.T) {
	plain, err := os.ReadFile(fixtures + "parity.jsonl")
	require.NoError(t, err)
	_, want, _ := tailspan("", "events", fixtures+"parity.jsonl")
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	for _, tt := range []struct {
		name, file string // standard input if no file is named
		content    []byte
	}{
		{"gzip", "parity.jsonl.gz", gzipped(t, plain)},
		{"gzip on standard input", "", gzipped(t, plain)},
		{"gzip under another name", "parity.jsonl", gzipped(t, plain)},
		{"zstd on standard input", "", encoder.EncodeAll(plain, nil)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stdin, name := string(tt.content), input.Stdin
			if tt.file != "" {
				stdin, name = "", filepath.Join(t.TempDir(), tt.file)
				require.NoError(t, os.WriteFile(name, tt.content, 0o600))
			}
			code, got, _ := tailspan(stdin, "events", name)
			assert.Equal(t, cli.ExitOK, code)
			assert.Equal(t, want, got)
		})
	}
}

// TestBrokenPackedInput checks the message about compressed input that cannot be unpacked: it names the input and the cause.
func TestBrokenPackedInput(t *testing.T) {
	plain, err := os.ReadFile(fixtures + "parity.jsonl")
	require.NoError(t, err)
	packed := gzipped(t, plain)
	torn := packed[:len(packed)/2]
	const cut = "unexpected EOF: it is cut short, or still being written\n"
	name := filepath.Join(t.TempDir(), "parity.jsonl.gz")
	require.NoError(t, os.WriteFile(name, torn, 0o600))
	code, _, stderr := tailspan("", "events", name)
	assert.Equal(t, cli.ExitFailure, code)
	assert.Equal(t, "tailspan: unpack \""+name+"\": "+cut, stderr)
	for _, mode := range []string{"verbose", "json"} {
		code, _, stderr = tailspan(string(torn), "render", "--mode", mode, "-")
		assert.Equal(t, cli.ExitFailure, code)
		assert.Equal(t, "tailspan: unpack standard input: "+cut, stderr, "mode %s", mode)
	}

	require.NoError(t, os.WriteFile(name, plain, 0o600))
	code, _, stderr = tailspan("", "events", name)
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, stderr, "unpack", "it is not packed")
}
