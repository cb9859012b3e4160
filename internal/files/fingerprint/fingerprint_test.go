package fingerprint_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
)

// TestPosition checks both rules: the same head, and the same bytes before the offset.
func TestPosition(t *testing.T) {
	text := strings.Repeat("0123456789", 200)
	var p fingerprint.Position
	p.Extend([]byte(text[:fingerprint.HeadSize]))
	p.Move(1500, []byte(text[1500-fingerprint.TailSize:1500]))
	for _, tt := range []struct {
		name       string
		text       string
		head, tail bool
	}{
		{"the same", text, true, true},
		{"longer", text + "more", true, true},
		{"shorter than the head", text[:1000], false, false},
		{"shorter than the offset", text[:1499], true, false},
		{"empty", "", false, false},
		{"another head", "x" + text[1:], false, true},
		{"another tail", text[:1499] + "x" + text[1500:], true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.head, p.SameHead([]byte(tt.text)))
			tail, err := p.HoldsTail(strings.NewReader(tt.text))
			require.NoError(t, err)
			assert.Equal(t, tt.tail, tail)
		})
	}
	var none fingerprint.Position
	tail, err := none.HoldsTail(strings.NewReader(""))
	require.NoError(t, err)
	assert.True(t, tail, "nothing was read")
}

func TestBeginnings(t *testing.T) {
	head, lengths := []byte("abc"), 0
	fingerprint.Beginnings(head, func(length int, hash uint64) bool {
		assert.Equal(t, fingerprint.Hash(head[:length]), hash)
		lengths++
		return length < 2
	})
	assert.Equal(t, 2, lengths, "it stops")
}

func TestFileID(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no inodes in a file's stat")
	}
	path := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	id, ok := fingerprint.IDOf(info)
	require.True(t, ok)
	assert.True(t, fingerprint.LeadsTo(path, id))
	assert.True(t, fingerprint.HasLink(info))
	require.NoError(t, os.Remove(path))
	assert.False(t, fingerprint.LeadsTo(path, id))
	info, err = f.Stat()
	require.NoError(t, err)
	assert.False(t, fingerprint.HasLink(info))
}
